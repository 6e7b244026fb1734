#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lazaret/lazaret.hpp"

/// Skips with a reason, or fails where LAZARET_REQUIRE (a comma list) names the feature: a skipped
/// test is not a passed test.
#define LAZARET_SKIP_OR_FAIL(feature, reason)                                                     \
  do {                                                                                            \
    if (lazaret::test::is_required(feature)) FAIL() << (feature) << " is required: " << (reason); \
    GTEST_SKIP() << (feature) << ": " << (reason);                                                \
  } while (false)

namespace lazaret::test {

using Json = nlohmann::json;

[[nodiscard]] bool is_required(std::string_view feature);
[[nodiscard]] std::string variable(const char* name);

/// "native", "docker", "podman": the parameter of tests that hold on every backend.
inline constexpr const char* kBackends[] = {"native", "docker", "podman"};

/// How to reach a backend: native always; docker and podman where LAZARET_TEST_DOCKER and
/// LAZARET_TEST_PODMAN name an endpoint ("unix:///run/docker.sock").
[[nodiscard]] std::optional<SandboxOptions> options_for(const std::string& backend);
/// The same as words for a command line, none where there is no answer.
[[nodiscard]] std::vector<std::string> words_for(const std::string& backend);
/// A sandbox on a backend for which options_for() has an answer; a failure ends the process.
[[nodiscard]] CodeSandbox sandbox_on(const std::string& backend);
/// One run there, as JSON: the public schema, not our structs.
[[nodiscard]] Json run_on(const std::string& backend, const ExecutionRequest& request);

[[nodiscard]] ExecutionRequest code_request(std::string language, std::string code);
[[nodiscard]] ExecutionRequest python(std::string code);
[[nodiscard]] ExecutionRequest bash(std::string code);
[[nodiscard]] ExecutionRequest command(std::vector<std::string> argv);
[[nodiscard]] std::string file_text(const std::string& path);
/// A program of tests/integration/guests.
[[nodiscard]] std::string guest(const std::string& name);

/// Who asks: a test run by an ordinary user has no root to offer, and only root can give him ids.
enum class Caller { root, user, user_with_ids };
[[nodiscard]] std::string name_of(Caller caller);
[[nodiscard]] bool can_be(Caller caller);
inline constexpr uid_t kOrdinaryUser = 10007;

/// What `body` returns when a child of ours runs it as `caller`, or nothing when the child dies or
/// takes longer than four minutes: identity, descriptors and environment of this process stay as
/// they are.
[[nodiscard]] std::optional<std::string> in_child(Caller caller,
                                                  const std::function<std::string()>& body);
/// One native run in such a child; an empty object when the child failed.
[[nodiscard]] Json run_as(Caller caller, const ExecutionRequest& request);

/// What a result says of one control; null where it says nothing.
[[nodiscard]] Json evidence_of(const Json& result, const std::string& control);

/// The end of a program that we started.
struct Ended {
  int status = -1;  ///< of exit, or 128 and the signal
  std::string out;
  std::string err;
  bool overdue = false;  ///< it was ended by us
};

struct Invocation {
  std::vector<std::string> argv;
  std::string input = {};
  std::map<std::string, std::string> environment = {};  ///< as of LaidOut
  std::string directory = "/";
  std::chrono::seconds bound{60};
  std::function<void(pid_t)> once_started = {};  ///< called with its id, e.g. to signal it later
};
[[nodiscard]] Ended run_program(const Invocation& invocation);
/// The lazaret program of this build.
[[nodiscard]] Ended lazaret(std::vector<std::string> arguments, Invocation rest = {});

/// A word that occurs nowhere else on this machine.
[[nodiscard]] std::string unique_marker();
/// Living processes (no zombies) with the marker in their command line, ours excluded.
[[nodiscard]] std::vector<pid_t> processes_marked(const std::string& marker);
/// Waits until a condition holds; false when it does not within the bound.
[[nodiscard]] bool becomes_true(std::chrono::milliseconds bound,
                                const std::function<bool()>& condition);

/// Everything on this machine that a run might leave behind.
struct Leftovers {
  std::set<std::string> files;            ///< names in /tmp, /var/tmp, /run, /dev/shm and TMPDIR
  std::set<std::string> mounts;           ///< lines of mountinfo
  std::set<std::string> cgroups;          ///< directories called lazaret-*
  std::set<std::string> engines_cgroups;  ///< of containers
  std::size_t descriptors = 0;            ///< open in this process
  std::size_t children = 0;               ///< of this process, zombies included
  std::size_t containers = 0;             ///< of ours, known to the engine
  std::set<std::string> volumes;          ///< of ours, known to the engine
};
[[nodiscard]] Leftovers leftovers(const std::string& backend);
/// Of paths, those whose last name is one of ours; others make files in the same places.
[[nodiscard]] std::vector<std::string> named_as_ours(std::vector<std::string> paths);
/// Elements of `after` that are not in `before`.
[[nodiscard]] std::vector<std::string> added(const std::set<std::string>& before,
                                             const std::set<std::string>& after);

/// A folder for a test's own files, open to every user, gone at the end.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content,
                    unsigned mode = 0644) const;

 private:
  std::string path_;
};

}  // namespace lazaret::test
