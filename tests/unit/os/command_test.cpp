#include "os/command.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"

namespace lazaret::os {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

const std::vector<std::string> kEnvironment = {"PATH=relative:/usr/bin:/bin", "COLOUR=blue"};

Call soon() { return Call{}.within(std::chrono::seconds(10)); }

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
