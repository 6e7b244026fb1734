#pragma once

#include <string>
#include <string_view>
#include <vector>

/// How the program of each language is started in a box. Host side only.
namespace lazaret::runner {

using Words = std::vector<std::string>;

struct Driver {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view path;                  ///< of the code in the box
  Words (*argv)(const Words& arguments);  ///< complete, the interpreter first
};

/// python, bash and javascript.
[[nodiscard]] const std::vector<Driver>& drivers();
/// By name or alias, in lower case; null when there is none.
[[nodiscard]] const Driver* driver_named(std::string_view name) noexcept;

}  // namespace lazaret::runner
