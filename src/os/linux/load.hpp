#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace lazaret::os {

/// How many are ready to run, of the text of /proc/loadavg: the three of "0.20 0.18 0.12 3/80
/// 11206" (proc_loadavg(5)). Nothing where it does not say.
[[nodiscard]] inline std::optional<std::uint64_t> ready_in(std::string_view loadavg) {
  const std::size_t slash = loadavg.find('/');
  const std::size_t blank = loadavg.rfind(' ', slash);
  if (slash == loadavg.npos || blank == loadavg.npos) return std::nullopt;
  std::uint64_t ready = 0;
  const char* const end = loadavg.data() + slash;
  const auto read = std::from_chars(loadavg.data() + blank + 1, end, ready);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(ready) : std::nullopt;
}

}  // namespace lazaret::os
