#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/laid_out.hpp"
#include "places.hpp"

// The command line in front of a person: on a terminal that the test has made.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Screen {
 public:
  explicit Screen(std::vector<std::string> arguments,
                  std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), kLazaretPath);
    environment["TERM"] = "vt100";
    const LaidOut program(std::move(arguments), environment);
    winsize size{40, 120, 0, 0};
    pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
    if (pid_ == 0) program.become();
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() {
    ::close(master_);
    ::close(slave_);
    if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
  }

  void type(std::string_view text) {
    EXPECT_EQ(::write(master_, text.data(), text.size()), std::ssize(text));
  }
  void signal(int number) const { EXPECT_EQ(::kill(pid_, number), 0); }
  void resize(unsigned short rows, unsigned short columns) {
    const winsize size{rows, columns, 0, 0};
    EXPECT_EQ(::ioctl(master_, TIOCSWINSZ, &size), 0);
  }
  /// Until this is shown; what was shown since the last time.
  std::string shows(const std::string& word) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (seen_.find(word) == std::string::npos && std::chrono::steady_clock::now() < until) {
      if (!read_some()) break;
    }
    EXPECT_THAT(seen_, HasSubstr(word));
    return std::exchange(seen_, {});
  }
  [[nodiscard]] bool is_cooked() const {
    termios found{};
    return ::tcgetattr(master_, &found) == 0 &&
           (found.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG);
  }
  /// Its exit status.
  int end() {
    int status = 0;
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (!ended_ && std::chrono::steady_clock::now() < until) {
      ended_ = ::waitpid(pid_, &status, WNOHANG) == pid_;
      while (read_some(50)) {
      }
    }
    EXPECT_TRUE(ended_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& rest() const { return seen_; }

 private:
  bool read_some(int most_ms = 30'000) {
    pollfd entry{master_, POLLIN, 0};
    char part[4096];
    if (::poll(&entry, 1, most_ms) != 1) return false;
    const ssize_t count = ::read(master_, part, sizeof part);
    if (count <= 0) return false;
    seen_.append(part, static_cast<std::size_t>(count));
    return true;
  }

  int master_ = -1;
  int slave_ = -1;  // so that it can be looked at when nobody else has it any more
  pid_t pid_ = -1;
  bool ended_ = false;
  std::string seen_;
};

class CliTerminalOn : public testing::TestWithParam<const char*> {};

TEST_P(CliTerminalOn, IsLentToAShellAndGivenBack) {
  const auto words = words_for(GetParam());
  if (words.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  std::vector<std::string> arguments = {"shell", "-q", "--no-daemon"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  Screen screen(arguments);
  (void)screen.shows("$ ");
  EXPECT_FALSE(screen.is_cooked());
  screen.type("stty size; echo $TERM\n");
  EXPECT_THAT(screen.shows("vt100\r\n"), HasSubstr("40 120\r\n"));
  screen.type("exit 7\n");
  EXPECT_EQ(screen.end(), 7);
  EXPECT_TRUE(screen.is_cooked());
}

INSTANTIATE_TEST_SUITE_P(EachBackend, CliTerminalOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST(CliTerminal, TellsTheProgramOfCtrlCAndOfASize) {
  Screen screen({"exec", "-qt", "--no-daemon", "--", "bash", "-c",
                 "trap 'echo hit' INT; trap 'stty size; exit 3' WINCH; echo on; while :; do sleep "
                 "0.05; done"});
  (void)screen.shows("on\r\n");
  screen.type("\x03");
  (void)screen.shows("hit\r\n");
  screen.resize(50, 132);
  (void)screen.shows("50 132\r\n");
  EXPECT_EQ(screen.end(), 3);
}

TEST(CliTerminal, IsGivenBackToWhoWantsToGetOut) {
  Screen screen({"exec", "-t", "--no-daemon", "--grace", "200ms", "--", "bash", "-c",
                 "trap '' INT TERM HUP; echo on; while :; do sleep 1; done"});
  (void)screen.shows("on\r\n");
  screen.type("\x1D\x1D");
  screen.type("x\x1D\x1D\x1D");
  EXPECT_EQ(screen.end(), 130);
  EXPECT_TRUE(screen.is_cooked());
  EXPECT_THAT(screen.rest(), HasSubstr("cancelled"));
}

TEST(CliTerminal, IsGivenBackAtAnInterrupt) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
    Screen screen({"exec", "-q", "-t", "--no-daemon", "--", "bash", "-c",
                   "echo on; while :; do sleep 0.1; done"});
    (void)screen.shows("on\r\n");
    EXPECT_FALSE(screen.is_cooked());
    screen.signal(number);
    EXPECT_EQ(screen.end(), 130) << number;
    EXPECT_TRUE(screen.is_cooked()) << number;
  }
}

// The second one waits for nobody.
TEST(CliTerminal, IsGivenBackAtASecondInterrupt) {
  Screen screen({"exec", "-q", "-t", "--no-daemon", "--grace", "60s", "--timeout", "120s", "--",
                 "bash", "-c", "trap 'echo deaf' TERM HUP; echo on; while :; do sleep 0.1; done"});
  (void)screen.shows("on\r\n");
  screen.signal(SIGTERM);
  (void)screen.shows("deaf\r\n");
  EXPECT_FALSE(screen.is_cooked());
  screen.signal(SIGINT);
  EXPECT_EQ(screen.end(), 130);
  EXPECT_TRUE(screen.is_cooked());
}

// By TERM, which a program at a terminal may see to as any other does.
TEST(CliTerminal, IsHungUpAfterTheProgramWasToldToEnd) {
  Screen screen({"exec", "-q", "-t", "--no-daemon", "--", "bash", "-c",
                 "trap 'echo cleaned; exit 6' TERM; echo on; while :; do sleep 0.05; done"});
  (void)screen.shows("on\r\n");
  screen.signal(SIGTERM);
  (void)screen.shows("cleaned\r\n");
  (void)screen.end();
}

TEST(CliTerminal, IsLentByWayOfTheDaemonToo) {
  const Daemon daemon;
  const std::map<std::string, std::string> environment = {{"LAZARET_SOCKET", daemon.socket()}};
  const Reply made = daemon.ask("POST", "/v1/sessions", "{}");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string session = made.json()["session_id"];
  Screen screen({"shell", "-q", session}, environment);
  (void)screen.shows("$ ");
  screen.resize(44, 99);
  screen.type("until stty size | grep '44 99'; do sleep 0.05; done; echo of mine >kept\n");
  (void)screen.shows("44 99\r\n");
  screen.type("exit\n");
  EXPECT_EQ(screen.end(), 0);
  EXPECT_EQ(lazaret({"session", "exec", session, "--", "cat", "kept"},
                    {.argv = {}, .environment = environment})
                .out,
            "of mine\n");
}

// A session of its own, whose terminal the user's never becomes (P-54).
TEST(CliTerminal, IsNotTheBoxesUnlessItIsLent) {
  Screen screen({"exec", "-q", "--no-daemon", "--", "bash", "-c",
                 "tty; tty <&1; (: </dev/tty) 2>&1 || echo none; ps -o tty= -p 1,$$"});
  EXPECT_EQ(screen.end(), 0);
  EXPECT_THAT(screen.rest(), HasSubstr("not a tty\r\nnot a tty\r\n"));
  EXPECT_THAT(screen.rest(), HasSubstr("/dev/tty: No such device or address\r\n"));
  EXPECT_THAT(screen.rest(), testing::EndsWith("none\r\n?\r\n"));
}

// What is no terminal on our side may be one for the program.
TEST(CliTerminal, IsOneForTheProgramWhereTheUserHasNone) {
  const Ended ended = lazaret({"exec", "-qt", "--", "bash", "-c", "stty size; cat; echo err >&2"},
                              {.argv = {}, .input = "line\n"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("24 80\r\n"));
  EXPECT_THAT(ended.out, testing::EndsWith("err\r\n"));
  EXPECT_EQ(ended.err, "");
}

TEST(CliTerminal, IsInTheResultAsJson) {
  const Ended ended = lazaret({"exec", "-t", "--json", "--", "tty"});
  EXPECT_THAT(Json::parse(ended.out)["stdout"].get<std::string>(), HasSubstr("/dev/pts/"));
}

}  // namespace
}  // namespace lazaret::test
