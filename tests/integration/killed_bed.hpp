#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/container.hpp"
#include "engine/discovery.hpp"
#include "engine/volume.hpp"
#include "integration/killer.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"
#include "journal/lease_journal.hpp"
#include "places.hpp"

namespace lazaret::test {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Names = std::set<std::string>;

inline constexpr const char* kImageOfBoxes = "lazaret/python:latest";

/// Runs of Lazaret that are ended by SIGKILL, with a journal of their own, on the backend that the
/// parameter names.
class KilledBed : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    host_ = options->host.value_or("");
    state_ = folder_.path() + "/state";
    temporary_ = folder_.path() + "/tmp";
    fs::create_directory(temporary_);
    // What a dead Lazaret has started becomes ours: then none can hide.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    before_ = things();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    EXPECT_EQ(things(), before_);
  }

  [[nodiscard]] bool has_engine() const { return !host_.empty(); }
  [[nodiscard]] Victim program(std::vector<std::string> words) const {
    words.insert(words.begin(), kLazaretPath);
    return {std::move(words),
            {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder_.path(),
             "XDG_STATE_HOME=" + state_, "TMPDIR=" + temporary_}};
  }
  [[nodiscard]] Victim box_of(std::vector<std::string> command) const {
    std::vector<std::string> words = {"exec",
                                      "--no-daemon",
                                      "--no-fallback",
                                      "--timeout",
                                      "250",
                                      "--type",
                                      has_engine() ? GetParam() : "local"};
    if (has_engine()) {
      for (const char* const word : {"--host", host_.c_str(), "--image", kImageOfBoxes})
        words.emplace_back(word);
    }
    words.emplace_back("--");
    std::move(command.begin(), command.end(), std::back_inserter(words));
    return program(std::move(words));
  }
  /// gc's exit status, and what it says.
  [[nodiscard]] std::pair<int, Json> gc(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"gc", "--json"};
    if (has_engine()) words.insert(words.end(), {"--host", host_});
    std::move(more.begin(), more.end(), std::back_inserter(words));
    Invocation rest;
    rest.environment = {{"XDG_STATE_HOME", state_}, {"TMPDIR", temporary_}};
    const Ended ended = lazaret(std::move(words), rest);
    return {ended.status, Json::parse(ended.out, nullptr, false)};
  }
  [[nodiscard]] engine::EngineClient client() const {
    return engine::EngineClient::negotiate(engine::default_dialer(host_).value(), {},
                                           Call{}.within(20s))
        .value();
  }
  /// All that is on the engine but the runner's volume; cgroups and directories of ours.
  [[nodiscard]] Names things() const {
    const Leftovers left = leftovers("native");
    Names names = left.cgroups;
    // The engine's own, which comes with its first container: what is in it has a longer name.
    std::erase_if(names, [](const std::string& name) {
      return fs::path(name).filename().string().starts_with("lazaret-test.");
    });
    for (const auto& entry : fs::directory_iterator(temporary_))
      names.insert(entry.path().string());
    if (!has_engine()) return names;
    const auto engine = client();
    const Call call = Call{}.within(20s);
    const auto containers = engine::container::list(engine, {}, call);
    const auto volumes = engine::volume::list(engine, {}, call);
    if (!containers.ok() || !volumes.ok()) {
      ADD_FAILURE() << "the engine does not list what it has";
      return names;
    }
    for (const auto& container : *containers)
      names.insert(container.names.empty() ? container.id : container.names.front());
    for (const auto& volume : *volumes)
      if (!volume.name.starts_with("lazaret-runner-")) names.insert(volume.name);
    return names;
  }
  [[nodiscard]] std::vector<journal::Lease> leases() const {
    if (!fs::exists(state_)) return {};
    auto journal = journal::LeaseJournal::open(state_ + "/lazaret");
    return journal.ok() ? (*journal)->leases().value() : std::vector<journal::Lease>();
  }
  [[nodiscard]] std::vector<journal::Lease> rows_of_the_dead() const {
    std::vector<journal::Lease> rows = leases();
    const auto here = journal::this_process();
    std::erase_if(rows, [&here](const journal::Lease& lease) {
      return standing_of(lease.owner, here) != journal::Standing::dead;
    });
    return rows;
  }
  /// Those that speak of what is there.
  [[nodiscard]] std::size_t left_by_the_dead() const {
    const Names there = things();
    const auto rows = rows_of_the_dead();
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&there](const journal::Lease& lease) {
          const std::string& name = lease.thing.name;
          return there.contains(name) || there.contains("/" + name);  // as Docker lists it
        }));
  }
  /// Whether of all that was ever started here only these processes live.
  [[nodiscard]] static bool have_ended_but(std::size_t living) {
    return becomes_true(20s, [living] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
      return children_of(::getpid()) == living;
    });
  }
  /// On the engine, with these labels.
  void create(const std::string& name, const Json& labels) const {
    const Json body = {{"Image", kImageOfBoxes}, {"Cmd", {"true"}}, {"Labels", labels}};
    EXPECT_TRUE(engine::container::create(client(), name, body, Call{}.within(20s)).ok());
  }
  void remove(const std::string& name) const {
    using engine::container::Volumes;
    EXPECT_TRUE(
        engine::container::remove(client(), name, Volumes::remove, Call{}.within(20s)).ok());
  }

  Folder folder_;
  std::string host_, state_, temporary_;
  Names before_;
};

/// A run, of so many processes of ours, once its box is there.
inline pid_t started(const Victim& program, const std::string& marker, std::size_t ours = 1) {
  const pid_t pid = start(program);
  EXPECT_TRUE(
      becomes_true(30s, [&marker, ours] { return processes_marked(marker).size() > ours; }));
  return pid;
}

/// A run that is killed once its box is there.
class DeadRun {
 public:
  explicit DeadRun(const Victim& program, const std::string& marker, std::size_t ours = 1)
      : pid_(started(program, marker, ours)) {
    ::kill(pid_, SIGKILL);
    EXPECT_EQ(::waitpid(pid_, nullptr, 0), pid_);
  }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  pid_t pid_;
};

/// Findings of `lazaret gc --json` with this fate.
[[nodiscard]] inline std::size_t count(const Json& said, const std::string& fate) {
  const Json& findings = said["findings"];
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&fate](const Json& each) { return each["fate"] == fate; }));
}

}  // namespace lazaret::test
