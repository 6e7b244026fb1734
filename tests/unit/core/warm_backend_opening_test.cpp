#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "core/warm_backend.hpp"
#include "unit/core/fake_backend.hpp"
#include "unit/core/stage.hpp"

// How many boxes are made at once, and which wait from the start.
namespace lazaret::core {
namespace {

using namespace std::chrono_literals;
using test::FakeBackend;
using test::Script;

policy::Spec slow_spec() {
  policy::Spec spec = test::spec_of();
  spec.program.argv = {"slow"};
  return spec;
}

// A warm backend that makes one box at a time for those who ask, and is making a slow one.
class Opening : public testing::Test {
 protected:
  void SetUp() override {
    inside_->while_opening = [this](const policy::Spec& spec) {
      if (spec.program.argv.front() != "slow") return;
      is_making_ = true;
      while (!may_end_) std::this_thread::yield();
    };
    slow_ = std::jthread([this] { (void)warm_.open(slow_spec(), Call{}); });
    while (!is_making_) std::this_thread::yield();
  }
  void TearDown() override { end_slow(); }
  void end_slow() { may_end_ = true; }

  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  std::shared_ptr<FakeBackend> inside_ = std::make_shared<FakeBackend>(script_);
  WarmBackend warm_{inside_, {.most = 2, .settling = 0ms}, 1};
  std::atomic<bool> is_making_{false}, may_end_{false};
  std::jthread slow_;
};

TEST_F(Opening, HasSoManyMadeAtATimeAndNobodyWaitsLongerThanHeMay) {
  policy::Spec kept = test::spec_of();
  kept.keeps_box = true;
  for (const policy::Spec& spec : {test::spec_of(), kept}) {
    const auto box = warm_.open(spec, Call{}.within(10ms));
    ASSERT_FALSE(box.ok());
    EXPECT_EQ(box.error().code(), Errc::timed_out);
  }
  EXPECT_EQ(script_->opened, 1) << "nothing was asked of the backend inside";
  end_slow();
  EXPECT_TRUE(warm_.open(test::spec_of(), Call{}).ok());
  EXPECT_TRUE(warm_.open(kept, Call{}).ok());
}

TEST_F(Opening, HandsWhatWasMadeAheadMeanwhileToWhoHadToWait) {
  std::atomic<int> made_ahead{0};
  const auto ask = [this, &made_ahead] {
    const auto box = warm_.open(test::spec_of(), Call{});
    if (box.ok() && (*box)->is_made_ahead()) ++made_ahead;
  };
  {
    const std::jthread first(ask), second(ask);
    while (warm_.counts().waiting == 0) std::this_thread::yield();
    EXPECT_EQ(made_ahead, 0);
    end_slow();
  }
  EXPECT_GE(made_ahead, 1);
}

TEST(WarmBackend, HasWaitWhatItIsToldToBeforeAnybodyAsks) {
  const auto script = std::make_shared<Script>();
  WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 2});
  warm.keep(test::spec_of(), 2);
  while (warm.counts().waiting < 2) std::this_thread::yield();
  const auto box = warm.open(test::spec_of(), Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_TRUE((*box)->is_made_ahead());
  while (warm.counts().waiting < 2) std::this_thread::yield();
}

}  // namespace
}  // namespace lazaret::core
