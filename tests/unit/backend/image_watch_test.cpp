#include "backend/docker/image_watch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "os/wire.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::backend::docker::test {
namespace {

using engine::test::FakeDialer;
using engine::test::FakeEngine;

/// Negotiates as a fake; every later connection is a real one, whose other end is ours.
class EventsDialer final : public engine::Dialer {
 public:
  Result<std::unique_ptr<Wire>> dial(const Call& call) override {
    if (!engine_.answers.empty()) return FakeDialer(engine_).dial(call);
    if (refuses) return Error(Errc::connection_refused, "nobody listens");
    auto ends = os::stream_pair();
    if (!ends.ok()) return std::move(ends).error();
    const std::scoped_lock lock(mutex_);
    theirs_.push_back(os::wire_over(std::move(ends->first)));
    return os::wire_over(std::move(ends->second));
  }
  [[nodiscard]] std::string endpoint() const override { return "unix:///fake.sock"; }

  void script() { engine::test::script_negotiation(engine_, engine::Kind::docker); }
  void say(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    EXPECT_TRUE(theirs_.back()->write(bytes_of(text), lazaret::test::soon()).ok());
  }
  void hang_up() {
    const std::scoped_lock lock(mutex_);
    theirs_.back().reset();
  }
  [[nodiscard]] std::size_t connections() {
    const std::scoped_lock lock(mutex_);
    return theirs_.size();
  }

  std::atomic<bool> refuses = false;

 private:
  FakeEngine engine_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Wire>> theirs_;
};

template <class Holds>
bool soon_holds(Holds holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!holds() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return holds();
}

class ImageWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    auto dialer = std::make_unique<EventsDialer>();
    dialer->script();
    engine_ = dialer.get();
    auto made = engine::EngineClient::negotiate(std::move(dialer), {}, lazaret::test::soon());
    ASSERT_TRUE(made.ok());
    client_ = std::make_shared<const engine::EngineClient>(std::move(made).value());
  }
  void answer() { engine_->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"); }
  void listen(ImageWatch& watch) {
    watch.listen();
    ASSERT_TRUE(soon_holds([&] { return engine_->connections() == 1; }));
    answer();
    ASSERT_TRUE(soon_holds([&] { return watch.edition().has_value(); }));
  }
  void tell() { engine_->say("14\r\n{\"Type\":\"image\"}\n   \r\n"); }

  EventsDialer* engine_ = nullptr;
  std::shared_ptr<const engine::EngineClient> client_;
};

TEST_F(ImageWatchTest, KnowsNothingBeforeItListensAndIsAnswered) {
  ImageWatch watch(client_);
  EXPECT_FALSE(watch.edition());
  EXPECT_EQ(engine_->connections(), 0U);
  watch.listen();
  watch.listen();
  ASSERT_TRUE(soon_holds([&] { return engine_->connections() == 1; }));
  EXPECT_FALSE(watch.edition()) << "what happens now may be missed";
  answer();
  EXPECT_TRUE(soon_holds([&] { return watch.edition().has_value(); }));
}

TEST_F(ImageWatchTest, HasAnotherEditionAfterEachPieceOfNews) {
  ImageWatch watch(client_);
  ASSERT_NO_FATAL_FAILURE(listen(watch));
  const auto first = watch.edition();
  tell();
  EXPECT_TRUE(soon_holds([&] { return watch.edition() && watch.edition() != first; }));
}

TEST_F(ImageWatchTest, KnowsNothingWhileItIsCutOffAndHasAnotherEditionThen) {
  ImageWatch watch(client_);
  ASSERT_NO_FATAL_FAILURE(listen(watch));
  const auto first = watch.edition();
  engine_->hang_up();
  EXPECT_TRUE(soon_holds([&] { return !watch.edition(); }));
  ASSERT_TRUE(soon_holds([&] { return engine_->connections() == 2; }));
  answer();
  EXPECT_TRUE(soon_holds([&] { return watch.edition() && watch.edition() != first; }));
}

// Who stops a thread wakes it by a descriptor, which a fork shares.
TEST_F(ImageWatchTest, StopsNobodysThreadInAFork) {
  auto watch = std::make_unique<ImageWatch>(client_);
  ASSERT_NO_FATAL_FAILURE(listen(*watch));
  const pid_t fork = ::fork();
  if (fork == 0) {
    ::alarm(5);
    watch.reset();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(fork, &status, 0), fork);
  EXPECT_EQ(status, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(watch->edition()) << "the fork has ended what its parent hears by";
}

TEST_F(ImageWatchTest, EndsAtOnceWhileItWaitsForAnEngineThatIsAway) {
  engine_->refuses = true;
  const auto begun = std::chrono::steady_clock::now();
  {
    ImageWatch watch(client_);
    watch.listen();
    EXPECT_FALSE(watch.edition());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(900));
}

}  // namespace
}  // namespace lazaret::backend::docker::test
