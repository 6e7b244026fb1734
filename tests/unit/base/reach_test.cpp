#include "base/reach.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(Reach, LeadsToItsTargetAsLongAsItExists) {
  std::string target;
  std::function<void(char, int)> add;
  {
    const Reach<std::string> reach(target);
    add = reach.by([](std::string& text, char letter, int count) {
      text.append(static_cast<std::size_t>(count), letter);
    });
    add('a', 2);
  }
  add('b', 1);
  EXPECT_EQ(target, "aa");
}

}  // namespace
}  // namespace lazaret
