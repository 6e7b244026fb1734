#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Who watches a session is told what changes in it, whoever changes it.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Not;

/// Watches in a thread of its own, from the moment that it has begun until it goes.
class Watcher {
 public:
  Watcher(const Session& session, const std::string& path) {
    thread_ = std::jthread([this, &session, path](const std::stop_token& stop) {
      ended_ = session.watch(path, [this](const FileChange& change) { take(change); }, stop);
    });
    EXPECT_TRUE(hears("begun "));
  }
  ~Watcher() { (void)end(); }

  // Within a time that a busy machine needs, not a quiet one.
  bool hears(const std::string& text) {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, 20s, [&] { return std::ranges::find(told_, text) != told_.end(); });
  }
  std::vector<std::string> told() {
    const std::scoped_lock lock(mutex_);
    return told_;
  }
  // How watch() has ended, of itself or by this.
  Status end() {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    return ended_;
  }
  Status ended() {
    if (thread_.joinable()) thread_.join();
    return ended_;
  }

 private:
  void take(const FileChange& change) {
    const std::scoped_lock lock(mutex_);
    std::string text = std::string(name_of(change.kind)) + " " + change.path;
    if (!change.target.empty()) text += " " + change.target;
    told_.push_back(text + (change.is_directory ? "/" : ""));
    came_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::string> told_;
  Status ended_;
  std::jthread thread_;
};

class SessionWatchOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
    auto session = sandbox_->open_session({});
    if (!session.ok()) throw std::runtime_error(session.error().message());
    session_.emplace(std::move(session).value());
  }

  std::optional<CodeSandbox> sandbox_;
  std::optional<Session> session_;
};

TEST_P(SessionWatchOn, IsToldWhileAProgramRuns) {
  Watcher watcher(*session_, ".");
  ExecutionRequest request = bash("mkdir made; echo text > made/file; read word; echo $word");
  Session& session = *session_;
  std::jthread run([&session, request] {
    ExecutionRequest timed = request;
    timed.limits.timeout = 30s;
    timed.stdin_data = "on\n";
    EXPECT_EQ(session.execute(timed).stdout_text, "on\n");
  });
  EXPECT_TRUE(watcher.hears("written made/file"));
  run.join();
  EXPECT_THAT(watcher.told(), Contains("created made/"));
  EXPECT_TRUE(session.execute(bash("mv made there; rm there/file; rmdir there")).success());
  EXPECT_TRUE(watcher.hears("removed there/"));
  EXPECT_THAT(watcher.told(), AllOf(Contains("moved made there/"), Contains("removed there/file")));
  EXPECT_TRUE(watcher.end().ok());
  EXPECT_EQ(session.state(), SessionState::ready);
}

TEST_P(SessionWatchOn, IsToldWhatOthersPutMoveAndRemove) {
  Watcher all(*session_, "."), some(*session_, "data/in");
  ASSERT_TRUE(session_->put({{"data/in/a", "", {}, false}, {"data/else", "", {}, false}}).ok());
  EXPECT_TRUE(all.hears("written data/else"));
  ASSERT_TRUE(session_->move("data/in/a", "b").ok());
  ASSERT_TRUE(session_->remove("b").ok());
  EXPECT_TRUE(all.hears("removed b"));
  EXPECT_TRUE(some.hears("moved data/in/a b"));
  EXPECT_THAT(some.told(), AllOf(Contains("written data/in/a"), Not(Contains("removed b")),
                                 Not(Contains("written data/else"))));
  EXPECT_THAT(session_->list(".").value().size(), 3U) << "two directories and a file";
}

// What goes on in a context while nobody asks anything of the session.
TEST_P(SessionWatchOn, IsToldWhatHappensWhileNobodyUsesIt) {
  ExecutionRequest cell = python(
      "import threading\n"
      "def late():\n"
      "    open('late', 'w').close()\n"
      "timer = threading.Timer(1, late); timer.start()");
  cell.context = "main";
  Watcher watcher(*session_, ".");
  ASSERT_TRUE(session_->execute(cell).success());
  EXPECT_TRUE(watcher.hears("written late"));
  cell.code = "timer.join()";
  EXPECT_TRUE(session_->execute(cell).success());
}

TEST_P(SessionWatchOn, LosesNoneOfManyToAQuickReader) {
  Watcher watcher(*session_, ".");
  ASSERT_TRUE(session_->execute(bash("for i in $(seq 300); do : > f$i; done")).success());
  EXPECT_TRUE(watcher.hears("written f300"));
  const auto told = watcher.told();
  for (int number = 1; number <= 300; ++number)
    EXPECT_THAT(told, Contains("written f" + std::to_string(number)));
}

TEST_P(SessionWatchOn, EndsWithTheSession) {
  Watcher watcher(*session_, ".");
  session_->close();
  EXPECT_EQ(watcher.ended().error().code(), Errc::conflict);
  EXPECT_EQ(session_->watch(".", [](const FileChange&) {}, {}).error().code(), Errc::conflict);
}

TEST_P(SessionWatchOn, RefusesWhatIsNotBelowWork) {
  for (const char* const path : {"", "/etc", "../etc", "a/../../b"})
    EXPECT_EQ(session_->watch(path, [](const FileChange&) {}, {}).error().code(),
              Errc::invalid_argument)
        << path;
}

INSTANTIATE_TEST_SUITE_P(EachBackend, SessionWatchOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
