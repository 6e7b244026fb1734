#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "backend/docker/instance.hpp"
#include "engine/container.hpp"
#include "engine/discovery.hpp"
#include "engine/volume.hpp"
#include "integration/killer.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"
#include "journal/lease_journal.hpp"
#include "places.hpp"

// Lazaret is ended by SIGKILL wherever it may be, and started again: nothing of the dead is left,
// and nothing of the living is gone.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr unsigned kPoints = 26;
constexpr const char* kImageOfBoxes = "lazaret/python:latest";

class Killed : public testing::TestWithParam<const char*> {
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
  [[nodiscard]] std::size_t left_by_the_dead() const {
    const auto all = leases();
    const auto here = journal::this_process();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& lease) {
      return standing_of(lease.owner, here) == journal::Standing::dead;
    }));
  }
  /// Whether of all that was ever started here only these processes live.
  [[nodiscard]] static bool have_ended_but(std::size_t living) {
    return becomes_true(20s, [living] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
      return children_of(::getpid()) == living;
    });
  }
  /// What is there and was not before stands in the journal, in which it was written first (P-45).
  void expect_rows_of_all_but(const Names& before) const {
    Names rows;
    for (const journal::Lease& lease : leases()) rows.insert(lease.thing.name);
    for (const std::string& name : things()) {
      const bool is_old = before.contains(name);
      if (name.find("/lazaret-seccomp-") != name.npos) continue;  // a file, which says whose it is
      const std::size_t slash = name.starts_with('/') ? 1 : 0;  // as Docker lists containers
      EXPECT_TRUE(is_old || rows.contains(name.substr(slash))) << name << " is in no row";
    }
  }
  /// Walks into one point after the other; how many of them have left something to the next.
  [[nodiscard]] unsigned die_at_each_point(const Victim& victim) const {
    const Walked whole = walk(victim, std::nullopt);
    EXPECT_EQ(whole.status, 0);
    EXPECT_GE(2 * whole.acts, kPoints);  // before and after each
    unsigned leaving = 0;
    const Names before = things();
    for (unsigned turn = 0; turn < kPoints; ++turn) {
      const unsigned place = turn * 2 * whole.acts / kPoints;
      const Point point{1 + place / 2, place % 2 == 0 ? Moment::before : Moment::after};
      const Walked walked = walk(victim, point);
      EXPECT_TRUE(walked.killed) << "act " << point.nth << " of " << whole.acts;
      leaving += left_by_the_dead() > 0 ? 1 : 0;
      if (has_engine()) expect_rows_of_all_but(before);
    }
    return leaving;
  }
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

INSTANTIATE_TEST_SUITE_P(EachBackend, Killed, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

// A process of this user that lives, with a box of its own.
class Neighbour {
 public:
  Neighbour(const Victim& program, std::string marker)
      : pid_(start(program)), marker_(std::move(marker)) {
    // On the command line, and in the box.
    EXPECT_TRUE(becomes_true(30s, [this] { return processes_marked(marker_).size() > 1; }));
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    EXPECT_GT(processes_marked(marker_).size(), 1U) << "the neighbour's box was ended";
    ::kill(pid_, SIGTERM);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 130) << "it was not there to the end";
  }

 private:
  pid_t pid_;
  std::string marker_;
};

TEST_P(Killed, LeavesNothingOnceItIsStartedAgain_P04_P45_L49) {
  const std::string marker = unique_marker();
  const Neighbour neighbour(box_of({"sh", "-c", "sleep 300; :", marker}), marker);
  const Names living = things();
  const unsigned leaving = die_at_each_point(box_of({"true"}));
  EXPECT_TRUE(!has_engine() || leaving >= 5) << leaving << ": this proves nothing";
  EXPECT_EQ(walk(box_of({"true"}), std::nullopt).status, 0);
  EXPECT_EQ(things(), living);
  EXPECT_TRUE(have_ended_but(1));
  // What no engine keeps needs no journal, and runs must not pay for one.
  EXPECT_EQ(fs::exists(state_), has_engine());
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  EXPECT_EQ(things(), living);
  EXPECT_EQ(left_by_the_dead(), 0U);
}

// A run, of so many processes of ours, once its box is there.
pid_t started(const Victim& program, const std::string& marker, std::size_t ours = 1) {
  const pid_t pid = start(program);
  EXPECT_TRUE(
      becomes_true(30s, [&marker, ours] { return processes_marked(marker).size() > ours; }));
  return pid;
}

// A run that is killed once its box is there.
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

std::size_t count(const Json& said, const std::string& fate) {
  const Json& findings = said["findings"];
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&fate](const Json& each) { return each["fate"] == fate; }));
}

using KilledOnAnEngine = Killed;
INSTANTIATE_TEST_SUITE_P(EachEngine, KilledOnAnEngine, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(KilledOnAnEngine, IsFoundByItsLabelsWhereTheJournalIsLostOrDamaged_P45) {
  const std::string marker = unique_marker();
  const DeadRun dead(box_of({"sh", "-c", "sleep 300; :", marker}), marker);
  const Names left = things();
  ASSERT_NE(left, before_);
  const auto [looked, seen] = gc({"--dry-run"});
  EXPECT_EQ(looked, 0) << seen.dump(2);
  EXPECT_EQ(count(seen, "found"), left.size() - before_.size()) << seen.dump(2);
  EXPECT_EQ(things(), left);
  fs::remove(state_ + "/lazaret/leases.db-wal");
  std::ofstream(state_ + "/lazaret/leases.db") << std::string(8192, 'x');
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  EXPECT_EQ(count(said, "removed"), left.size() - before_.size() + 1) << said.dump(2);
  EXPECT_EQ(things(), before_);
  const auto [again, nothing] = gc();
  EXPECT_EQ(again, 0);
  EXPECT_TRUE(nothing["findings"].empty()) << nothing.dump(2);
}

// None of them has a process that could be asked.
TEST_P(KilledOnAnEngine, LeavesWhatIsAnothersAlone_P45) {
  auto owner = journal::this_process();
  owner.started = "1";  // dead: its number was given again
  const auto as = [&owner](auto change) {
    auto other = owner;
    change(other);
    return backend::docker::labels_of(other, "x");
  };
  const std::string name = unique_marker();
  create(name + "-foreign", Json::object());
  create(name + "-user", as([](auto& other) { other.user += 1; }));
  create(name + "-machine", as([](auto& other) { other.boot = other.machine = "0"; }));
  create(name + "-container", as([](auto& other) { other.namespaces = "1.1"; }));
  create(name + "-nobody", {{backend::docker::kOwnerLabel, backend::docker::kOwner}});
  create(name + "-dead", as([](auto&) {}));
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  EXPECT_EQ(count(said, "left"), 4U) << said.dump(2);
  EXPECT_EQ(count(said, "removed"), 1U) << said.dump(2);
  for (const char* const each : {"-foreign", "-user", "-machine", "-container", "-nobody"}) {
    EXPECT_TRUE(engine::container::inspect(client(), name + each, Call{}.within(20s)).ok()) << each;
    remove(name + each);
  }
}

// As in a container: its numbers mean nothing here.
Victim in_another_pid_namespace(Victim program) {
  const std::vector<std::string> apart = {"/usr/bin/unshare", "--pid",        "--fork",
                                          "--kill-child",     "--mount-proc", "--"};
  program.argv.insert(program.argv.begin(), apart.begin(), apart.end());
  return program;
}

// So does a daemon in a container find what it left before it was killed and started again.
TEST_P(KilledOnAnEngine, LeavesNothingInAnotherPidNamespaceEither_P45) {
  if (::geteuid() != 0) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  const auto program_of = [this](const std::string& marker) {
    return in_another_pid_namespace(box_of({"sh", "-c", "sleep 300; :", marker}));
  };
  const fs::path owners = state_ + "/lazaret/owners";
  const std::string dying = unique_marker();
  const DeadRun dead(program_of(dying), dying, 2);
  Names lost;
  std::ranges::set_difference(things(), before_, std::inserter(lost, lost.end()));
  ASSERT_FALSE(lost.empty());
  const std::string marker = unique_marker();
  const pid_t living = started(program_of(marker), marker, 2);
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  const Names now = things();
  for (const std::string& name : lost) EXPECT_FALSE(now.contains(name)) << name;
  EXPECT_NE(now, before_) << "what lives was removed";
  EXPECT_EQ(std::distance(fs::directory_iterator(owners), {}), 1);
  ::kill(living, SIGKILL);
  EXPECT_EQ(::waitpid(living, nullptr, 0), living);
  EXPECT_EQ(gc().first, 0);
  EXPECT_EQ(things(), before_);
  EXPECT_TRUE(fs::is_empty(owners));
}

// What no engine has a say in.
using KilledOnDocker = Killed;
INSTANTIATE_TEST_SUITE_P(OneEngine, KilledOnDocker, testing::Values("docker"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(KilledOnDocker, IsRememberedUntilItsEngineAnswersOrIsForgotten) {
  const std::string place = "unix://" + folder_.path() + "/nobody.sock";
  auto owner = journal::this_process();
  owner.started = "1";
  {
    auto journal = journal::LeaseJournal::open(state_ + "/lazaret");
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE((*journal)->intend({journal::Kind::container, place, "lazaret-x-0"}, owner).ok());
  }
  const auto [status, said] = gc();
  EXPECT_EQ(status, 1) << said.dump(2);
  EXPECT_EQ(count(said, "failed"), 1U) << said.dump(2);
  EXPECT_EQ(gc({"--forget"}).first, 0);
  EXPECT_EQ(left_by_the_dead(), 0U);
}

TEST_P(KilledOnDocker, IsClearedByTheStartOfTheDaemon_P45) {
  const std::string marker = unique_marker();
  const DeadRun dead(box_of({"sh", "-c", "sleep 300; :", marker}), marker);
  ASSERT_NE(things(), before_);
  const pid_t daemon = start(
      program({"serve", "--type", "docker", "--host", host_, "--socket", folder_.path() + "/s"}));
  EXPECT_TRUE(becomes_true(20s, [this] { return things() == before_; }));
  ::kill(daemon, SIGTERM);
  int status = -1;
  EXPECT_EQ(::waitpid(daemon, &status, 0), daemon);
  EXPECT_EQ(status, 0);
}

TEST_P(KilledOnDocker, RunsWithoutAJournalAndSaysSo) {
  fs::create_directories(state_ + "/lazaret");
  fs::permissions(state_ + "/lazaret", fs::perms::all);
  Victim run = box_of({"true"});
  run.argv.insert(run.argv.begin() + 2, "--json");
  Invocation rest;
  rest.environment = {{"XDG_STATE_HOME", state_}, {"TMPDIR", temporary_}};
  rest.argv = run.argv;
  const Ended ended = run_program(rest);
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Json result = Json::parse(ended.out, nullptr, false);
  ASSERT_EQ(result["meta"]["warnings"].size(), 1U) << ended.out;
  const std::string warning = result["meta"]["warnings"][0];
  EXPECT_NE(warning.find("lease journal"), std::string::npos) << warning;
  EXPECT_NE(warning.find("chmod 0700"), std::string::npos) << warning;
}

}  // namespace
}  // namespace lazaret::test
