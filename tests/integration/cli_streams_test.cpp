#include <signal.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "places.hpp"

// The program's standard streams where its caller has closed, filled or left them.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// As a shell's line, with $LAZARET for the program.
Ended by_shell(const std::string& line) {
  return run_program({.argv = {"bash", "-c", line}, .environment = {{"LAZARET", kLazaretPath}}});
}

// What a program writes must not come into whatever else has been opened under its number.
TEST(CliStreams, AreNeverAnythingElseWhereTheyAreClosed) {
  const Ended out = by_shell("$LAZARET exec -q -- sh -c 'echo one; sleep 0.2; echo two' >&-");
  EXPECT_EQ(out.status, 125);
  EXPECT_EQ(out.err, "lazaret: the output could not be written\n");
  EXPECT_EQ(by_shell("$LAZARET exec -q -- sh -c 'echo one >&2; sleep 0.2; head -c 100000 /dev/zero "
                     ">&2; echo three' 2>&-")
                .out,
            "three\n");
  const Ended in = by_shell("$LAZARET exec -q --timeout 20 -- cat <&-");
  EXPECT_EQ(in.status, 0) << in.err;
  EXPECT_EQ(by_shell("$LAZARET exec -q -- true <&- >&- 2>&-").status, 0);
}

TEST(CliStreams, TakeAMebibyteOfInputAndSayWhereMoreCame) {
  for (const bool more : {false, true}) {
    const Ended ended = by_shell("head -c " + std::to_string((1U << 20) + (more ? 1U : 0U)) +
                                 " /dev/zero | $LAZARET exec --no-daemon -- wc -c");
    EXPECT_EQ(ended.out, "1048576\n");
    EXPECT_EQ(ended.err.find("standard input was cut at 1 MiB") != std::string::npos, more);
  }
}

TEST(CliStreams, EndTheRunWhenNobodyReadsThem) {
  const Ended out =
      by_shell("$LAZARET exec -q --timeout 50 -- yes | head -n 1; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(out.out, "y\n125\n");
  EXPECT_THAT(out.err, HasSubstr("cancelled"));
  const Ended err = by_shell(
      "{ timeout 30 $LAZARET exec -q --timeout 50 -- sh -c 'yes >&2' 2>&1 >&3 | head -n "
      "1; echo ${PIPESTATUS[0]}; } 3>&1");
  EXPECT_EQ(err.out, "y\n125\n");
}

TEST(CliStreams, AreNoSuccessWhereTheyAreFull) {
  for (const char* const words : {"doctor --json", "config show", "--help", "--version",
                                  "selftest --list", "run -q -c 'print(1)'"}) {
    const Ended full = by_shell("$LAZARET " + std::string(words) + " >/dev/full");
    EXPECT_EQ(full.status, 125) << words;
    EXPECT_THAT(full.err, HasSubstr("the output could not be written")) << words;
  }
}

TEST(CliStreams, AreNoDirectory) {
  for (const char* const words : {"exec -- cat", "run -", "run -c 1"}) {
    const Ended ended = by_shell("$LAZARET " + std::string(words) + " </tmp");
    EXPECT_EQ(ended.status, 2) << words;
    EXPECT_EQ(ended.err, "lazaret: standard input is a directory\n");
  }
}

// A reader who was slow for a moment gets the rest although the program says nothing more.
TEST(CliStreams, AreDeliveredWhileTheProgramIsSilent) {
  const Folder folder;
  const Ended ended = by_shell("mkfifo " + folder.path() +
                               "/out; $LAZARET exec -q --timeout 50 -- bash -c "
                               "'head -c 200000 /dev/zero; sleep 600' >" +
                               folder.path() +
                               "/out & "
                               "{ sleep 0.5; head -c 200000 | wc -c; kill -TERM $!; } <" +
                               folder.path() +
                               "/out; "
                               "wait $!; echo $?");
  EXPECT_EQ(ended.out, "200000\n130\n") << ended.err;
}

TEST(CliStreams, MayLoseTheirReaderOnceEverythingIsDelivered) {
  const Ended ended = by_shell(
      "{ $LAZARET exec -q -- bash -c 'head -c 200000 /dev/zero; for n in {1..20}; do sleep 0.1; "
      "echo -n x; done; sleep 1; exit 7'; echo $? >&2; } | { sleep 0.5; head -c 200020 | wc -c; }");
  EXPECT_EQ(ended.out, "200020\n");
  EXPECT_EQ(ended.err, "7\n");
}

// An interrupt while files are taken leaves some of them behind.
TEST(CliStreams, TellOfAnInterruptWhileFilesAreTaken) {
  const Folder folder;
  const std::string to = folder.path() + "/to";
  const auto interrupt = [&to](pid_t pid) {
    const bool begun = becomes_true(20s, [&to] {
      std::error_code none;
      return !std::filesystem::is_empty(to, none) && !none;
    });
    if (begun) ::kill(pid, SIGINT);
  };
  const Ended ended =
      lazaret({"exec", "--disk", "400MiB", "--file-size", "100MiB", "--out", to, "--", "sh", "-c",
               "for i in 1 2 3 4 5 6; do head -c 60000000 /dev/zero >out/$i; done"},
              {.argv = {}, .once_started = interrupt});
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("not all was taken from /work/out"));
}

}  // namespace
}  // namespace lazaret::test
