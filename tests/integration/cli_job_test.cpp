#include <chrono>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "places.hpp"

// `lazaret job`: runs that nobody waits for, from a shell.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

// Whether it takes an interrupt instead of ending by it: a thread of its waits for the signal.
bool watches(pid_t process) {
  const std::string status = file_text("/proc/" + std::to_string(process) + "/status");
  const std::size_t blocked = status.find("SigBlk:");
  if (blocked == status.npos) return false;
  return (std::stoull(status.substr(blocked + 7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
}

class CliJob : public testing::Test {
 protected:
  Ended ask(std::vector<std::string> arguments, Invocation rest = {}) const {
    arguments.insert(arguments.begin(), "job");
    rest.environment = {{"LAZARET_SOCKET", daemon_.socket()}};
    return lazaret(std::move(arguments), std::move(rest));
  }
  std::string start(std::vector<std::string> words) const {
    const Ended started = ask(std::move(words));
    EXPECT_EQ(started.status, 0) << started.err;
    return started.out.substr(0, started.out.find('\n'));
  }

  const Daemon daemon_;
};

TEST_F(CliJob, IsStartedFoundAndAwaited) {
  const std::string id =
      start({"run", "-q", "-l", "bash", "-c", "echo out; echo err >&2; cat; exit 42"});
  EXPECT_EQ(id.size(), 32U);
  const Ended ended = ask({"wait", "-q", id});
  EXPECT_EQ(ended.out, "out\n");
  EXPECT_EQ(ended.err, "err\n");
  EXPECT_EQ(ended.status, 42);
  EXPECT_THAT(ask({"ls"}).out, HasSubstr(id));
  const Json list = Json::parse(ask({"ls", "--json"}).out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["cause"], "nonzero_exit");
  EXPECT_EQ(Json::parse(ask({"wait", "--json", id}).out)["exit_code"], 42);
  EXPECT_THAT(ask({"wait", "--evidence", id}).err, HasSubstr("network"));
  EXPECT_EQ(ask({"rm", id}).status, 0);
  EXPECT_EQ(ask({"ls", "--json"}).out, "[]\n");
  EXPECT_EQ(ask({"wait", id}).status, 2);
}

TEST_F(CliJob, ShowsItsOutputFromAnyPlaceAndAsItComes) {
  const std::string id = start({"run", "-l", "bash", "-c",
                                "echo begun; trap 'echo caught >&2; exit 0' INT; echo ready;"
                                " while :; do sleep 0.05; done"});
  EXPECT_TRUE(becomes_true(std::chrono::seconds(30), [&] {
    return ask({"logs", id}).out == "begun\nready\n";
  }));
  EXPECT_EQ(ask({"logs", "--offset", "6", id}).out, "ready\n");
  Invocation following;
  following.once_started = [&](pid_t) { EXPECT_EQ(ask({"signal", id, "INT"}).status, 0); };
  const Ended followed = ask({"logs", "--follow", id}, following);
  EXPECT_EQ(followed.out, "begun\nready\n");
  EXPECT_EQ(followed.status, 0) << followed.err;
  EXPECT_EQ(ask({"logs", "--stderr", id}).out, "caught\n");
  EXPECT_EQ(ask({"logs", "--offset", "100", id}).out, "");
  EXPECT_EQ(ask({"wait", id}).status, 0);
}

TEST_F(CliJob, IsFollowedWhileItRuns) {
  const std::string id = start({"run", "-l", "bash", "-c", "echo first; sleep 600"});
  const auto followed = R"(read -r line < <("$0" job logs -f "$1" 2>/dev/null); echo "$line")";
  const Ended ended = run_program({.argv = {"bash", "-c", followed, kLazaretPath, id},
                                   .environment = {{"LAZARET_SOCKET", daemon_.socket()}}});
  EXPECT_EQ(ended.out, "first\n");
  EXPECT_EQ(ask({"rm", id}).status, 0);
}

TEST_F(CliJob, GivesItsOutputByteForByte) {
  const std::string id = start({"exec", "printf", "a\\377\\0b"});
  EXPECT_EQ(ask({"wait", id}).out, std::string("a\xff\0b", 4));
  EXPECT_EQ(ask({"logs", id}).out, std::string("a\xff\0b", 4));
  const std::string cut =
      start({"exec", "--max-output", "1000", "sh", "-c", "seq 1000; seq 3 >&2"});
  const std::string shown = ask({"wait", "-q", cut}).out;
  EXPECT_THAT(shown, testing::StartsWith("1\n2\n3\n"));
  EXPECT_THAT(shown, testing::EndsWith("\n999\n1000\n"));
  EXPECT_EQ(ask({"logs", "--stderr", cut}).err, "") << "that one was not cut";
}

TEST_F(CliJob, LeavesItsFilesInItsBox) {
  const std::string id = start({"exec", "sh", "-c", "mkdir -p out; echo x > out/file"});
  EXPECT_THAT(ask({"wait", id}).err, HasSubstr("1 file left in /work/out, and gone with the box"));
}

// The job's own words begin behind its program.
TEST_F(CliJob, GivesTheCommandItsWords) {
  const std::string id = start({"exec", "-q", "echo", "-n", "--json", "--session"});
  EXPECT_EQ(ask({"wait", id}).out, "--json --session");
  const Ended piped = ask({"exec", "--", "cat"}, {.argv = {}, .input = "not carried"});
  EXPECT_EQ(ask({"wait", piped.out.substr(0, 32)}).out, "") << "a job has no standard input";
}

TEST_F(CliJob, GoesOnWhenItsWaiterIsInterrupted) {
  const std::string id = start({"exec", "sleep", "600"});
  Invocation waiting;
  waiting.once_started = [](pid_t waiter) {
    EXPECT_TRUE(becomes_true(std::chrono::seconds(30), [waiter] { return watches(waiter); }));
    ::kill(waiter, SIGINT);
  };
  EXPECT_EQ(ask({"wait", id}, waiting).status, 130);
  EXPECT_EQ(Json::parse(ask({"ls", "--json"}).out)[0]["state"], "running");
  EXPECT_EQ(ask({"rm", id}).status, 0);
  EXPECT_EQ(ask({"ls", "--json"}).out, "[]\n");
}

TEST_F(CliJob, RunsInASessionToo) {
  const Invocation here{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
  const std::string made = lazaret({"session", "new", "-q", "-l", "bash"}, here).out;
  const std::string session = made.substr(0, made.find('\n'));
  const std::string id = start({"exec", "--session", session, "sh", "-c", "echo kept > file"});
  EXPECT_EQ(ask({"wait", id}).status, 0);
  EXPECT_EQ(lazaret({"session", "exec", session, "cat", "file"}, here).out, "kept\n");
  EXPECT_THAT(ask({"ls"}).out, HasSubstr(session));
}

TEST_F(CliJob, SaysWhatIsWrong) {
  const auto refused = [this](std::vector<std::string> words, const char* why) {
    const Ended ended = ask(std::move(words));
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(why));
  };
  refused({"wait", "0"}, "no id of a job");
  refused({"logs", std::string(32, '0')}, "no run has this id");
  refused({"run", "--session", std::string(32, '0'), "-c", "1"}, "no session has this id");
  const std::string id = start({"exec", "sleep", "600"});
  refused({"signal", id, "NONSENSE"}, "no signal is called so");
  for (const char* const offset : {"-3", "0x2", "010", "99999999999999999999", "1e3"})
    refused({"logs", "--offset", offset, id}, "--offset");
  refused({"rm", std::string(32, '0')}, std::string(32, '0').c_str());
  EXPECT_EQ(ask({"rm", id}).status, 0);
  const std::string ended = start({"exec", "sh", "-c", "kill -TERM $$"});
  EXPECT_THAT(ask({"logs", "-f", ended}).err, HasSubstr("the job has ended: signalled"));
  EXPECT_THAT(ask({"signal", ended, "TERM"}).err, HasSubstr("the run has ended"));
  const Ended none =
      lazaret({"job", "ls"}, {.argv = {}, .environment = {{"LAZARET_SOCKET", "/x"}}});
  EXPECT_EQ(none.status, 125);
  EXPECT_THAT(none.err, HasSubstr("lazaret serve"));
}

TEST_F(CliJob, DoesNotWaitForADaemonThatIsStopped) {
  daemon_.signal(SIGSTOP);
  const Ended ended = ask({"exec", "true"});
  daemon_.signal(SIGCONT);
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.err, HasSubstr("your daemon does not answer"));
  EXPECT_EQ(ask({"ls", "--json"}).out, "[]\n");
}

}  // namespace
}  // namespace lazaret::test
