#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "backend/docker/instance.hpp"
#include "backend/linux/cgroup_base.hpp"
#include "integration/killed_bed.hpp"

// Lazaret is ended by SIGKILL wherever it may be, and started again: nothing of the dead is left,
// and nothing of the living is gone.
namespace lazaret::test {
namespace {

constexpr unsigned kPoints = 26;

class Killed : public KilledBed {
 protected:
  /// What is there and was not before stands in the journal, in which it was written first (P-45).
  void expect_rows_of_all_but(const Names& before) const {
    Names rows;
    for (const journal::Lease& lease : leases()) rows.insert(lease.thing.name);
    for (const std::string& name : things()) {
      const bool is_path = name.rfind('/') > 0;  // Docker lists containers with one in front
      const std::string row = !is_path && name.starts_with('/') ? name.substr(1) : name;
      EXPECT_TRUE(before.contains(name) || rows.contains(row)) << name << " is in no row";
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
  // Where there is neither engine nor cgroup nothing stays, and runs do not pay for a journal.
  const bool may_have_cgroups = !has_engine() && backend::native::unified_mount();
  EXPECT_TRUE(may_have_cgroups || fs::exists(state_) == has_engine());
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  EXPECT_EQ(things(), living);
  EXPECT_EQ(left_by_the_dead(), 0U);
}

using KilledOnAnEngine = KilledBed;
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
using KilledOnDocker = KilledBed;
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
  EXPECT_TRUE(rows_of_the_dead().empty());
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
