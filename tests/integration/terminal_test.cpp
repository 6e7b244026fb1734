#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/condition.hpp"
#include "integration/support.hpp"

// Programs that have a terminal, on every backend.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Reads what a program at a terminal writes, and types.
class Person {
 public:
  void sit_down(ExecutionRequest& request) {
    request.on_output = [this](Stream stream, std::string_view bytes) {
      const std::scoped_lock lock(mutex_);
      EXPECT_EQ(stream, Stream::standard_output);
      seen_ += bytes;
      changed_.notify_all();
    };
  }
  // Each second word as soon as the program has written the first.
  void type(ExecutionRequest& request, std::vector<std::pair<std::string, std::string>> words) {
    sit_down(request);
    request.stdin_source = [this, words = std::move(words),
                            next = std::size_t{0}](const std::stop_token& stop) mutable {
      if (next == words.size()) return std::string();
      wait_for(words[next].first, stop);
      return words[next++].second;
    };
  }
  void wait_for(const std::string& word, const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    (void)changed_.wait_until(lock, stop, std::chrono::steady_clock::now() + 30s,
                              [&] { return seen_.find(word) != std::string::npos; });
  }
  [[nodiscard]] std::string seen() {
    const std::scoped_lock lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  Condition changed_;
  std::string seen_;
};

ExecutionRequest at_terminal(ExecutionRequest request, TerminalSize size = {}) {
  request.terminal = size;
  return request;
}

class TerminalOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
  }
  [[nodiscard]] ExecutionResult run(const ExecutionRequest& request) const {
    return sandbox_->execute(request);
  }

  std::optional<CodeSandbox> sandbox_;
};

TEST_P(TerminalOn, IsOneForAllThreeStreams) {
  const ExecutionResult result = run(at_terminal(
      bash("tty <&1; tty <&2; stty size; echo $TERM >/dev/tty; echo err >&2"), {31, 101}));
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  EXPECT_THAT(result.stdout_text, StartsWith("/dev/pts/"));
  EXPECT_THAT(result.stdout_text, EndsWith("31 101\r\nxterm\r\nerr\r\n"));
  EXPECT_EQ(result.stderr_text, "");
}

TEST_P(TerminalOn, MakesCtrlCASignal) {
  ExecutionRequest request =
      at_terminal(bash("trap 'echo hit; exit 5' INT; echo on; while :; do sleep 0.05; done"));
  Person person;
  person.type(request, {{"on", "\x03"}});
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.exit_code, 5) << to_json(result);
  EXPECT_THAT(person.seen(), HasSubstr("hit"));
}

TEST_P(TerminalOn, HasAShellWithJobs) {
  ExecutionRequest request = at_terminal(command({"bash", "--norc", "-i"}));
  Person person;
  person.type(request,
              {{"$ ", "(echo o''n; exec sleep 600)\n"},
               {"on\r\n", "\x1A"},
               {"Stopped", "kill -9 %1; while jobs %1; do sleep 0.02; done; echo re''ady\n"},
               {"ready", "exit 7\n"}});
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.exit_code, 7) << to_json(result);
  EXPECT_EQ(result.meta.cause, Cause::nonzero_exit);
}

TEST_P(TerminalOn, IsToldOfAnotherSize) {
  ExecutionRequest request =
      at_terminal(bash("trap 'stty size; exit 3' WINCH; echo on; while :; do sleep 0.05; done"));
  Person person;
  person.sit_down(request);
  std::jthread resizer;
  request.on_terminal = [&](std::function<void(TerminalSize)> resize) {
    resizer = std::jthread([&person, resize = std::move(resize)] {
      person.wait_for("on");
      resize({0, 7});  // is no size
      resize({50, 132});
    });
  };
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.exit_code, 3) << to_json(result);
  EXPECT_THAT(result.stdout_text, HasSubstr("50 132"));
}

TEST_P(TerminalOn, IsPassedOnWholeAndKeptWithinItsCap) {
  ExecutionRequest request =
      at_terminal(bash("stty raw -echo; head -c 3000000 /dev/zero | tr '\\0' x; printf end"));
  Person person;
  person.sit_down(request);
  const ExecutionResult result = run(request);
  EXPECT_EQ(person.seen().size(), 3'000'003U);
  EXPECT_THAT(person.seen(), EndsWith("xend"));
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.meta.output.stdout_bytes, 3'000'003U);
  EXPECT_LT(result.stdout_text.size(), (1U << 20) + 200);
}

TEST_P(TerminalOn, TakesMoreThanAMebibyteOfInput) {
  ExecutionRequest request =
      at_terminal(bash("stty raw -echo; echo on; head -c 3000000 | sha256sum"));
  Person person;
  person.type(request, {{"on", std::string(3'000'000, 'x')}});
  const ExecutionResult result = run(request);
  EXPECT_THAT(result.stdout_text,
              HasSubstr("e55b8bdf621ddaa8f462c74745db9680d3bb7536a9cf854f8d6668b34a287890"));
}

TEST_P(TerminalOn, TakesTheEndOfInputForCtrlD) {
  ExecutionRequest request = at_terminal(bash("cat; echo over"));
  request.stdin_data = "a line\n";
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  EXPECT_THAT(result.stdout_text, EndsWith("over\r\n"));
}

// An interactive shell ignores TERM.
TEST_P(TerminalOn, IsHungUpWhenItsRunIsEnded) {
  ExecutionRequest request = at_terminal(command({"bash", "--norc", "-i"}));
  request.limits.grace = 20s;
  std::stop_source stop;
  request.stop = stop.get_token();
  Person person;
  person.type(request, {{"$ ", "echo o''n; read\n"}, {"never", ""}});
  const std::jthread impatient([&] {
    person.wait_for("on\r\n");
    stop.request_stop();
  });
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::cancelled) << to_json(result);
  EXPECT_EQ(result.meta.kill->path, "term");
  EXPECT_LT(result.meta.kill->latency, 10s);
}

// What would type at the terminal on somebody's behalf, or paste into it.
TEST_P(TerminalOn, CannotBeTypedAtByItsProgram) {
  const ExecutionResult result =
      run(at_terminal(python("import fcntl\n"
                             "for request, argument in ((0x5412, b'x'), (0x541C, b'\\x02')):\n"
                             "    try: print(fcntl.ioctl(0, request, argument))\n"
                             "    except OSError as error: print(error.errno)\n")));
  EXPECT_THAT(result.stdout_text, AnyOf("1\r\n1\r\n", "38\r\n38\r\n")) << to_json(result);
}

TEST_P(TerminalOn, IsNobodysOnceItsProgramHasEnded) {
  const std::string marker = unique_marker();
  const ExecutionResult result = run(at_terminal(
      command({"bash", "-c", "trap '' HUP; setsid sleep 600 & echo $0; exit 4", marker})));
  EXPECT_EQ(result.exit_code, 4) << to_json(result);
  EXPECT_THAT(result.stdout_text, HasSubstr(marker));
  EXPECT_TRUE(becomes_true(10s, [&marker] { return processes_marked(marker).empty(); }));
}

TEST_P(TerminalOn, IsOfOneRunOfASessionAlone) {
  auto session = sandbox_->open_session({});
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_THAT(session->execute(bash("tty; echo kept >file")).stdout_text, HasSubstr("not a tty"));
  ExecutionRequest request = at_terminal(bash("tty; read -r x; cat file; echo $x"), {5, 6});
  request.stdin_data = "typed\n";
  const ExecutionResult result = session->execute(request);
  EXPECT_THAT(result.stdout_text, HasSubstr("/dev/pts/")) << to_json(result);
  EXPECT_THAT(result.stdout_text, EndsWith("kept\r\ntyped\r\n"));
  EXPECT_EQ(session->execute(bash("tty; cat file")).stdout_text, "not a tty\nkept\n");
}

TEST_P(TerminalOn, HasASizeAndNoContext) {
  EXPECT_EQ(run(at_terminal(bash("tty"), {0, 80})).meta.cause, Cause::policy_denied);
  auto session = sandbox_->open_session({});
  ASSERT_TRUE(session.ok());
  ExecutionRequest cell = at_terminal(python("1"));
  cell.context = "main";
  EXPECT_EQ(session->execute(cell).meta.cause, Cause::policy_denied);
}

INSTANTIATE_TEST_SUITE_P(Backends, TerminalOn, testing::ValuesIn(kBackends),
                         [](const auto& each) { return std::string(each.param); });

// The host has some thousand of them, for all.
TEST(NativeTerminal, IsOneOfAFewOfTheBoxesOwn) {
  const ExecutionRequest request = python(
      "import os\n"
      "count = 0\n"
      "try:\n"
      "    while True: os.openpty(); count += 1\n"
      "except OSError as error: print(count, error.errno)\n");
  EXPECT_THAT(sandbox_on("native").execute(request).stdout_text, StartsWith("0 "));
  EXPECT_EQ(sandbox_on("native").execute(at_terminal(request)).stdout_text, "31 28\r\n");
}

}  // namespace
}  // namespace lazaret::test
