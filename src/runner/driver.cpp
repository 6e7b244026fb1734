#include "runner/driver.hpp"

#include <algorithm>
#include <initializer_list>

namespace lazaret::embedded {
extern const std::string_view python_bootstrap;  // runner/drivers/python.py
extern const std::string_view node_bootstrap;    // runner/drivers/node.js
}  // namespace lazaret::embedded

namespace lazaret::runner {
namespace {

constexpr std::string_view kPythonPath = "/work/main.py";
constexpr std::string_view kBashPath = "/work/main.sh";
constexpr std::string_view kNodePath = "/work/main.js";

Words started(std::initializer_list<std::string_view> words, const Words& arguments) {
  Words argv(words.begin(), words.end());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

/// -I: neither PYTHON* variables nor the user's site directory have a say.
Words python(const Words& arguments) {
  return started({"python3", "-I", "-c", embedded::python_bootstrap, kPythonPath}, arguments);
}

Words bash(const Words& arguments) { return started({"bash", kBashPath}, arguments); }

/// What follows "--" is never an option of node's own.
Words javascript(const Words& arguments) {
  return started({"node", "--eval", embedded::node_bootstrap, "--", kNodePath}, arguments);
}

}  // namespace

const std::vector<Driver>& drivers() {
  static const std::vector<Driver> table = {
      {"python", {"py", "python3"}, kPythonPath, python},
      {"bash", {"sh", "shell"}, kBashPath, bash},
      {"javascript", {"js", "node", "nodejs"}, kNodePath, javascript},
  };
  return table;
}

const Driver* driver_named(std::string_view name) noexcept {
  for (const auto& driver : drivers()) {
    if (driver.name == name || std::ranges::count(driver.aliases, name) > 0) return &driver;
  }
  return nullptr;
}

}  // namespace lazaret::runner
