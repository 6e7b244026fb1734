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
  current.take(1);  // what was not brought is not on its way
  EXPECT_TRUE(current.bring(1, stop.get_token()));
  EXPECT_FALSE(current.bring(1, stop.get_token()));
}

TEST(Input, HasNoEndAtATerminalButABound) {
  Input input(Input::Of::terminal);
  const std::string much(2UL << 20, 'x');
  EXPECT_TRUE(input.put(much));
  EXPECT_FALSE(input.put("y"));
  EXPECT_EQ(input.take({}).size(), 64UL << 10);
  EXPECT_TRUE(input.put("y"));
}

TEST(Input, EndsOneByteAfterTheFirstMebibyteOfAStream) {
  Input input(Input::Of::stream);
  EXPECT_TRUE(input.put(std::string(3UL << 20, 'x')));
  EXPECT_TRUE(input.put("y"));
  input.end();
  std::size_t taken = 0;
  for (std::string piece = input.take({}); !piece.empty(); piece = input.take({}))
    taken += piece.size();
  EXPECT_EQ(taken, (1UL << 20) + 1);
}

}  // namespace
}  // namespace lazaret::rest
