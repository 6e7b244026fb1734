#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/runner_program/bench.hpp"

// Programs that have a terminal.
namespace lazaret::runner::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// A shell's script at a terminal, which has begun.
struct Desk : Bench {
  explicit Desk(const std::string& script, TerminalSize size = {}) {
    Job made = job({"bash", "-c", script});
    made.terminal = size;
    EXPECT_TRUE(start(made).ok());
  }
  Status type(std::string_view text) { return client().send_stdin(bytes_of(text), soon()); }
  // Until it has written this.
  bool says(const std::string& word) {
    while (sink.out.find(word) == std::string::npos) {
      if (!await(Call{}.within(std::chrono::milliseconds(5))).ok() && soon_.deadline.passed())
        return false;
    }
    return true;
  }

 private:
  const Call soon_ = soon();
};

TEST(SupervisorTerminal, IsOneForAllThreeStreamsAndLeadsTheSession) {
  Desk desk("tty <&1; tty <&2; stty size; ps -o tty=,tpgid= -p $$ >/dev/tty; echo err >&2",
            {31, 101});
  EXPECT_EQ(desk.exited().code, 0U);
  EXPECT_THAT(desk.sink.out, HasSubstr("31 101\r\n"));
  EXPECT_THAT(desk.sink.out, EndsWith("err\r\n"));
  EXPECT_THAT(desk.sink.out, Not(HasSubstr("not a tty")));
  EXPECT_EQ(desk.sink.err, "");
}

TEST(SupervisorTerminal, HandsOnWhatIsTyped) {
  Desk desk(
      "read -r line; echo \"got $line\"; trap 'echo hit; exit 5' INT; echo on; "
      "while :; do sleep 0.05; done");
  EXPECT_TRUE(desk.type("one\n").ok());
  ASSERT_TRUE(desk.says("on\r\n")) << desk.sink.out;
  EXPECT_THAT(desk.sink.out, HasSubstr("got one"));
  EXPECT_TRUE(desk.type("\x03").ok());
  EXPECT_EQ(desk.exited().code, 5U);
  EXPECT_THAT(desk.sink.out, HasSubstr("hit"));
}

TEST(SupervisorTerminal, TakesTheEndOfInputForCtrlD) {
  Desk desk("cat; echo over");
  EXPECT_TRUE(desk.type("a line\n").ok());
  EXPECT_TRUE(desk.client().end_stdin(soon()).ok());
  EXPECT_EQ(desk.exited().code, 0U);
  EXPECT_THAT(desk.sink.out, EndsWith("over\r\n"));
}

TEST(SupervisorTerminal, EndsALineThatWasNotEndedWithItsInput) {
  Desk desk("cat; echo over");
  EXPECT_TRUE(desk.type("no line").ok());
  EXPECT_TRUE(desk.client().end_stdin(soon()).ok());
  EXPECT_EQ(desk.exited().code, 0U);
  EXPECT_THAT(desk.sink.out, EndsWith("no lineover\r\n"));
}

// As shells do it with what came before they had their terminal as they want it.
TEST(SupervisorTerminal, TypesTheEndAgainForWhoHasMissedIt) {
  Desk desk("sleep 0.3; stty -icanon -echo; read -r -n 1 missed; read -r -d $'\\x04' rest; exit 3");
  EXPECT_TRUE(desk.client().end_stdin(soon()).ok());
  EXPECT_EQ(desk.exited().code, 3U);
}

TEST(SupervisorTerminal, IsToldOfAnotherSize) {
  Desk desk("trap 'stty size; exit 3' WINCH; echo on; while :; do sleep 0.05; done");
  ASSERT_TRUE(desk.says("on\r\n"));
  EXPECT_TRUE(desk.client().resize({65535, 1}, soon()).ok());
  EXPECT_EQ(desk.exited().code, 3U);
  EXPECT_THAT(desk.sink.out, HasSubstr("65535 1\r\n"));
}

TEST(SupervisorTerminal, LosesNothingAtTheProgramsEnd) {
  Desk desk("stty raw; head -c 3000000 /dev/zero | tr '\\0' x; printf end");
  EXPECT_EQ(desk.exited().code, 0U);
  EXPECT_EQ(desk.sink.out.size(), 3'000'003U);
  EXPECT_THAT(desk.sink.out, EndsWith("xend"));
}

TEST(SupervisorTerminal, MayBeGivenUpByItsProgram) {
  Desk desk("exec </dev/null >/dev/null 2>&1; sleep 0.3; seq 20000 >/dev/tty; exit 9");
  EXPECT_TRUE(desk.client().end_stdin(soon()).ok());
  EXPECT_EQ(desk.exited().code, 9U);
  EXPECT_THAT(desk.sink.out, EndsWith("\r\n20000\r\n"));
}

TEST(SupervisorTerminal, IsNobodysOnceTheProgramHasEnded) {
  Desk desk("trap '' HUP; setsid sleep 600 & exit 4");
  EXPECT_EQ(desk.exited().code, 4U);
  EXPECT_TRUE(desk.client().resize({10, 10}, soon()).ok());
  EXPECT_EQ(desk.await(Call{}.within(std::chrono::milliseconds(200))).error().code(),
            Errc::timed_out);
}

TEST(SupervisorTerminal, HasASize) {
  Bench bench;
  EXPECT_TRUE(bench.client().resize({0, 80}, soon()).ok());
  EXPECT_EQ(bench.await().error().code(), Errc::connection_lost);
}

}  // namespace
}  // namespace lazaret::runner::test
