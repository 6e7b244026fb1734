#include "journal/lease_journal.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace lazaret::journal {
namespace {

namespace fs = std::filesystem;

const Owner kOwner{"0123456789abcdef", 7, "4711", "b007", "4026.4027", "5eaf", 1000};
const Thing kBox{Kind::container, "unix:///run/docker.sock", "lazaret-1"};

class Journal : public testing::Test {
 protected:
  Journal() {
    std::string name = (fs::temp_directory_path() / "journal-XXXXXX").string();
    base_ = ::mkdtemp(name.data());
  }
  ~Journal() override { fs::remove_all(base_); }

  [[nodiscard]] fs::path folder() const { return base_ / "state" / "lazaret"; }
  [[nodiscard]] fs::path file() const { return folder() / LeaseJournal::kFile; }
  [[nodiscard]] std::unique_ptr<LeaseJournal> open() const {
    auto opened = LeaseJournal::open(folder());
    if (opened.ok()) return std::move(opened).value();
    ADD_FAILURE() << opened.error().message();
    return nullptr;
  }
  [[nodiscard]] Errc refusal() const {
    const auto opened = LeaseJournal::open(folder());
    return opened.ok() ? Errc::conflict : opened.error().code();
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
  }

  fs::path base_;
};

TEST_F(Journal, KeepsWhatWasIntendedUntilItIsSettled) {
  const auto journal = open();
  ASSERT_TRUE(journal->intend(kBox, kOwner).ok());
  const auto leases = journal->leases();
  ASSERT_TRUE(leases.ok());
  ASSERT_EQ(leases->size(), 1U);
  const Lease& lease = leases->front();
  EXPECT_EQ(lease.thing, kBox);
  EXPECT_EQ(lease.owner.id, kOwner.id);
  EXPECT_EQ(lease.owner.pid, kOwner.pid);
  EXPECT_EQ(lease.owner.started, kOwner.started);
  EXPECT_EQ(lease.owner.boot, kOwner.boot);
  EXPECT_EQ(lease.owner.namespaces, kOwner.namespaces);
  EXPECT_EQ(lease.owner.machine, kOwner.machine);
  EXPECT_EQ(lease.owner.user, kOwner.user);
  EXPECT_GE(lease.age_s, 0);
  ASSERT_TRUE(journal->settle(kBox, kOwner.id).ok());
  EXPECT_TRUE(journal->leases()->empty());
}

TEST_F(Journal, KeepsEveryKind) {
  const auto journal = open();
  for (const Kind kind : {Kind::container, Kind::volume, Kind::directory})
    ASSERT_TRUE(journal->intend({kind, "", "name"}, kOwner).ok());
  const auto leases = journal->leases();
  EXPECT_EQ(leases->at(0).thing.kind, Kind::container);
  EXPECT_EQ(leases->at(1).thing.kind, Kind::volume);
  EXPECT_EQ(leases->at(2).thing.kind, Kind::directory);
}

TEST_F(Journal, SettlesOneOfTwoAndNothingOfAnybodyElse) {
  const auto journal = open();
  Owner other = kOwner;
  other.id = "fedcba9876543210";
  for (const Owner* const owner : {&kOwner, &kOwner, static_cast<const Owner*>(&other)})
    ASSERT_TRUE(journal->intend(kBox, *owner).ok());
  ASSERT_TRUE(journal->settle(kBox, kOwner.id).ok());
  EXPECT_EQ(journal->leases()->size(), 2U);
  ASSERT_TRUE(journal->settle(kBox, kOwner.id).ok());
  ASSERT_TRUE(journal->settle(kBox, kOwner.id).ok());  // one that is not there
  const auto left = journal->leases();
  ASSERT_EQ(left->size(), 1U);
  EXPECT_EQ(left->front().owner.id, other.id);
}

TEST_F(Journal, TakesNamesAsTheyAre) {
  const auto journal = open();
  const Thing thing{Kind::volume, "tcp://[::1]:2375", "'); DROP TABLE lease; --\xff"};
  ASSERT_TRUE(journal->intend(thing, kOwner).ok());
  EXPECT_EQ(journal->leases()->front().thing, thing);
}

TEST_F(Journal, IsThisUsersAlone) {
  const auto journal = open();
  ASSERT_TRUE(journal->intend(kBox, kOwner).ok());
  EXPECT_EQ(mode_of(folder()), 0700U);
  for (const char* const suffix : {"", "-wal", "-shm"})
    EXPECT_EQ(mode_of(file().string() + suffix), 0600U) << suffix;
}

TEST_F(Journal, IsRefusedInAFolderThatIsOpenToOthers) {
  (void)open();
  fs::permissions(folder(), fs::perms::others_exec, fs::perm_options::add);
  EXPECT_EQ(refusal(), Errc::permission_denied);
}

TEST_F(Journal, IsRefusedInAFileThatIsOpenToOthers) {
  (void)open();
  fs::permissions(file(), fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(refusal(), Errc::permission_denied);
}

TEST_F(Journal, IsRefusedBehindALink) {
  (void)open();
  fs::rename(folder(), base_ / "elsewhere");
  fs::create_directory_symlink(base_ / "elsewhere", folder());
  EXPECT_NE(refusal(), Errc::conflict);
  fs::remove(folder());
  fs::rename(base_ / "elsewhere", folder());
  fs::rename(file(), base_ / "file");
  fs::create_symlink(base_ / "file", file());
  EXPECT_EQ(refusal(), Errc::permission_denied);
}

TEST_F(Journal, IsRefusedWhereNoPlaceIsKnown) {
  const auto opened = LeaseJournal::open("");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Errc::not_found);
}

TEST_F(Journal, IsRefusedWhereThereCanBeNoFolder) {
  std::ofstream(base_ / "state") << "a file";
  EXPECT_NE(refusal(), Errc::conflict);
}

TEST_F(Journal, SaysThatItIsDamagedAndBeginsAnewOnceDiscarded) {
  (void)open();
  fs::remove(file().string() + "-wal");
  std::ofstream(file()) << std::string(8192, 'x');
  EXPECT_EQ(refusal(), Errc::protocol);
  ASSERT_TRUE(LeaseJournal::discard(folder()).ok());
  EXPECT_TRUE(open()->leases()->empty());
}

TEST_F(Journal, IsLeftToTheNewerLazaretThatWroteIt) {
  (void)open();
  ASSERT_TRUE(Database::open(file())->run("PRAGMA user_version = 2").ok());
  EXPECT_EQ(refusal(), Errc::unsupported);
}

TEST_F(Journal, ServesTwoProcessesAtOnce) {
  constexpr int kEach = 100;
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal = LeaseJournal::open(folder());
    bool well = journal.ok();
    for (int count = 0; well && count < kEach; ++count)
      well = (*journal)->intend({Kind::volume, "", std::to_string(count)}, kOwner).ok();
    ::_exit(well ? 0 : 1);
  }
  const auto journal = open();
  ASSERT_NE(journal, nullptr);
  for (int count = 0; count < kEach; ++count)
    EXPECT_TRUE(journal->intend({Kind::container, "", std::to_string(count)}, kOwner).ok());
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(journal->leases()->size(), 2U * kEach);
}

TEST_F(Journal, KeepsWhatAProcessWroteThatWasKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal = LeaseJournal::open(folder());
    if (journal.ok() && (*journal)->intend(kBox, kOwner).ok()) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(open()->leases()->size(), 1U);
}

TEST_F(Journal, IsNotClosedByAFork) {
  auto journal = open();
  ASSERT_TRUE(journal->intend(kBox, kOwner).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    journal.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(journal->settle(kBox, kOwner.id).ok());
  EXPECT_TRUE(open()->leases()->empty());
}

TEST_F(Journal, ServesSeveralThreads) {
  const auto journal = open();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&journal] {
      for (int count = 0; count < 25; ++count) {
        EXPECT_TRUE(journal->intend(kBox, kOwner).ok());
        EXPECT_TRUE(journal->settle(kBox, kOwner.id).ok());
      }
    });
  }
  threads.clear();
  EXPECT_TRUE(journal->leases()->empty());
}

}  // namespace
}  // namespace lazaret::journal
