#include "os/wire.hpp"

#include <array>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "soon.hpp"

namespace lazaret::os {
namespace {

using lazaret::test::soon;
using std::chrono::milliseconds;

struct Ends {
  std::unique_ptr<Wire> near, far;
};

Ends connected() {
  auto pair = stream_pair();
  EXPECT_TRUE(pair.ok());
  return {wire_over(std::move(pair->first)), wire_over(std::move(pair->second))};
}

std::string heard(Wire& wire, std::size_t size) {
  std::string text;
  std::array<std::byte, 4096> part;
  while (text.size() < size) {
    const auto count = wire.read(part, soon());
    if (!count.ok() || *count == 0) break;
    text += text_of(Bytes(part).first(*count));
  }
  return text;
}

TEST(WindowsWire, CarriesBytesBothWays) {
  const Ends ends = connected();
  ASSERT_TRUE(ends.near->write(bytes_of("question"), soon()).ok());
  EXPECT_EQ(heard(*ends.far, 8), "question");
  ASSERT_TRUE(ends.far->write(bytes_of("answer"), soon()).ok());
  EXPECT_EQ(heard(*ends.near, 6), "answer");
}

TEST(WindowsWire, WritesMoreThanThePipeHolds) {
  const Ends ends = connected();
  const std::string much(3'000'000, 'x');
  Status written;
  std::jthread writer([&] { written = ends.near->write(bytes_of(much), soon()); });
  const std::string text = heard(*ends.far, much.size());
  writer.join();
  EXPECT_TRUE(written.ok());
  EXPECT_TRUE(text == much);
}

TEST(WindowsWire, StopsReadingAtTheDeadline) {
  const Ends ends = connected();
  std::array<std::byte, 16> part;
  const auto count = ends.near->read(part, Call{}.within(milliseconds(20)));
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code(), Errc::timed_out);
}

TEST(WindowsWire, StopsWritingAtTheDeadline) {
  const Ends ends = connected();
  const std::string much(3'000'000, 'x');
  const Status written = ends.near->write(bytes_of(much), Call{}.within(milliseconds(20)));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code(), Errc::timed_out);
}

TEST(WindowsWire, StopsReadingWhenCancelledFromAnotherThread) {
  const Ends ends = connected();
  std::stop_source stop;
  std::jthread other([&] { stop.request_stop(); });
  std::array<std::byte, 16> part;
  const auto count = ends.near->read(part, Call{soon().deadline, stop.get_token()});
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code(), Errc::cancelled);
}

TEST(WindowsWire, GoesOnAfterACancelledRead) {
  const Ends ends = connected();
  std::array<std::byte, 16> part;
  ASSERT_FALSE(ends.near->read(part, Call{}.within(milliseconds(1))).ok());
  ASSERT_TRUE(ends.far->write(bytes_of("late"), soon()).ok());
  EXPECT_EQ(heard(*ends.near, 4), "late");
}

TEST(WindowsWire, ReadsWhatWasSentBeforeThePeerClosedAndThenTheEnd) {
  Ends ends = connected();
  ASSERT_TRUE(ends.far->write(bytes_of("last words"), soon()).ok());
  ends.far.reset();
  EXPECT_EQ(heard(*ends.near, 10), "last words");
  std::array<std::byte, 16> part;
  const auto count = ends.near->read(part, soon());
  ASSERT_TRUE(count.ok()) << count.error().message();
  EXPECT_EQ(*count, 0U);
}

TEST(WindowsWire, SaysThatThePeerIsGoneWhenWriting) {
  Ends ends = connected();
  ends.far.reset();
  const Status written = ends.near->write(bytes_of("anybody?"), soon());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code(), Errc::connection_lost);
}

TEST(WindowsWire, RefusesWhatPipesCannotDo) {
  const Ends ends = connected();
  EXPECT_EQ(ends.near->close_write().error().code(), Errc::unsupported);
  EXPECT_EQ(connect_unix("/run/engine.sock", soon()).error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace lazaret::os
