#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// `lazaret job`: runs that nobody waits for, from a shell.
namespace lazaret::test {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(ask({"wait", id}).status, 0);
}

// The job's own words begin behind its program.
TEST_F(CliJob, GivesTheCommandItsWords) {
  const std::string id = start({"exec", "-q", "echo", "-n", "--json", "--session"});
  EXPECT_EQ(ask({"wait", id}).out, "--json --session");
  const std::string piped = start({"exec", "--", "cat"});
  EXPECT_EQ(ask({"wait", piped}).out, "") << "a job has no standard input";
}

TEST_F(CliJob, GoesOnWhenItsWaiterIsInterrupted) {
  const std::string id = start({"exec", "sleep", "600"});
  Invocation waiting;
  waiting.once_started = [](pid_t waiter) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until it waits
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
  EXPECT_EQ(ask({"rm", id}).status, 0);
  const Ended none =
      lazaret({"job", "ls"}, {.argv = {}, .environment = {{"LAZARET_SOCKET", "/x"}}});
  EXPECT_EQ(none.status, 125);
  EXPECT_THAT(none.err, HasSubstr("lazaret serve"));
}

}  // namespace
}  // namespace lazaret::test
