#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/result.hpp"

namespace lazaret::backend {

/// One line of mountinfo (proc(5)) as far as it matters here.
struct MountLine {
  std::string target;
  std::string options;
  std::string type;
  std::string super = {};  ///< options of the file system itself: "rw,size=65536k,mode=700"
  [[nodiscard]] bool has(std::string_view option) const;
  /// "65536k" of super's "size=65536k"; nothing where the kernel does not say it.
  [[nodiscard]] std::optional<std::string_view> setting(std::string_view name) const;
};

/// The runner's self-report, taken apart. Made before any foreign code has run.
struct SelfReport {
  std::map<std::string, std::string> values;  ///< keys that appear once; the last one wins
  std::map<std::string, std::string> status;  ///< /proc/self/status by field
  std::vector<std::string> interfaces;
  std::vector<MountLine> mounts;

  [[nodiscard]] std::optional<std::string> value(const std::string& key) const;
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& key) const;
  /// errno of a probe; unset when it was not made.
  [[nodiscard]] std::optional<int> probe(const std::string& name) const;
};

/// Never fails: what cannot be understood is left out, and a control without facts is not verified.
[[nodiscard]] SelfReport parse_report(std::string_view text);
/// Of /proc/PID/status itself (proc(5)): nothing but `status` is filled.
[[nodiscard]] SelfReport parse_status(std::string_view text);

/// Words between white space.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace lazaret::backend
