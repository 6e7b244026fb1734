#include "backend/docker/sweep.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "backend/docker/instance.hpp"
#include "unit/base/scratch.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::backend::docker::test {
namespace {

using engine::test::says;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPlace = "unix:///fake.sock";
constexpr const char* kName = "lazaret-0123456789abcdef-0";

// An engine that lists what a process was making when it was killed, whose row is new.
class SweepEngine : public testing::Test {
 protected:
  SweepEngine() {
    dead_.started = "1";  // what has our number now is another
    const Leases theirs(scratch_.path(), kPlace, dead_);
    EXPECT_TRUE(theirs.intend(journal::Kind::container, kName).ok());
  }
  [[nodiscard]] std::vector<Fate> fates_where_it_lists(const json& containers) {
    engine_.answers = {says(200, containers.dump()), says(200, R"({"Volumes":[]})")};
    for (std::size_t each = 0; each < containers.size(); ++each) {  // is killed, and removed
      engine_.answers.push_back(says(409, R"({"message":"is not running"})"));
      engine_.answers.push_back({.bytes = "HTTP/1.1 204 No Content\r\n\r\n"});
    }
    std::vector<Fate> fates;
    for (const Finding& finding : sweep_engine(client_, leases_, Act::remove, engine::test::soon()))
      fates.push_back(finding.fate);
    return fates;
  }
  [[nodiscard]] json container(const char* state) const {
    return json::array({{{"Id", "c0ffee"},
                         {"Names", {std::string("/") + kName}},
                         {"State", state},
                         {"Labels", labels_of(dead_, kName)}}});
  }
  [[nodiscard]] std::size_t rows() const { return leases_.left().size(); }

  const lazaret::test::Scratch scratch_;
  Instance dead_ = journal::this_process();
  const Leases leases_{scratch_.path(), kPlace, journal::this_process()};
  engine::test::FakeEngine engine_;
  const engine::EngineClient client_ = engine::test::client_of(engine_);
};

TEST_F(SweepEngine, IsDoneWithWhatHadBegunOnceThatIsRemoved) {
  EXPECT_THAT(fates_where_it_lists(container("running")), ElementsAre(Fate::removed));
  EXPECT_EQ(rows(), 0U);
}

TEST_F(SweepEngine, WaitsForWhatIsNotThereYet) {
  EXPECT_THAT(fates_where_it_lists(json::array()), ElementsAre(Fate::pending));
  EXPECT_EQ(rows(), 1U);
}

// A runner's volume is everybody's, and was on its way when its maker was killed.
TEST_F(SweepEngine, IsDoneWithWhatStaysOnceThatIsThere) {
  const Leases theirs(scratch_.path(), kPlace, dead_);
  theirs.settle(journal::Kind::container, kName);
  ASSERT_TRUE(theirs.intend(journal::Kind::volume, "lazaret-runner-1").ok());
  EXPECT_THAT(fates_where_it_lists(json::array()), ElementsAre(Fate::pending));
  EXPECT_EQ(rows(), 1U);
  auto labels = labels_of(dead_, "lazaret-runner-1");
  labels[kRunnerLabel] = "1";
  const json volumes = {{"Volumes", {{{"Name", "lazaret-runner-1"}, {"Labels", labels}}}}};
  engine_.answers = {says(200, "[]"), says(200, volumes.dump())};
  EXPECT_THAT(sweep_engine(client_, leases_, Act::remove, engine::test::soon()), IsEmpty());
  EXPECT_EQ(rows(), 0U);
}

// Docker has been seen to list one again that was removed while it was made.
TEST_F(SweepEngine, LooksAgainForWhatItRemovedWhileThatWasMade) {
  for (const char* const state : {"created", "removing"})
    EXPECT_THAT(fates_where_it_lists(container(state)), ElementsAre(Fate::removed, Fate::pending));
  EXPECT_EQ(rows(), 1U);
  EXPECT_THAT(fates_where_it_lists(container("exited")), ElementsAre(Fate::removed));
  EXPECT_THAT(fates_where_it_lists(json::array()), IsEmpty());
  EXPECT_EQ(rows(), 0U);
}

}  // namespace
}  // namespace lazaret::backend::docker::test
