#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Boxes that are kept: several programs one after another, which share files and nothing else.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

class SessionOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
  }
  [[nodiscard]] Session open(const std::function<void(SessionRequest&)>& change = {}) const {
    SessionRequest request;
    if (change) change(request);
    auto session = sandbox_->open_session(request);
    if (!session.ok()) throw std::runtime_error(session.error().message());
    return std::move(session).value();
  }

  std::optional<CodeSandbox> sandbox_;
};

// These count what the machine has, alone.
class SessionEndOn : public SessionOn {};

TEST_P(SessionOn, SharesFilesBetweenItsRuns) {
  const Session session = open();
  EXPECT_EQ(session.execute(python("open('kept', 'w').write('of the first')")).exit_code, 0);
  const ExecutionResult second = session.execute(bash("cat kept; ls"));
  EXPECT_EQ(second.stdout_text, "of the firstkept\nmain.py\nmain.sh\n") << to_json(second);
  const ExecutionResult third = session.execute(python("print(open('kept').read()); 7"));
  EXPECT_EQ(third.stdout_text, "of the first\n");
  EXPECT_EQ(third.value, "7");
  EXPECT_EQ(third.meta.backend, GetParam());
  EXPECT_FALSE(third.meta.run_id.empty());
  EXPECT_EQ(session.state(), SessionState::ready);
}

TEST_P(SessionOn, GivesEachRunItsOwnInputArgumentsAndOutput) {
  const Session session = open();
  for (const std::string word : {"one", "two", "three"}) {
    ExecutionRequest request = bash("cat; echo $1 $WORD; echo err >&2; exit 3");
    request.stdin_data = "in " + word + "\n";
    request.arguments = {word};
    request.environment = {{"WORD", word}};
    const ExecutionResult result = session.execute(request);
    EXPECT_EQ(result.stdout_text, "in " + word + "\n" + word + " " + word + "\n");
    EXPECT_EQ(result.stderr_text, "err\n");
    EXPECT_EQ(result.exit_code, 3);
  }
}

TEST_P(SessionOn, LeavesNoInputOfOneRunToTheNext) {
  const Session session = open();
  ExecutionRequest first = bash("exit 0");
  first.stdin_data = std::string(300'000, 'x');
  EXPECT_EQ(session.execute(first).exit_code, 0);
  ExecutionRequest second = bash("wc -c");
  second.stdin_data = "four";
  EXPECT_EQ(session.execute(second).stdout_text, "4\n");
}

TEST_P(SessionOn, EndsWhatARunLeavesBehind) {
  const std::string marker = unique_marker();
  const Session session = open();
  const ExecutionResult left = session.execute(
      bash("setsid bash -c 'trap \"\" TERM; echo $0 > began; while :; do sleep 1; done' " + marker +
           " >/dev/null 2>&1 &\nuntil [ -s began ]; do sleep 0.05; done; cat began"));
  EXPECT_EQ(left.stdout_text, marker + "\n");
  EXPECT_TRUE(becomes_true(5s, [&marker] { return processes_marked(marker).empty(); }));
  EXPECT_EQ(session.execute(bash("echo on")).stdout_text, "on\n");
}

// A program that obeys TERM costs its session nothing; where nobody can see that it is gone, the
// box is ended.
TEST_P(SessionOn, SurvivesAProgramThatObeysItsTimeout) {
  const Session session = open();
  ExecutionRequest endless = python("print('began', flush=True)\nwhile True: pass");
  endless.limits.timeout = 3s;
  const ExecutionResult result = session.execute(endless);
  EXPECT_EQ(result.meta.cause, Cause::timeout) << to_json(result);
  EXPECT_EQ(result.stdout_text, "began\n");
  EXPECT_EQ(result.meta.kill->survivors, 0U);
  EXPECT_EQ(session.state(), SessionState::ready);
  EXPECT_EQ(session.execute(bash("echo on")).stdout_text, "on\n");
}

TEST_P(SessionOn, IsLostToAProgramThatMustBeKilled) {
  const Session session = open();
  ExecutionRequest stubborn = bash("trap '' TERM; while :; do :; done");
  stubborn.limits.timeout = 2s;
  stubborn.limits.grace = 200ms;
  const ExecutionResult result = session.execute(stubborn);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_THAT(result.meta.warnings, Contains("the session ended with this run"));
  EXPECT_EQ(session.state(), SessionState::lost);
  const ExecutionResult after = session.execute(bash("echo on"));
  EXPECT_EQ(after.meta.cause, Cause::backend_unavailable);
  EXPECT_THAT(after.error->message, HasSubstr("lost"));
}

TEST_P(SessionOn, PutsAndGetsFiles) {
  const Session session = open();
  const Folder folder;
  ASSERT_TRUE(session.put({{"data/a", "old", {}, false}}).ok());
  ASSERT_TRUE(session.put({{"data/a", "new", {}, false}, {"data/b", "b", {}, true}}).ok());
  EXPECT_EQ(session.execute(bash("cat data/a; test -x data/b && echo x")).stdout_text, "newx\n");
  const auto listed = session.get("data", {});
  ASSERT_TRUE(listed.ok()) << listed.error().message();
  EXPECT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].size, 3U);
  const std::string into = folder.path() + "/taken";
  ASSERT_TRUE(session.get(".", into).ok());
  EXPECT_EQ(file_text(into + "/data/a"), "new");
  EXPECT_EQ(session.get("nothing", {}).error().code(), Errc::not_found);
  EXPECT_EQ(session.get("../etc", {}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(session.put({{"x", {}, "/does/not/exist", false}}).error().code(), Errc::not_found);
  EXPECT_EQ(session.state(), SessionState::ready);
}

std::vector<std::string> names_in(const Session& session, const std::string& path) {
  std::vector<std::string> names;
  const auto listed = session.list(path);
  if (!listed.ok()) return {listed.error().message()};
  for (const Artifact& artifact : *listed) names.push_back(artifact.path);
  return names;
}

TEST_P(SessionOn, ListsMakesMovesAndRemovesFiles) {
  const Session session = open();
  ASSERT_TRUE(session.make_directory("a/b").ok());
  EXPECT_TRUE(session.make_directory("a/b").ok());
  ASSERT_TRUE(session.put({{"a/b/file", "text", {}, false}}).ok());
  ASSERT_EQ(session.execute(bash("ln -s /etc/passwd a/link; mkfifo a/fifo")).exit_code, 0);
  const auto listed = session.list("a");
  ASSERT_TRUE(listed.ok()) << listed.error().message();
  ASSERT_EQ(names_in(session, "a"), (std::vector<std::string>{"b", "b/file", "fifo", "link"}));
  EXPECT_EQ((*listed)[1].size, 4U);
  EXPECT_FALSE((*listed)[1].content);
  EXPECT_EQ((*listed)[3].kind, Artifact::Kind::link);
  ASSERT_TRUE(session.move("a/b", "c/d/e").ok());
  EXPECT_EQ(session.execute(bash("cat c/d/e/file; ls a")).stdout_text, "textfifo\nlink\n");
  ASSERT_TRUE(session.remove("c").ok());
  ASSERT_TRUE(session.remove("a/link").ok());
  ASSERT_TRUE(session.remove("a/fifo").ok());
  EXPECT_EQ(names_in(session, "a"), std::vector<std::string>{});
  EXPECT_EQ(session.execute(bash("ls")).stdout_text, "a\nmain.sh\n");
  EXPECT_EQ(session.state(), SessionState::ready);
}

TEST_P(SessionOn, RefusesChangesThatCannotBe) {
  const Session session = open();
  ASSERT_TRUE(session.put({{"a", "a", {}, false}, {"b", "b", {}, false}}).ok());
  ASSERT_EQ(session.execute(bash("ln -s /tmp gone; touch /tmp/kept")).exit_code, 0);
  EXPECT_EQ(session.move("a", "b").error().code(), Errc::conflict);
  EXPECT_EQ(session.move("absent", "c").error().code(), Errc::not_found);
  EXPECT_EQ(session.remove("absent").error().code(), Errc::not_found);
  EXPECT_EQ(session.remove("gone/kept").error().code(), Errc::not_found);
  EXPECT_EQ(session.list("absent").error().code(), Errc::not_found);
  EXPECT_EQ(session.make_directory("a/x").error().code(), Errc::conflict);
  EXPECT_EQ(session.move("a", "gone/a").error().code(), Errc::conflict);
  EXPECT_EQ(session.move("a", "b/a").error().code(), Errc::conflict);
  EXPECT_EQ(session.move("a", "a/a").error().code(), Errc::invalid_argument);
  for (const char* const path : {"", ".", "..", "../a", "/work/a", "a/../b", "a//b"}) {
    EXPECT_EQ(session.remove(path).error().code(), Errc::invalid_argument) << path;
    EXPECT_EQ(session.move("a", path).error().code(), Errc::invalid_argument) << path;
    EXPECT_EQ(session.move(path, "c").error().code(), Errc::invalid_argument) << path;
    EXPECT_EQ(session.make_directory(path).error().code(), Errc::invalid_argument) << path;
  }
  EXPECT_EQ(session.execute(bash("cat a b; ls /tmp")).stdout_text, "abkept\n");
  ASSERT_TRUE(session.remove("gone").ok());
  EXPECT_EQ(session.execute(bash("ls /tmp")).stdout_text, "kept\n");
}

TEST_P(SessionOn, RemovesWhatIsDeepAndWhatIsMany) {
  const Session session = open();
  const ExecutionResult made = session.execute(
      python("import os\nfor side in 'ab':\n  os.chdir('/work')\n  for depth in range(300):\n"
             "    os.mkdir(side)\n    os.chdir(side)\n    open('f', 'w').close()\n"
             "os.chdir('/work')\nos.mkdir('many')\nos.mkdir('a/.lazaret-1')\n"
             "for number in range(2000): open(f'many/{number}', 'w').close()"));
  ASSERT_EQ(made.exit_code, 0) << made.stderr_text;
  for (const char* const path : {"a", "b", "many"}) {
    const Status removed = session.remove(path);
    EXPECT_TRUE(removed.ok()) << removed.error().message();
  }
  EXPECT_EQ(session.execute(bash("ls -A")).stdout_text, "main.py\nmain.sh\n");
}

TEST_P(SessionOn, RemovesWhatAProgramHasLocked) {
  const Session session = open([](SessionRequest& wish) { wish.limits.open_files = 64; });
  ASSERT_EQ(session
                .execute(bash("for mode in 000 444 555; do mkdir -p d/$mode/x/y; touch d/$mode/x/f;"
                              "chmod $mode d/$mode/x d/$mode; done; chmod 555 d; "
                              "mkdir -p locked/in; touch locked/in/f; chmod 555 locked"))
                .exit_code,
            0);
  const Status removed = session.remove("d");
  EXPECT_TRUE(removed.ok()) << removed.error().message();
  EXPECT_EQ(session.remove("locked/in").error().code(), Errc::conflict);  // as for anybody
  EXPECT_EQ(session.execute(bash("ls")).stdout_text, "locked\nmain.sh\n");
}

TEST_P(SessionOn, ListsAsManyNamesAsMayBe) {
  const Session session = open();
  ASSERT_EQ(session
                .execute(python("import os\nos.makedirs('d/' + 'n' * 200)\n"
                                "for number in range(6000):\n"
                                "  open('d/' + 'n' * 200 + f'/{number}', 'w').close()"))
                .exit_code,
            0);
  const auto listed = session.list(".");
  ASSERT_TRUE(listed.ok()) << listed.error().message();
  EXPECT_GT(listed->size(), 4000U);
  EXPECT_LT(listed->size(), 6000U);
  EXPECT_EQ(session.state(), SessionState::ready);
}

TEST_P(SessionOn, TakesAndGivesFilesInPieces) {
  const Session session = open();
  ASSERT_TRUE(session.append({{"data/log", "one", {}, false}}).ok());
  ASSERT_TRUE(session.append({{"data/log", "two", {}, false}}).ok());
  EXPECT_EQ(session.execute(bash("cat data/log; ln -s log data/link")).stdout_text, "onetwo");
  EXPECT_EQ(session.read("data/log", 2, 3).value(), "etw");
  EXPECT_EQ(session.read("data/log", 4, 100).value(), "wo");
  EXPECT_EQ(session.read("data/log", 6, 1).value(), "");
  EXPECT_EQ(session.read("data/log", 0, 0).error().code(), Errc::invalid_argument);
  EXPECT_EQ(session.append({{"data/link", "x", {}, false}}).error().code(), Errc::conflict);
  EXPECT_EQ(session.read("data/link", 0, 1).error().code(), Errc::invalid_argument);
  ASSERT_TRUE(session.remove("data/link").ok());
  EXPECT_EQ(session.read("data", 0, 1).error().code(), Errc::invalid_argument);
  EXPECT_EQ(session.read("data/log", UINT64_MAX >> 1, 1).value(), "");
  EXPECT_EQ(session.read("data/log", (UINT64_MAX >> 1) + 1, 1).error().code(),
            Errc::invalid_argument);
  ASSERT_EQ(session.execute(bash("mkfifo data/pipe; chmod 0 data/pipe")).exit_code, 0);
  EXPECT_EQ(session.read("data/pipe", 0, 1).error().code(), Errc::invalid_argument);
  ASSERT_EQ(session.execute(bash("chmod 0 data/log")).exit_code, 0);
  EXPECT_EQ(session.read("data/log", 0, 1).error().code(), Errc::conflict);
  EXPECT_EQ(session.read("absent", 0, 1).error().code(), Errc::not_found);
  const std::string piece(3U << 20, 'p');
  for (int time = 0; time < 4; ++time)
    ASSERT_TRUE(session.append({{"large", piece, {}, false}}).ok());
  EXPECT_EQ(session.read("large", 9U << 20, 8U << 20)->size(), 3U << 20);
  EXPECT_EQ(session.read("large", 1, 8U << 20)->size(), 8U << 20);
  EXPECT_EQ(session.read("large", 0, (8U << 20) + 1).error().code(), Errc::invalid_argument);
  EXPECT_EQ(session.state(), SessionState::ready);
}

TEST_P(SessionOn, GivesOneFile) {
  const Session session = open();
  const Folder folder;
  ASSERT_TRUE(session.put({{"data/a.csv", "1,2", {}, true}}).ok());
  const auto kept = session.get("data/a.csv", {});
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  ASSERT_EQ(kept->size(), 1U);
  EXPECT_EQ(kept->front().path, "a.csv");
  EXPECT_EQ(kept->front().content, "1,2");
  EXPECT_EQ(session.list("data/a.csv")->front().size, 3U);
  const std::string into = folder.path() + "/taken";
  ASSERT_TRUE(session.get("data/a.csv", into).ok());
  EXPECT_EQ(file_text(into + "/a.csv"), "1,2");
}

TEST_P(SessionOn, FollowsNoLinkThatAProgramHasLeft) {
  const Session session = open();
  ASSERT_EQ(
      session.execute(bash("ln -s /tmp gone; ln -s /etc/passwd file; mkdir main.py")).exit_code, 0);
  EXPECT_FALSE(session.put({{"gone/x", "x", {}, false}}).ok());
  ASSERT_TRUE(session.put({{"file", "mine", {}, false}}).ok());
  EXPECT_FALSE(session.get("gone/x", {}).ok());
  EXPECT_EQ(session.get("gone", {})->front().kind, Artifact::Kind::link);
  EXPECT_EQ(session.execute(bash("cat file; ls /tmp")).stdout_text, "mine");
  EXPECT_EQ(session.execute(python("1")).meta.cause, Cause::start_failed);
  EXPECT_EQ(session.execute(bash("rmdir main.py")).exit_code, 0);
  EXPECT_EQ(session.execute(python("1")).value, "1");
}

TEST_P(SessionOn, TellsEachMemoryKillApart) {
  const Session session =
      open([](SessionRequest& request) { request.limits.memory_bytes = 64ULL << 20; });
  const auto kills = [](const Evidence& piece) {
    return piece.control == Control::memory && piece.status == EvidenceStatus::enforced;
  };
  if (std::ranges::none_of(session.evidence(), kills)) GTEST_SKIP() << "memory is not counted here";
  for (int round = 0; round < 2; ++round) {
    const auto hog = session.execute(python("print(len(b'x' * (200 << 20)))"));
    EXPECT_EQ(hog.meta.cause, Cause::memory_limit) << to_json(hog);
    EXPECT_GT(hog.meta.usage.memory_kills, 0U);
    EXPECT_EQ(session.execute(bash("exit 4")).meta.cause, Cause::nonzero_exit);
  }
}

TEST_P(SessionEndOn, ComesWhenItsTimeIsOver) {
  const Leftovers before = leftovers(GetParam());
  const Session session = open([](SessionRequest& request) { request.idle = 3s; });
  EXPECT_EQ(session.execute(bash("sleep 4; echo used")).stdout_text, "used\n");
  EXPECT_EQ(session.state(), SessionState::ready) << "a session in use is not idle";
  EXPECT_TRUE(becomes_true(15s, [&session] { return session.state() == SessionState::expired; }));
  EXPECT_TRUE(
      becomes_true(10s, [&] { return leftovers(GetParam()).containers == before.containers; }));
  EXPECT_THAT(session.execute(bash("1")).error->message, HasSubstr("expired"));
}

// However much it is used.
TEST_P(SessionEndOn, ComesWhenItHasLivedForItsTime) {
  const Leftovers before = leftovers(GetParam());
  const Session session = open([](SessionRequest& request) { request.lifetime = 3s; });
  EXPECT_TRUE(becomes_true(15s, [&session] {
    return session.execute(bash("sleep 0.2")).meta.cause != Cause::exited;
  }));
  EXPECT_EQ(session.state(), SessionState::expired);
  EXPECT_TRUE(
      becomes_true(10s, [&] { return leftovers(GetParam()).containers == before.containers; }));
  EXPECT_THAT(session.execute(bash("1")).error->message, HasSubstr("expired"));
}

TEST_P(SessionEndOn, LeavesNothing) {
  const Leftovers before = leftovers(GetParam());
  {
    const Session session = open();
    EXPECT_EQ(session.execute(bash("echo on")).stdout_text, "on\n");
    std::atomic<bool> began = false;
    std::jthread runs([&session, &began] {
      ExecutionRequest request = bash("echo began; sleep 60");
      request.on_output = [&began](Stream, std::string_view) { began = true; };
      EXPECT_EQ(session.execute(request).meta.cause, Cause::cancelled);
    });
    EXPECT_TRUE(becomes_true(30s, [&began] { return began.load(); }));
    session.close();
    session.close();
  }
  sandbox_.reset();
  EXPECT_TRUE(becomes_true(10s, [&] {
    const Leftovers after = leftovers(GetParam());
    return after.containers == before.containers && added(before.mounts, after.mounts).empty() &&
           added(before.cgroups, after.cgroups).empty() && after.children <= before.children;
  }));
}

// What the box still gives of a file that never ends is not taken for an answer to the next.
TEST_P(SessionOn, IsLostWithFilesThatCannotBeTakenToTheirEnd) {
  const Session session = open();
  const Folder folder;
  ExecutionRequest request = bash("mkdir -p out; truncate -s 60M out/a out/b; echo made");
  request.output_directory = folder.path() + "/taken";
  const ExecutionResult result = session.execute(request);
  EXPECT_EQ(result.stdout_text, "made\n");
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("what is sparse")));
  EXPECT_EQ(session.state(), SessionState::lost);
  EXPECT_FALSE(session.get(".", {}).ok());
}

TEST_P(SessionOn, CountsEachRunByItself) {
  const Session session = open();
  const auto hungry =
      session.execute(python("import time\nx = b'x' * (200 << 20)\nend = time.process_time() + 1\n"
                             "while time.process_time() < end: pass"));
  const auto modest = session.execute(bash("echo on"));
  EXPECT_GE(hungry.meta.usage.cpu_ms, 900U) << to_json(hungry);
  EXPECT_LT(modest.meta.usage.cpu_ms, 900U) << to_json(modest);
  EXPECT_LT(modest.meta.usage.peak_memory_bytes.value_or(0), 200ULL << 20);
}

TEST_P(SessionOn, LetsNoRunAskForWhatIsTheSessions) {
  const Session session = open();
  ExecutionRequest request = bash("echo ran");
  request.limits.memory_bytes = 1ULL << 30;
  const ExecutionResult result = session.execute(request);
  EXPECT_EQ(result.meta.cause, Cause::policy_denied);
  EXPECT_THAT(result.error->message, HasSubstr("memory is the session's"));
  SessionRequest wrong;
  wrong.limits.timeout = 5s;
  EXPECT_EQ(sandbox_->open_session(wrong).error().code(), Errc::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(EachBackend, SessionEndOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });
INSTANTIATE_TEST_SUITE_P(EachBackend, SessionOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
