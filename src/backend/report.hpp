#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lazaret/result.hpp"

namespace lazaret::backend {

/// One line of mountinfo (proc(5)) as far as it matters here. Views into what it was read from.
struct MountLine {
  std::string_view target;
  std::string_view options;
  std::string_view type;
  std::string_view super = {};  ///< options of the file system itself: "rw,size=65536k,mode=700"
  [[nodiscard]] bool has(std::string_view option) const;
  /// "65536k" of super's "size=65536k"; nothing where the kernel does not say it.
  [[nodiscard]] std::optional<std::string_view> setting(std::string_view name) const;
};

/// Names and values, a few dozen at most; of a name that comes twice the last value counts.
class Fields {
 public:
  void add(std::string_view name, std::string_view value) { all_.emplace_back(name, value); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> all_;
};

/// The runner's self-report, taken apart. Made before any foreign code has run.
struct SelfReport {
  std::shared_ptr<const std::string> text;  ///< what all the rest are views into
  Fields values;
  Fields status;  ///< /proc/self/status
  std::vector<std::string_view> interfaces;
  std::vector<MountLine> mounts;

  [[nodiscard]] std::optional<std::string> value(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view key) const;
  /// errno of a probe; unset when it was not made.
  [[nodiscard]] std::optional<int> probe(const std::string& name) const;
  /// What the reporting process had in memory (VmRSS, proc_pid_status(5)); 0 where it is not said.
  [[nodiscard]] std::uint64_t resident_bytes() const;
};

/// Never fails: what cannot be understood is left out, and a control without facts is not verified.
[[nodiscard]] SelfReport parse_report(std::string text);
/// Of /proc/PID/status itself (proc(5)): nothing but `status` is filled.
[[nodiscard]] SelfReport parse_status(std::string text);

/// Words between white space.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace lazaret::backend
