#include "core/stdin_feed.hpp"

#include <condition_variable>

#include <gtest/gtest.h>

#include "soon.hpp"
#include "unit/runner/fake_wire.hpp"
#include "without_threads.hpp"

namespace lazaret::core {
namespace {

using lazaret::test::soon;
using runner::FrameType;
using runner::kStdinWindow;
using runner::test::FakeWire;
using runner::test::Heard;

constexpr std::size_t kMost = 1UL << 20;

// A program that reads everything at once: each piece is credited as it comes.
struct Reader {
  FakeWire wire{[this](FakeWire&, const Heard& frame) { take(frame); }};
  runner::Client client{wire};

  void take(const Heard& frame) {
    const std::scoped_lock lock(mutex);
    if (frame.type == FrameType::stdin_data) text += frame.payload;
    largest = std::max(largest, frame.payload.size());
    ended = ended || frame.type == FrameType::stdin_end;
    changed.notify_all();
  }
  // Credits until the end of the input has been seen.
  void drain(StdinFeed& feed) {
    std::size_t credited = 0;
    std::unique_lock lock(mutex);
    while (!ended) {
      changed.wait(lock, [&] { return ended || text.size() > credited; });
      const auto fresh = static_cast<std::uint32_t>(text.size() - credited);
      credited = text.size();
      lock.unlock();
      feed.credit(fresh);
      lock.lock();
    }
  }
  void wait_for(std::size_t bytes) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return text.size() >= bytes; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::string text;
  std::size_t largest = 0;
  bool ended = false;
};

ExecutionRequest with_data(std::string data) {
  ExecutionRequest request;
  request.stdin_data = std::move(data);
  return request;
}
ExecutionRequest with_source(std::function<std::string(std::stop_token)> source) {
  ExecutionRequest request;
  request.stdin_source = std::move(source);
  return request;
}

// A source that gives `pieces` pieces and then the end.
std::function<std::string(std::stop_token)> source_of(std::size_t pieces, std::size_t piece_bytes) {
  return [left = pieces, piece_bytes](const std::stop_token&) mutable {
    if (left == 0) return std::string();
    --left;
    return std::string(piece_bytes, 's');
  };
}

TEST(StdinFeed, EndsTheInputAtOnceWhenThereIsNone) {
  Reader reader;
  const ExecutionRequest request;
  StdinFeed feed(reader.client, request, soon());
  EXPECT_TRUE(reader.ended);
  EXPECT_EQ(reader.text, "");
}

TEST(StdinFeed, EndsTheInputAndSaysWhyWhereThereIsNoThread) {
  EXPECT_TRUE(lazaret::test::holds_without_threads([] {
    Reader reader;
    const ExecutionRequest request = with_data("input");
    StdinFeed feed(reader.client, request, soon());
    return reader.ended && feed.trouble().find("for want of a thread") != std::string::npos;
  }));
}

TEST(StdinFeed, SendsDataAndThenTheEnd) {
  Reader reader;
  const ExecutionRequest request = with_data("input");
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text, "input");
  EXPECT_EQ(feed.trouble(), "");
}

TEST(StdinFeed, SendsNoMoreThanTheWindowBeforeTheProgramTakesSome) {
  Reader reader;
  const ExecutionRequest request = with_data(std::string(200'000, 'x'));
  StdinFeed feed(reader.client, request, soon());
  reader.wait_for(kStdinWindow);
  {
    const std::scoped_lock lock(reader.mutex);
    EXPECT_EQ(reader.text.size(), kStdinWindow);
  }
  feed.credit(1);
  reader.wait_for(kStdinWindow + 1);
  const std::scoped_lock lock(reader.mutex);
  EXPECT_EQ(reader.text.size(), kStdinWindow + 1);
}

TEST(StdinFeed, DoesNotBelieveMoreCreditThanTheWindow) {
  Reader reader;
  const ExecutionRequest request = with_data(std::string(400'000, 'x'));
  StdinFeed feed(reader.client, request, soon());
  reader.wait_for(kStdinWindow);
  feed.credit(0xFFFFFFFF);
  reader.wait_for(2UL * kStdinWindow);
  const std::scoped_lock lock(reader.mutex);
  EXPECT_EQ(reader.text.size(), 2UL * kStdinWindow);
}

TEST(StdinFeed, CarriesAMegabyteInFramesOfTheWindowAtMost) {
  Reader reader;
  const ExecutionRequest request = with_data(std::string(kMost, 'x'));
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text.size(), kMost);
  EXPECT_LE(reader.largest, kStdinWindow);
  EXPECT_EQ(feed.trouble(), "");
}

TEST(StdinFeed, StreamsASource) {
  Reader reader;
  const ExecutionRequest request = with_source(source_of(3, 5));
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text, std::string(15, 's'));
}

TEST(StdinFeed, TakesASourceAtTheLimitWithoutACut) {
  Reader reader;
  const ExecutionRequest request = with_source(source_of(16, kMost / 16));
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text.size(), kMost);
  EXPECT_EQ(feed.trouble(), "");
}

TEST(StdinFeed, CutsASourceOneBytePastTheLimitAndSaysSo) {
  Reader reader;
  const ExecutionRequest request = with_source(source_of(1, kMost + 1));
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text.size(), kMost);
  EXPECT_EQ(feed.trouble(), "standard input was cut at 1 MiB");
}

TEST(StdinFeed, CutsNothingOfWhatIsRelayed) {
  Reader reader;
  const ExecutionRequest request = with_source(source_of(1, kMost + 1));
  StdinFeed feed(reader.client, request, soon(), policy::Streams::relayed);
  reader.drain(feed);
  EXPECT_EQ(reader.text.size(), kMost + 1);
  EXPECT_EQ(feed.trouble(), "");
}

TEST(StdinFeed, SaysThatItCutASourceWhosePiecesEndExactlyAtTheLimit) {
  Reader reader;
  const ExecutionRequest request = with_source(source_of(17, kMost / 16));
  StdinFeed feed(reader.client, request, soon());
  reader.drain(feed);
  EXPECT_EQ(reader.text.size(), kMost);
  EXPECT_EQ(feed.trouble(), "standard input was cut at 1 MiB");
}

TEST(StdinFeed, StopsASourceThatWaits) {
  Reader reader;
  const ExecutionRequest request = with_source([](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    (void)changed.wait(lock, stop, [] { return false; });
    return std::string();
  });
  { StdinFeed feed(reader.client, request, soon()); }
  SUCCEED();
}

TEST(StdinFeed, StopsWhileTheProgramDoesNotRead) {
  Reader reader;
  const ExecutionRequest request = with_data(std::string(kMost, 'x'));
  {
    StdinFeed feed(reader.client, request, soon());
    reader.wait_for(kStdinWindow);
  }
  EXPECT_EQ(reader.text.size(), kStdinWindow);
}

}  // namespace
}  // namespace lazaret::core
