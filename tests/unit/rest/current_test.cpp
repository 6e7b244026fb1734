#include "api/rest/current.hpp"

#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "api/rest/input.hpp"

namespace lazaret::rest {
namespace {

constexpr std::size_t kMuch = 256UL << 10, kTooMuch = 4UL << 20;

TEST(Current, WaitsUntilTheClientHasTakenSome) {
  Current current;
  EXPECT_TRUE(current.bring(kMuch, {}));
  const std::jthread client([&current] { current.take(kMuch); });
  EXPECT_TRUE(current.bring(1, {}));
}

TEST(Current, GivesUpAClientThatIsHopelesslyBehind) {
  Current current;
  std::stop_source stop;
  stop.request_stop();  // so that nobody waits
  EXPECT_TRUE(current.bring(kTooMuch, stop.get_token()));
  EXPECT_FALSE(current.bring(1, stop.get_token()));
  current.take(kTooMuch);
  EXPECT_TRUE(current.bring(1, stop.get_token()));
}

TEST(Input, HasNoEndAtATerminalButABound) {
  Input input(Input::Of::terminal);
  const std::string much(8UL << 20, 'x');
  EXPECT_TRUE(input.put(much));
  EXPECT_FALSE(input.put("y"));
  EXPECT_EQ(input.take({}).size(), much.size());
  EXPECT_TRUE(input.put("y"));
  EXPECT_EQ(input.take({}), "y");
}

TEST(Input, EndsOneByteAfterTheFirstMebibyteOfAStream) {
  Input input(Input::Of::stream);
  EXPECT_TRUE(input.put(std::string(3UL << 20, 'x')));
  EXPECT_EQ(input.take({}).size(), (1UL << 20) + 1);
  EXPECT_TRUE(input.put("y"));
  input.end();
  EXPECT_EQ(input.take({}), "");
}

}  // namespace
}  // namespace lazaret::rest
