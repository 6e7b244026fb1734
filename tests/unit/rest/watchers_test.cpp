#include "api/rest/watchers.hpp"

#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

TEST(Watchers, AreCalledUntilTheyLeave) {
  Watchers watchers;
  int first = 0, second = 0;
  const Watchers::Id id = watchers.add([&] { ++first; });
  watchers.add([&] { ++second; });
  watchers.call();
  watchers.remove(id);
  watchers.call();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST(Watchers, MayRemoveThemselvesAndOthersWhileTheyAreCalled) {
  Watchers watchers;
  int called = 0;
  Watchers::Id first = 0, second = 0;
  first = watchers.add([&] {
    ++called;
    watchers.remove(first);
    watchers.remove(second);
  });
  second = watchers.add([&] { ++called; });
  watchers.call();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(watchers.empty());
}

}  // namespace
}  // namespace lazaret::rest
