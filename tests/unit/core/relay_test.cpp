#include "core/relay.hpp"
#include "soon.hpp"

#include <array>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/guarded.hpp"
#include "os/wire.hpp"

namespace lazaret::core {
namespace {

using lazaret::test::soon;

std::string frame(char kind, unsigned number, std::string_view payload = "") {
  std::string text(1, kind);
  for (const std::size_t word : {std::size_t{number}, payload.size()}) {
    text += static_cast<char>(word >> 8);
    text += static_cast<char>(word & 0xFF);
  }
  return text + std::string(payload);
}

// A relay to hosts that are the other ends of pairs; "nowhere" is none.
class Relays : public testing::Test {
 protected:
  Result<std::unique_ptr<Wire>> connect(const Endpoint& to) {
    if (to.host == "nowhere") return Error(Errc::connection_refused, "nobody is there");
    auto ends = os::stream_pair();
    if (!ends.ok()) return ends.error();
    far_.with([&](auto& far) { far[to.host] = os::wire_over(std::move(ends->second)); });
    return os::wire_over(std::move(ends->first));
  }
  Wire& far(const std::string& host) {
    return far_.with([&host](auto& far) -> Wire& { return *far.at(host); });
  }
  // So many bytes for the program, or what there is until its time is over.
  std::string hear(std::size_t bytes) {
    std::stop_source stop;
    const std::jthread clock([&stop](const std::stop_token& done) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (!done.stop_requested() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      stop.request_stop();
    });
    while (said_.size() < bytes) {
      const std::string piece = relay_.next(stop.get_token());
      if (piece.empty()) break;
      said_ += piece;
    }
    const std::string heard = said_.substr(0, bytes);
    said_.erase(0, bytes);
    return heard;
  }

  std::string said_;
  Guarded<std::map<std::string, std::unique_ptr<Wire>>> far_;
  Relay relay_{[this](const Endpoint& to, const Call&) { return connect(to); }};
};

std::string read_all(Wire& wire) {
  std::string text;
  std::array<std::byte, 4096> room;
  for (auto count = wire.read(room, soon()); count.ok() && *count > 0;
       count = wire.read(room, soon()))
    text += text_of(Bytes(room).first(*count));
  return text;
}

TEST_F(Relays, CarryBothWaysUntilBothHaveEnded) {
  relay_.hear(frame('o', 7, "one:443") + frame('o', 9, "two:443"));
  std::string stand = hear(10);
  EXPECT_THAT(stand, testing::AnyOf(frame('o', 7) + frame('o', 9), frame('o', 9) + frame('o', 7)));
  relay_.hear(frame('d', 7, "there") + frame('e', 7) + frame('d', 9, "too") + frame('e', 9));
  EXPECT_EQ(read_all(far("one")), "there");
  EXPECT_EQ(read_all(far("two")), "too");
  ASSERT_TRUE(far("one").write(bytes_of("back"), soon()).ok());
  EXPECT_EQ(hear(9), frame('d', 7, "back"));
  ASSERT_TRUE(far("one").close_write().ok());
  EXPECT_EQ(hear(5), frame('e', 7));
  EXPECT_FALSE(relay_.trouble());
}

TEST_F(Relays, TakeFramesHoweverTheyAreCut) {
  for (const char letter : frame('o', 0xABCD, "one:443")) relay_.hear(std::string(1, letter));
  EXPECT_EQ(hear(5), frame('o', 0xABCD));
  const std::string much(0xFFFF, 'm');
  const std::string text = frame('d', 0xABCD, much) + frame('d', 0xABCD) + frame('e', 0xABCD);
  const std::jthread writer([&] {
    relay_.hear(text.substr(0, 4));
    relay_.hear(text.substr(4));
  });
  EXPECT_EQ(read_all(far("one")), much);
}

TEST_F(Relays, SayWhyThereIsNoConnection) {
  relay_.hear(frame('o', 1, "nowhere:443"));
  EXPECT_EQ(hear(5 + 15), frame('f', 1, "nobody is there"));
  ASSERT_TRUE(relay_.trouble());
  EXPECT_EQ(relay_.trouble()->code(), Errc::connection_refused);
  relay_.hear(frame('o', 2, "one"));
  EXPECT_EQ(hear(5 + 16), frame('f', 2, "no host and port"));
}

TEST_F(Relays, HaveSixtyFourAtATime) {
  for (unsigned number = 1; number <= 64; ++number)
    relay_.hear(frame('o', number, "h" + std::to_string(number) + ":443"));
  hear(64UL * 5);
  relay_.hear(frame('o', 65, "one:443"));
  EXPECT_EQ(hear(5 + 20), frame('f', 65, "too many connections"));
  relay_.hear(frame('c', 64));
  EXPECT_EQ(hear(5), frame('e', 64));
  for (std::string said; said != frame('o', 66);) {  // its thread may not have ended yet
    relay_.hear(frame('o', 66, "one:443"));
    said = hear(5);
    if (said[0] == 'f') hear(20);
  }
}

TEST_F(Relays, HaveFourThousandAndNinetySixInAll) {
  for (unsigned number = 1; number <= 4096; ++number) {
    relay_.hear(frame('o', number, "nowhere:443"));
    ASSERT_EQ(hear(20), frame('f', number, "nobody is there"));
  }
  relay_.hear(frame('o', 4097, "nowhere:443"));
  EXPECT_EQ(hear(25), frame('f', 4097, "too many connections"));
}

TEST_F(Relays, HearSoMuchAndNoMore) {
  const std::string open = frame('o', 1, "one:443");
  const std::string piece = frame('d', 2, std::string((1 << 15) - 5, 'm'));  // nobody's
  for (int heard = 1; heard < 1 << 13; ++heard) relay_.hear(piece);
  relay_.hear(frame('d', 2, std::string(piece.size() - open.size() - 5, 'm')) + open);
  EXPECT_EQ(hear(5), frame('o', 1));
  ASSERT_TRUE(far("one").write(bytes_of("x"), soon()).ok());
  EXPECT_EQ(hear(6), frame('d', 1, "x"));
  relay_.hear("d");  // one byte more
  ASSERT_TRUE(far("one").write(bytes_of("x"), soon()).ok());
  EXPECT_EQ(hear(6), "");
}

// It is the run's own thread that hears.
TEST_F(Relays, WaitForNobodyWhoDoesNotRead) {
  relay_.hear(frame('o', 1, "one:443") + frame('o', 2, "two:443"));
  hear(10);
  const std::string much(0xFFFF, 'm');
  for (int piece = 0; piece < 64; ++piece) relay_.hear(frame('d', 1, much));  // nobody reads one
  relay_.hear(frame('d', 2, "heard") + frame('e', 2));
  EXPECT_EQ(read_all(far("two")), "heard");
  EXPECT_EQ(hear(5), frame('e', 1));  // too much waited
}

// One number is one connection's; what is sent into none is nobody's.
TEST_F(Relays, OpenNoneTwice) {
  relay_.hear(frame('d', 1, "lost") + frame('e', 2) + frame('c', 3) + frame('o', 1, "one:443"));
  EXPECT_EQ(hear(5), frame('o', 1));
  relay_.hear(frame('o', 1, "two:443"));
  EXPECT_EQ(hear(1), "f");
  relay_.hear(frame('d', 1, "kept") + frame('e', 1));
  EXPECT_EQ(read_all(far("one")), "kept");
}

TEST_F(Relays, EndWithWhatIsNoFrame) {
  for (const char kind : {'f', 'x', '\0'}) {
    Relay relay([this](const Endpoint& to, const Call&) { return connect(to); });
    relay.hear(frame(kind, 1));
    EXPECT_EQ(relay.next({}), "");
  }
}

// Nobody reads what one sends, and nobody sends what another waits for.
TEST_F(Relays, EndWhileTheyCarry) {
  {
    Relay relay([this](const Endpoint& to, const Call&) { return connect(to); });
    relay.hear(frame('o', 1, "one:443") + frame('o', 2, "two:443"));
    for (std::size_t heard = 0; heard < 10;) heard += relay.next({}).size();
    const std::string much(4 << 20, 'm');
    EXPECT_FALSE(
        far("one").write(bytes_of(much), Call{}.within(std::chrono::milliseconds(200))).ok());
  }
  EXPECT_EQ(read_all(far("two")), "");
}

}  // namespace
}  // namespace lazaret::core
