#include "api/rest/talk.hpp"

#include <functional>
#include <future>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace lazaret::rest {
namespace {

// A program that ends with its first signal.
class Program {
 public:
  explicit Program(std::function<void()> started) : started_(std::move(started)) {}
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) {
    request.on_start([this](int signal) {
      sender = std::this_thread::get_id();
      got_.set_value(signal);
    });
    started_();
    number = got_.get_future().get();
    return {};
  }
  int number = 0;
  std::thread::id sender;

 private:
  std::function<void()> started_;
  std::promise<int> got_;
};

// Waiting for the program to take a signal would hold up every client.
TEST(Talk, SendsSignalsFromAThreadThatIsNotTheLoops) {
  boost::asio::io_context loop;
  auto work = boost::asio::make_work_guard(loop);
  const Bounds bounds;
  core::Service service({}, [](backend::BackendKind, const Call&) { return backend::Found{}; });
  Metrics metrics;
  std::optional<Talk> talk;
  Program program([&] {
    boost::asio::post(loop, [&] { talk->hear(R"({"signal": "USR1"})", Talk::Kind::text); });
  });
  const Runs::Execute execute = [&program](const ExecutionRequest& request) {
    return program.execute(request);
  };
  Workers workers(1, 1);
  Workers chores(1, 1);
  Runs runs(loop, execute, workers, bounds);
  Sessions sessions(loop, workers, chores, bounds);
  Workers signals(1, 1);
  Readiness readiness(loop, execute, chores);
  Desk desk{loop,   bounds, service, runs,      sessions, chores,
            chores, chores, chores,  chores,    signals, readiness, metrics, {}};
  talk.emplace(desk, "id");
  talk->when_changed([] {});
  runs.on_empty = [&work] { work.reset(); };
  talk->hear(R"({"code": "1"})", Talk::Kind::text);
  ASSERT_TRUE(talk->begun());
  loop.run();
  EXPECT_EQ(program.number, 10);
  EXPECT_NE(program.sender, std::this_thread::get_id());
}

}  // namespace
}  // namespace lazaret::rest
