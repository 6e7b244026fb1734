#pragma once

#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <string>

#include "lazaret/result.hpp"

namespace lazaret::os {

/// A system call filter after which a process can make threads and nothing else: no process, and no
/// program but by who knows its key. The key is random, lies in registers that execve(2) does not
/// read, and is gone with the memory that the call replaces: so it is good for one program.
class SubprocessFilter {
 public:
  /// Errors: those of getrandom(2).
  [[nodiscard]] static Result<SubprocessFilter> make();

  /// For the calling thread and all that comes of it; needs no_new_privs. Between clone and exec.
  [[nodiscard]] bool install() const noexcept;
  /// execve(2), with the key.
  void execute(const char* path, char* const* argv, char* const* environment) const noexcept;

 private:
  using Key = std::array<std::uint64_t, 2>;
  static constexpr std::size_t kSteps = 46;

  explicit SubprocessFilter(const Key& key) noexcept;

  Key key_;
  std::array<sock_filter, kSteps> steps_{};
  std::uint16_t count_ = 0;
};

/// Lines for the report: what a child behind such a filter was answered when it tried to make a
/// thread, a process and a program, each with arguments that could not have made one.
[[nodiscard]] std::string try_subprocess_filter();

}  // namespace lazaret::os
