#include "os/command.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"
#include "soon.hpp"

namespace lazaret::os {
namespace {

using lazaret::test::soon;
using testing::ElementsAre;
using testing::EndsWith;

const std::vector<std::string> kEnvironment = {"PATH=relative:/usr/bin:/bin", "COLOUR=blue"};

CommandRequest shell(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .environment = kEnvironment};
}

std::string output_of(Command& command) {
  std::string text;
  std::array<std::byte, 512> piece;
  for (;;) {
    const auto count = command.read(piece, soon());
    if (!count.ok() || *count == 0) return text;
    text += text_of(Bytes(piece).first(*count));
  }
}

TEST(Command, GivesTheOutputAndTheExitStatus) {
  auto command = Command::start(shell("echo one; echo two; exit 3"));
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(output_of(*command), "one\ntwo\n");
  const auto end = command->finish(soon());
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->by_signal);
  EXPECT_EQ(end->code, 3);
}

TEST(Command, TellsASignalFromAnExitStatus) {
  auto command = Command::start(shell("kill -KILL $$"));
  ASSERT_TRUE(command.ok());
  const auto end = command->finish(soon());
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->by_signal);
  EXPECT_EQ(end->code, SIGKILL);
}

TEST(Command, HasNothingButTheEnvironmentItWasGiven) {
  auto command = Command::start({.argv = {"env"}, .environment = {"PATH=/usr/bin", "A=1"}});
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(output_of(*command), "PATH=/usr/bin\nA=1\n");
}

TEST(Command, HasAnEmptyInputAndNoOtherDescriptor) {
  auto command = Command::start(shell("cat; ls /proc/$$/fd"));
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(output_of(*command), "0\n1\n2\n");
}

TEST(Command, PassesArgumentsOnAsTheyAre) {
  auto command =
      Command::start({.argv = {"printf", "%s|", "$HOME", "a b", ""}, .environment = kEnvironment});
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(output_of(*command), "$HOME|a b||");
}

TEST(Command, GivesEachLineOfStandardErrorAndKeepsItsEnd) {
  std::vector<std::string> lines;
  CommandRequest request = shell("echo first >&2; echo second >&2");
  request.error_line = [&lines](std::string_view line) { lines.emplace_back(line); };
  auto command = Command::start(std::move(request));
  ASSERT_TRUE(command.ok());
  ASSERT_TRUE(command->finish(soon()).ok());
  EXPECT_THAT(lines, ElementsAre("first", "second"));
  EXPECT_EQ(command->error_tail(), "first\nsecond\n");
}

TEST(Command, KeepsNoMoreThan4KiBOfStandardError) {
  auto command = Command::start(shell("head -c 300000 /dev/zero >&2; echo end >&2"));
  ASSERT_TRUE(command.ok());
  ASSERT_TRUE(command->finish(soon()).ok());
  EXPECT_EQ(command->error_tail().size(), 4096U);
  EXPECT_THAT(command->error_tail(), EndsWith("end\n"));
}

TEST(Command, SaysWhenThereIsNoSuchProgram) {
  const auto command = Command::start({.argv = {"no-such-program"}, .environment = kEnvironment});
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().code(), Errc::not_found);
}

TEST(Command, FindsNothingWithoutPath) {
  const auto command = Command::start({.argv = {"sh"}, .environment = {}});
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().code(), Errc::not_found);
}

TEST(Command, StopsReadingWhenTheDeadlinePasses) {
  auto command = Command::start(shell("exec sleep 300"));
  ASSERT_TRUE(command.ok());
  std::array<std::byte, 8> piece;
  const auto count = command->read(piece, Call{}.within(std::chrono::milliseconds(20)));
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code(), Errc::timed_out);
}

TEST(Command, StopsWaitingWhenItIsCancelled) {
  auto command = Command::start(shell("exec sleep 300"));
  ASSERT_TRUE(command.ok());
  std::stop_source stop;
  stop.request_stop();
  const auto end = command->finish({Deadline::never(), stop.get_token()});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code(), Errc::cancelled);
}

TEST(Command, LeavesNoProcessOfItsGroupBehind) {
  Handle grandchild;
  {
    auto command = Command::start(shell("trap '' TERM; sleep 300 >&- & echo $!"));
    ASSERT_TRUE(command.ok());
    const int pid = std::stoi(output_of(*command));
    grandchild.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    ASSERT_TRUE(grandchild.valid());
  }
  Watch death{.handle = grandchild.get(), .want_read = true};
  EXPECT_TRUE(wait_ready({&death, 1}, soon()).ok());
}

/// As a program that does not want to hear of its children; the kernel collects them (wait(2)).
class IgnoringChildren : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    struct sigaction wanted {};
    wanted.sa_handler = GetParam() == 0 ? SIG_IGN : SIG_DFL;
    wanted.sa_flags = GetParam();
    ASSERT_EQ(::sigaction(SIGCHLD, &wanted, &before_), 0);
  }
  void TearDown() override { ::sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

TEST_P(IgnoringChildren, CannotKnowTheStatusAndSaysSo_P05) {
  auto command = Command::start(shell("echo one"));
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(output_of(*command), "one\n");
  const auto end = command->finish(soon());
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_FALSE(end->known);
  EXPECT_FALSE(end->good());
}

TEST_P(IgnoringChildren, EndsTheGroupAllTheSame_P05) {
  Handle grandchild;
  {
    auto command = Command::start(shell("sleep 300 >&- & echo $!; exec sleep 300"));
    ASSERT_TRUE(command.ok());
    std::array<std::byte, 16> text;
    const auto count = command->read(text, soon());
    ASSERT_TRUE(count.ok());
    const int pid = std::stoi(std::string(text_of(Bytes(text).first(*count))));
    grandchild.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    ASSERT_TRUE(grandchild.valid());
  }
  Watch death{.handle = grandchild.get(), .want_read = true};
  EXPECT_TRUE(wait_ready({&death, 1}, soon()).ok());
}

/// Gives back each byte that it is sent, for as long as it lives.
class Echo {
 public:
  Echo() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours_.reset(ends[0]);
    pid_ = ::fork();
    if (pid_ > 0) ::close(ends[1]);
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    ::close(ends[0]);
    for (char byte = 0; ::read(ends[1], &byte, 1) == 1;) (void)!::write(ends[1], &byte, 1);
    ::_exit(0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool is_alive() const {
    char byte = 'x';
    return ::send(ours_.get(), &byte, 1, MSG_NOSIGNAL) == 1 && ::read(ours_.get(), &byte, 1) == 1;
  }

 private:
  pid_t pid_ = -1;
  Handle ours_;
};

/// A process that has this number, or nothing: others on the machine may have been quicker.
std::unique_ptr<Echo> echo_with(pid_t number) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    std::ofstream("/proc/sys/kernel/ns_last_pid") << number - 1;
    auto echo = std::make_unique<Echo>();
    if (echo->pid() == number && echo->is_alive()) return echo;
  }
  return nullptr;
}

TEST_P(IgnoringChildren, SignalsNobodyWhoHasTheNumberNow_P05) {
  if (::access("/proc/sys/kernel/ns_last_pid", W_OK) != 0)
    GTEST_SKIP() << "only root may choose the number of a process";
  std::unique_ptr<Echo> stranger;
  {
    auto command = Command::start(shell("echo $$"));
    ASSERT_TRUE(command.ok());
    const pid_t number = std::stoi(output_of(*command));
    ASSERT_TRUE(command->finish(soon()).ok());
    stranger = echo_with(number);
    if (!stranger) GTEST_SKIP() << "the number was taken by another process";
  }
  EXPECT_TRUE(stranger->is_alive());
}

INSTANTIATE_TEST_SUITE_P(Command, IgnoringChildren, testing::Values(0, SA_NOCLDWAIT));

TEST(Command, MovedFromEndsHarmlessly) {
  auto command = Command::start(shell("exit 0"));
  ASSERT_TRUE(command.ok());
  Command other = std::move(command).value();
  const auto end = other.finish(soon());
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->good());
}

}  // namespace
}  // namespace lazaret::os
