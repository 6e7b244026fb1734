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
#include "places.hpp"

// The command line in front of a person: on a terminal that the test has made.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class Screen {
 public:
  explicit Screen(std::vector<std::string> arguments,
                  const std::map<std::string, std::string>& environment = {}) {
    winsize size{40, 120, 0, 0};
    pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    set_environment(environment);
    ::setenv("TERM", "vt100", 1);
    arguments.insert(arguments.begin(), kLazaretPath);
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(kLazaretPath, argv.data());
    ::_exit(127);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() {
    ::close(master_);
    if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
  }

  void type(std::string_view text) {
    EXPECT_EQ(::write(master_, text.data(), text.size()), std::ssize(text));
  }
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
    while (read_some()) {
    }
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& rest() const { return seen_; }

 private:
  bool read_some() {
    pollfd entry{master_, POLLIN, 0};
    char part[4096];
    if (::poll(&entry, 1, 30'000) != 1) return false;
    const ssize_t count = ::read(master_, part, sizeof part);
    if (count <= 0) return false;
    seen_.append(part, static_cast<std::size_t>(count));
    return true;
  }

  int master_ = -1;
  pid_t pid_ = -1;
  bool ended_ = false;
  std::string seen_;
};

TEST(CliTerminal, IsLentToAShellAndGivenBack) {
  Screen screen({"shell", "-q", "--no-daemon"});
  (void)screen.shows("$ ");
  EXPECT_FALSE(screen.is_cooked());
  screen.type("stty size; echo $TERM\n");
  EXPECT_THAT(screen.shows("vt100\r\n"), HasSubstr("40 120\r\n"));
  screen.type("exit 7\n");
  EXPECT_EQ(screen.end(), 7);
}

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
  EXPECT_THAT(screen.rest(), HasSubstr("cancelled"));
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
  screen.type("sleep 0.3; stty size; echo of mine >kept\n");
  (void)screen.shows("44 99\r\n");
  screen.type("exit\n");
  EXPECT_EQ(screen.end(), 0);
  EXPECT_EQ(lazaret({"session", "exec", session, "--", "cat", "kept"},
                    {.argv = {}, .environment = environment})
                .out,
            "of mine\n");
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
