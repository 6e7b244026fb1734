#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace lazaret::test {

/// Whether a package hides what the library has, whether its files and folder can be changed, and
/// where it stands: behind the library, before what the system has.
inline constexpr const char* kWherePackagesStand = R"py(
import json, os, sys, shadow
errors = []
for path in ("/mnt/packages/shadow.py", "/mnt/packages/new.py"):
    try:
        open(path, "w")
    except OSError as error:
        errors.append(error.errno)
system = [entry for entry in sys.path if entry.endswith("dist-packages")]
place = sys.path.index
[shadow.value, errors, place("/mnt/packages") > place(os.path.dirname(os.__file__)),
 all(place("/mnt/packages") < place(other) for other in system)]
)py";

/// Whether boxes find what installs packages for a language.
[[nodiscard]] inline bool finds_installer(const std::string& language) {
  const bool is_python = language == "python";
  Json found = run_on(
      "native",
      is_python
          ? python("import importlib.util as all, glob\n"
                   "bool(all.find_spec('pip') or "
                   "glob.glob('/usr/share/python-wheels/pip-*.whl'))")
          : code_request("javascript",
                         "return require('child_process').spawnSync('npm', ['--version']).status"));
  return found.value("value", Json()) == (is_python ? Json(true) : Json(0));
}

/// The same, without a look where it must be so.
[[nodiscard]] inline bool installs(const std::string& language) {
  return is_required(language == "python" ? "pip" : "npm") || finds_installer(language);
}

/// Files of packages, and a place where they are kept once installed, for whoever asks.
class PackagesBed : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
    if (!installs("python")) LAZARET_SKIP_OR_FAIL("pip", "boxes have no pip");
    ExecutionRequest make = python(guest("package_files.py"));
    make.output_directory = files_;
    ASSERT_EQ(run_on("native", make)["exit_code"], 0);
    std::filesystem::create_directory(cache_);
    ::chmod(cache_.c_str(), 0777);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return files_ + "/" + name; }
  /// What became of runs of a session of his, or of the session that there is not.
  [[nodiscard]] Json in_session(const SessionRequest& wanted,
                                const std::vector<ExecutionRequest>& runs) const {
    const auto text = in_child(GetParam(), [&]() -> std::string {
      ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
      const CodeSandbox sandbox = sandbox_on("native");
      const auto session = sandbox.open_session(wanted);
      if (!session.ok()) return Json{{"error", session.error().message()}}.dump();
      Json results = Json::array();
      for (const ExecutionRequest& run : runs)
        results.push_back(Json::parse(to_json(session->execute(run))));
      return results.dump();
    });
    return text ? Json::parse(*text) : Json();
  }
  /// A run by him, in an environment with these as well.
  [[nodiscard]] Json run_with(const ExecutionRequest& request,
                              const std::map<std::string, std::string>& environment = {}) const {
    const auto text = in_child(GetParam(), [&] {
      ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::umask(0077);
      return to_json(sandbox_on("native").execute(request));
    });
    return text ? Json::parse(*text) : Json::object();
  }
  /// What is kept: locks and layers, and nothing half made.
  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code ignored;
    const std::string store = cache_ + "/lazaret/packages";
    for (const auto& entry : std::filesystem::directory_iterator(store, ignored))
      names.push_back(entry.path().filename().string());
    return names;
  }

  const Folder folder_;
  const std::string files_ = folder_.path() + "/files", cache_ = folder_.path() + "/cache";
};

}  // namespace lazaret::test
