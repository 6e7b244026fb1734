#include <csignal>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "backend/docker/instance.hpp"
#include "integration/daemon.hpp"
#include "integration/killed_bed.hpp"
#include "journal/database.hpp"
#include "os/wire.hpp"

// What a killed Lazaret has left where nobody comes by, or where its engine is late.
namespace lazaret::test {
namespace {

class KilledLate : public KilledBed {
 protected:
  // Who has died before anybody looks.
  static journal::Owner dead() {
    auto owner = journal::this_process();
    owner.started = "1";  // its number was given again
    return owner;
  }
  // Of daemon().
  [[nodiscard]] bool is_ready() const {
    auto wire = os::connect_unix(folder_.path() + "/daemon.sock", Call{}.within(5s));
    return wire.ok() && reply_on(std::move(*wire), "GET", "/v1/ready", "").status == 200;
  }
  // As one that has asked for this container so long ago.
  void intend(const std::string& name, std::chrono::seconds ago) const {
    auto journal = journal::LeaseJournal::open(state_ + "/lazaret");
    ASSERT_TRUE(journal.ok());
    const journal::Thing thing{journal::Kind::container, client().endpoint(), name};
    ASSERT_TRUE((*journal)->intend(thing, dead()).ok());
    auto rows = journal::Database::open(state_ + "/lazaret/leases.db");
    ASSERT_TRUE(rows.ok());
    ASSERT_TRUE(rows->run("UPDATE lease SET created = created - ?1 WHERE name = ?2",
                          {std::to_string(ago.count()), name})
                    .ok());
  }
  [[nodiscard]] Victim daemon() const {
    return program({"serve", "--type", GetParam(), "--host", host_, "--socket",
                    folder_.path() + "/daemon.sock"});
  }
  static void end(pid_t daemon) {
    ::kill(daemon, SIGTERM);
    int status = -1;
    EXPECT_EQ(::waitpid(daemon, &status, 0), daemon);
    EXPECT_EQ(status, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(EachEngine, KilledLate, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(KilledLate, IsLookedForUntilNoEngineCanStillMakeIt_P45) {
  const std::string name = unique_marker();
  intend(name + "-late", 200s);
  intend(name + "-never", 301s);
  const auto [status, said] = gc();
  EXPECT_EQ(status, 0) << said.dump(2);
  EXPECT_TRUE(said["findings"].empty()) << said.dump(2);
  ASSERT_EQ(rows_of_the_dead().size(), 1U);
  EXPECT_EQ(rows_of_the_dead().front().thing.name, name + "-late");
  create(name + "-late", backend::docker::labels_of(dead(), "x"));
  EXPECT_EQ(walk(box_of({"true"}), std::nullopt).status, 0);
  EXPECT_EQ(things(), before_);
  EXPECT_TRUE(rows_of_the_dead().empty());
}

TEST_P(KilledLate, IsClearedByTheStartOfTheDaemon_P45) {
  const std::string marker = unique_marker();
  const DeadRun dead(box_of({"sh", "-c", "sleep 300; :", marker}), marker);
  ASSERT_NE(things(), before_);
  const pid_t serving = start(daemon());
  EXPECT_TRUE(becomes_true(60s, [this] { return things() == before_; }));
  end(serving);
}

// It looks around when its trial is over, and takes what has died until then.
TEST_P(KilledLate, IsClearedByADaemonThatIsThereAlready_P45) {
  const pid_t serving = start(daemon());
  EXPECT_TRUE(becomes_true(60s, [this] { return is_ready(); }));
  EXPECT_TRUE(becomes_true(20s, [this] { return things() == before_; }));
  for (int turn = 0; turn < 5 && things() == before_; ++turn) {
    const std::string marker = unique_marker();
    const DeadRun dead(box_of({"sh", "-c", "sleep 300; :", marker}), marker);
  }
  EXPECT_NE(things(), before_);
  EXPECT_TRUE(becomes_true(60s, [this] { return things() == before_; }));
  end(serving);
}

}  // namespace
}  // namespace lazaret::test
