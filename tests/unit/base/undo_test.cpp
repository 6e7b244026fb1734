#include "base/undo.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(Undo, TakesStepsBackInReverseOrder) {
  std::string order;
  {
    Undo undo;
    undo.add([&order] { order += 'a'; });
    undo.add([&order] { order += 'b'; });
    undo.add([&order] { order += 'c'; });
    EXPECT_EQ(order, "");
  }
  EXPECT_EQ(order, "cba");
}

TEST(Undo, DoesNothingOnceReleased) {
  std::string order;
  {
    Undo undo;
    undo.add([&order] { order += 'a'; });
    undo.release();
  }
  EXPECT_EQ(order, "");
}

TEST(Undo, TakesBackOnlyWhatCameAfterTheRelease) {
  std::string order;
  {
    Undo undo;
    undo.add([&order] { order += 'a'; });
    undo.release();
    undo.add([&order] { order += 'b'; });
  }
  EXPECT_EQ(order, "b");
}

}  // namespace
}  // namespace lazaret
