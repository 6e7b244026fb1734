#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "core/warm_backend.hpp"
#include "unit/core/fake_backend.hpp"
#include "unit/core/stage.hpp"

// Boxes that their users keep, such as those of sessions.
namespace lazaret::core {
namespace {

using test::FakeBackend;
using test::Script;

// Who keeps a box says when it is to end, and is told whether it has.
TEST(WarmBackend, EndsABoxThatIsKeptWhenItsUserSaysSo) {
  const auto script = std::make_shared<Script>();
  WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 0});
  policy::Spec spec = test::spec_of();
  spec.keeps_box = true;
  const auto box = warm.open(spec, Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_TRUE((*box)->dispose(Call{}).ok());
  EXPECT_EQ(script->disposed, 1);
  script->dispose_fails = true;
  EXPECT_FALSE((*box)->dispose(Call{}).ok());
  script->dispose_fails = false;
}

TEST(WarmBackend, PassesOnWhatABoxHasForItsUser) {
  const auto script = std::make_shared<Script>();
  script->others = 3;
  script->has_way_out = true;
  WarmBackend warm(std::make_shared<FakeBackend>(script), {});
  const auto box = warm.open(test::spec_of(), Call{});
  ASSERT_TRUE(box.ok());
  EXPECT_EQ((*box)->others(), 3U);
  EXPECT_TRUE((*box)->take_way_out().valid());
}

// Who keeps a box would say it of each of his runs.
TEST(WarmBackend, LeavesComplaintsToThoseWhoAreDoneSoon) {
  const auto script = std::make_shared<Script>();
  WarmBackend warm(std::make_shared<FakeBackend>(script), {.most = 0});
  policy::Spec spec = test::spec_of();
  script->dispose_fails = true;
  (void)warm.open(spec, Call{});
  while (script->disposed < 1) std::this_thread::yield();
  while (warm.counts().leaving > 0) std::this_thread::yield();
  spec.keeps_box = true;
  EXPECT_TRUE((*warm.open(spec, Call{}))->warnings().empty());
  spec.keeps_box = false;
  EXPECT_FALSE((*warm.open(spec, Call{}))->warnings().empty());
}

}  // namespace
}  // namespace lazaret::core
