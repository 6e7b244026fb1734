#include "core/languages.hpp"

#include "runner/driver.hpp"

namespace lazaret::core {

std::vector<policy::Language> languages() {
  std::vector<policy::Language> list;
  for (const auto& driver : runner::drivers()) {
    list.push_back({.name = std::string(driver.name),
                    .aliases = {driver.aliases.begin(), driver.aliases.end()},
                    .path = std::string(driver.path),
                    .argv = driver.argv});
  }
  return list;
}

}  // namespace lazaret::core
