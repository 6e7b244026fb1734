#include "runner/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/runner/fake_wire.hpp"

namespace lazaret::runner {
namespace {

using lazaret::test::soon;
using test::FakeWire;
using test::Heard;
using testing::ElementsAre;

std::vector<std::byte> created(const std::string& path) {
  return encode(Event{Event::Kind::created, false, path, {}, 0});
}

/// A client that hears of files, and a runner that says these frames when it is told to move one.
class Watching : public testing::Test {
 protected:
  using Said = std::vector<std::pair<FrameType, std::vector<std::byte>>>;

  Result<Placed> move() { return client_.change({Change::Kind::move, "a", "b"}, soon()); }

  Said said_;
  std::vector<std::string> told_;
  FakeWire wire_{[this](FakeWire& runner, const Heard& frame) {
    if (frame.type != FrameType::change) return;
    for (const auto& [type, payload] : said_) runner.say(type, payload);
  }};
  Client client_{wire_, [this](const Event& event) { told_.push_back(event.path); }};
};

TEST_F(Watching, HearsOfFilesWhileItAwaitsSomethingElse) {
  ASSERT_TRUE(client_.watch(soon()).ok());
  said_ = {{FrameType::event, created("first")},
           {FrameType::event, created("second")},
           {FrameType::placed, encode(Placed{})},
           {FrameType::event, created("third")}};
  EXPECT_TRUE(move().ok());
  EXPECT_TRUE(client_.is_in_step());
  EXPECT_THAT(told_, ElementsAre("first", "second", "third"));
}

TEST_F(Watching, HearsNothingThatItHasNotAskedFor) {
  said_ = {{FrameType::event, created("first")}, {FrameType::placed, encode(Placed{})}};
  EXPECT_EQ(move().error().code(), Errc::protocol);
  EXPECT_THAT(told_, ElementsAre());
}

TEST_F(Watching, IsInStepWithHalfAnEventAndWithNothingElse) {
  ASSERT_TRUE(client_.watch(soon()).ok());
  const auto event = encode_frame(FrameType::event, created("first"));
  const auto other = encode_frame(FrameType::placed, encode(Placed{}));
  const auto cut = [](const std::vector<std::byte>& frame) {
    return std::vector<std::byte>(frame.begin(), frame.end() - 1);
  };
  said_ = {{FrameType::placed, encode(Placed{})}};
  EXPECT_TRUE(move().ok());
  EXPECT_TRUE(client_.is_in_step());
  wire_.say_bytes(cut(event));
  EXPECT_TRUE(client_.listen(Call{}.within(std::chrono::milliseconds(50))).ok());
  EXPECT_TRUE(client_.is_in_step());
  wire_.say_bytes(Bytes(event).last(1));
  wire_.say_bytes(cut(other));
  EXPECT_TRUE(client_.listen(Call{}.within(std::chrono::milliseconds(50))).ok());
  EXPECT_THAT(told_, ElementsAre("first"));
  EXPECT_FALSE(client_.is_in_step());
}

TEST_F(Watching, TakesNothingElseWhereItOnlyListens) {
  ASSERT_TRUE(client_.watch(soon()).ok());
  wire_.say(FrameType::placed, encode(Placed{}));
  EXPECT_EQ(client_.listen(soon()).error().code(), Errc::protocol);
  wire_.hang_up();
  EXPECT_EQ(client_.listen(soon()).error().code(), Errc::connection_lost);
}

TEST(ClientWatch, IsNoUseWhereNobodyHears) {
  FakeWire wire;
  EXPECT_EQ(Client(wire).watch(soon()).error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace lazaret::runner
