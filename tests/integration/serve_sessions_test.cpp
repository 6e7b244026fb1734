#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// Boxes that the daemon keeps for its clients.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kSessions = "/v1/sessions";

std::string place_of(const Reply& made) { return std::string(made.head.header("Location")); }

std::string open_on(const Daemon& daemon, const Json& wish = Json::object()) {
  const Reply made = daemon.ask("POST", kSessions, wish.dump());
  EXPECT_EQ(made.status, 201) << made.body;
  return place_of(made);
}

std::string id_of(const std::string& place) { return place.substr(place.rfind('/') + 1); }

Reply run_in(const Daemon& daemon, const std::string& place, const std::string& code,
             Json more = Json::object()) {
  more["session"] = id_of(place);
  return daemon.ask("POST", "/v1/runs", bash_body(code, std::move(more)));
}

std::string state_of(const Daemon& daemon, const std::string& place) {
  return daemon.ask("GET", place).json().value("state", "");
}

// A program that goes on, and can be found.
std::string held_by(const std::string& marker) { return "bash -c 'sleep 600; :' " + marker; }

class ServeSessionsOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    arguments_ = {"--type", options->type.value_or("local"), "--no-fallback"};
    if (options->host) arguments_.insert(arguments_.end(), {"--host", *options->host});
  }
  std::vector<std::string> arguments_;
};

TEST_P(ServeSessionsOn, RunOneProgramAfterAnotherInTheSameBox) {
  const Daemon daemon(arguments_);
  const std::string place = open_on(daemon);
  EXPECT_EQ(run_in(daemon, place, "echo kept > file").json()["exit_code"], 0);
  const Json second = run_in(daemon, place, "cat file; exit 3").json();
  EXPECT_EQ(second["stdout"], "kept\n") << second;
  EXPECT_EQ(second["exit_code"], 3);
  EXPECT_EQ(second["meta"]["backend"], GetParam());
  EXPECT_EQ(state_of(daemon, place), "ready");
  EXPECT_EQ(daemon.ask("DELETE", place).status, 204);
  EXPECT_EQ(daemon.ask("GET", place).status, 404);
  EXPECT_EQ(run_in(daemon, place, "true").status, 404);
}

TEST_P(ServeSessionsOn, RunTheirOwnLanguageWhereNoneIsSaid) {
  const Daemon daemon(arguments_);
  const Json id = id_of(open_on(daemon, {{"language", "bash"}}));
  const auto said = [&](Json order) {
    order["session"] = id;
    return daemon.ask("POST", "/v1/runs", order.dump()).json().value("stdout", "");
  };
  EXPECT_EQ(said({{"code", "echo $((6 * 7))"}}), "42\n");
  const std::string which = "echo ${BASH_VERSION:+bash}";
  EXPECT_EQ(said({{"code", which}}), "bash\n");
  EXPECT_EQ(said({{"code", which}, {"language", "sh"}}), "\n");
}

TEST_P(ServeSessionsOn, TakeFilesAndGiveThemBack) {
  const Daemon daemon(arguments_);
  const std::string place = open_on(daemon);
  const Json files = {{{"path", "in/text"}, {"content", "abc"}},
                      {{"path", "in/bytes"}, {"base64", "AP8="}, {"executable", true}}};
  EXPECT_EQ(daemon.ask("PUT", place + "/files", Json{{"files", files}}.dump()).status, 204);
  EXPECT_EQ(
      run_in(daemon, place, "mkdir o; cat in/text > 'o/a b'; wc -c < in/bytes").json()["stdout"],
      "2\n");
  const Json got = daemon.ask("GET", place + "/files?path=o").json();
  EXPECT_EQ(got["files"], Json({{{"path", "a b"},
                                 {"type", "file"},
                                 {"size", 3},
                                 {"media_type", "application/octet-stream"},
                                 {"content", "YWJj"}}}));
  EXPECT_EQ(daemon.ask("GET", place + "/files?path=%6F").json(), got);
  EXPECT_EQ(daemon.ask("GET", place + "/files?path=none").status, 404);
  EXPECT_EQ(daemon.ask("GET", place + "/files?path=..%2Fetc").status, 422);
  EXPECT_EQ(daemon.ask("GET", place + "/files?other=o").status, 400);
  EXPECT_EQ(state_of(daemon, place), "ready");
}

TEST_P(ServeSessionsOn, ListMakeMoveAndRemoveFiles) {
  const Daemon daemon(arguments_);
  const std::string files = open_on(daemon) + "/files";
  const auto change = [&](const Json& body) {
    return daemon.ask("POST", files, body.dump()).status;
  };
  EXPECT_EQ(change({{"operation", "make_directory"}, {"path", "a/b"}}), 204);
  const Json text = {{"files", {{{"path", "a/b/f"}, {"content", "abc"}}}}};
  EXPECT_EQ(daemon.ask("PUT", files, text.dump()).status, 204);
  EXPECT_EQ(daemon.ask("PUT", files + "?append=true", text.dump()).status, 204);
  Json listed = daemon.ask("GET", files + "?path=a&content=false").json();
  EXPECT_EQ(listed["files"][1]["path"], "b/f");
  EXPECT_EQ(listed["files"][1]["size"], 6);
  EXPECT_FALSE(listed["files"][1].contains("content"));
  Json piece = daemon.ask("GET", files + "?path=a/b/f&offset=2&length=3").json();
  EXPECT_EQ(piece["files"][0]["content"], "Y2Fi");  // "cab"
  EXPECT_EQ(daemon.ask("GET", files + "?path=a/b&length=1").status, 422);
  EXPECT_EQ(change({{"operation", "move"}, {"path", "a"}, {"target", "c/d"}}), 204);
  EXPECT_EQ(change({{"operation", "move"}, {"path", "a"}, {"target", "e"}}), 404);
  EXPECT_EQ(change({{"operation", "move"}, {"path", "c"}, {"target", "../e"}}), 422);
  EXPECT_EQ(change({{"operation", "move"}, {"path", "c/d"}, {"target", "c/d"}}), 409);
  EXPECT_EQ(daemon.ask("GET", files + "?path=c/d/b/f&content=false").json()["files"][0]["size"], 6);
  EXPECT_EQ(daemon.ask("DELETE", files + "?path=c").status, 204);
  EXPECT_EQ(daemon.ask("DELETE", files + "?path=c").status, 404);
  EXPECT_EQ(daemon.ask("GET", files).json()["files"], Json::array());
}

INSTANTIATE_TEST_SUITE_P(Of, ServeSessionsOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

// They look for what dead processes have left, alone. In a journal of their own: an engine of
// another test's that is gone by now would be asked for again.
class KeptSessions : public ServeSessionsOn {
 protected:
  [[nodiscard]] Ended gc(const char* option) const {
    Invocation rest;
    rest.environment = environment_;
    return lazaret({"gc", option, "--json"}, std::move(rest));
  }
  /// What a gc would find of this process, when it has died.
  [[nodiscard]] Json left_by(pid_t process) const {
    Json findings = Json::parse(gc("--dry-run").out, nullptr, false).at("findings");
    std::erase_if(findings.get_ref<Json::array_t&>(),
                  [process](const Json& finding) { return finding["pid"] != process; });
    return findings;
  }

  Folder folder_;
  std::map<std::string, std::string> environment_ = {{"XDG_STATE_HOME", folder_.path()},
                                                    {"TMPDIR", folder_.path()}};
};

TEST_P(KeptSessions, LeaveNothingWhenTheDaemonEndsOrIsKilled_P45) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    Daemon daemon(arguments_, environment_);
    const pid_t process = daemon.pid();
    const std::string marker = unique_marker();
    const std::string first = open_on(daemon), second = open_on(daemon);
    EXPECT_EQ(run_in(daemon, first, held_by(marker), {{"detach", true}}).status, 202);
    EXPECT_TRUE(becomes_true(30s, [&] { return !processes_marked(marker).empty(); }));
    daemon.signal(signal);
    if (signal == SIGTERM) daemon.signal(signal);  // not to wait for the run
    EXPECT_EQ(daemon.wait(), signal == SIGTERM ? 0 : 128 + SIGKILL);
    if (signal == SIGKILL) {
      EXPECT_TRUE(std::string(GetParam()) == "native" || !left_by(process).empty());
      const Ended swept = gc("--quiet");
      EXPECT_EQ(swept.status, 0) << swept.out;
    }
    EXPECT_TRUE(becomes_true(30s, [&] { return processes_marked(marker).empty(); }));
    EXPECT_EQ(left_by(process), Json::array());
    const Ended left = gc("--dry-run");
    EXPECT_EQ(left.status, 0) << left.out;
  }
}

INSTANTIATE_TEST_SUITE_P(EachBackend, KeptSessions, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST(ServeSessions, ShowWhatHoldsThem) {
  const Daemon daemon;
  const Reply made = daemon.ask("POST", kSessions, R"({"language":"bash","lifetime_s":100})");
  const Json session = made.json();
  EXPECT_EQ(session["state"], "ready");
  EXPECT_EQ(session["language"], "bash");
  EXPECT_EQ(session["busy"], false);
  EXPECT_GT(session["expires_in_s"], 50);
  EXPECT_LE(session["expires_in_s"], 100);
  const auto has = [&session](const char* control) {
    return std::ranges::any_of(session["evidence"], [control](const Json& row) {
      return row["control"] == control && row["status"] == "enforced";
    });
  };
  EXPECT_TRUE(has("network") && has("syscalls")) << session;
  const Json list = daemon.ask("GET", kSessions).json();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["session_id"], session["session_id"]);
}

// Runs of one session wait for each other, and others do not wait for them.
TEST(ServeSessions, DoOneThingAtATimeAndHoldUpNobodyElse) {
  const Daemon daemon({"--runs", "2"});
  const std::string place = open_on(daemon);
  const std::string marker = unique_marker();
  const Reply slow = run_in(daemon, place, held_by(marker), {{"detach", true}});
  ASSERT_EQ(slow.status, 202);
  std::vector<std::string> runs;
  for (const char* const word : {"a", "b", "c"}) {
    const Reply next =
        run_in(daemon, place, std::string("echo ") + word + " >> order", {{"detach", true}});
    runs.push_back(place_of(next));
  }
  EXPECT_TRUE(becomes_true(30s, [&] { return !processes_marked(marker).empty(); }));
  EXPECT_EQ(daemon.ask("GET", place).json()["busy"], true);
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("echo other")).json()["stdout"], "other\n");
  for (const std::string& run : runs) EXPECT_EQ(daemon.ask("GET", run).json()["state"], "queued");
  EXPECT_EQ(daemon.ask("DELETE", place_of(slow)).status, 202);
  EXPECT_EQ(run_in(daemon, place, "cat order").json()["stdout"], "a\nb\nc\n");
}

// Who waits and gives up does not reach the box.
TEST(ServeSessions, AreNothingToWhomHasGivenUpBefore) {
  const Daemon daemon;
  const std::string place = open_on(daemon);
  const std::string marker = unique_marker();
  const Reply slow = run_in(daemon, place, held_by(marker), {{"detach", true}});
  EXPECT_TRUE(becomes_true(30s, [&] { return !processes_marked(marker).empty(); }));
  const Json files = {{{"path", "never"}, {"content", "x"}}};
  const Reply queued = run_in(daemon, place, "touch never", {{"detach", true}, {"files", files}});
  {
    http::Exchange exchange(daemon.connect());
    const std::string body = Json{{"files", files}}.dump();
    ASSERT_TRUE(
        exchange.send({"PUT", place + "/files", {{"Host", "localhost"}}, body}, Call{}.within(10s))
            .ok());
    EXPECT_EQ(daemon.ask("DELETE", place_of(queued)).status, 202);
  }
  Json given_up = daemon.ask("GET", place_of(queued)).json();
  EXPECT_EQ(given_up["result"]["meta"]["cause"], "cancelled") << given_up;
  EXPECT_FALSE(processes_marked(marker).empty());
  EXPECT_EQ(daemon.ask("DELETE", place_of(slow)).status, 202);
  EXPECT_EQ(run_in(daemon, place, "ls never").json()["exit_code"], 2);
  EXPECT_EQ(state_of(daemon, place), "ready");
}

TEST(ServeSessions, ShareOneLineOfRunsThatWait) {
  const Daemon daemon({"--runs", "4", "--queue", "2"});
  const std::string first = open_on(daemon), second = open_on(daemon);
  const auto start = [&](const std::string& place) {
    return run_in(daemon, place, "sleep 600", {{"detach", true}}).status;
  };
  EXPECT_EQ(start(first), 202);
  EXPECT_EQ(start(second), 202);
  EXPECT_TRUE(becomes_true(30s, [&] {
    const std::string text = daemon.ask("GET", "/v1/metrics").body;
    return text.find("lazaret_runs{state=\"running\"} 2\n") != std::string::npos &&
           text.find("lazaret_sessions 2\n") != std::string::npos;
  }));
  EXPECT_EQ(start(first), 202);
  EXPECT_EQ(start(second), 202);
  EXPECT_EQ(start(first), 429);
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("echo other")).status, 200);
}

TEST(ServeSessions, OutliveAClientThatGoesAway) {
  const Daemon daemon;
  const std::string place = open_on(daemon);
  const std::string marker = unique_marker();
  {
    const std::string body = bash_body(held_by(marker), {{"session", id_of(place)}});
    http::Exchange exchange(daemon.connect());
    ASSERT_TRUE(
        exchange.send({"POST", "/v1/runs", {{"Host", "localhost"}}, body}, Call{}.within(10s))
            .ok());
    EXPECT_TRUE(becomes_true(30s, [&] { return !processes_marked(marker).empty(); }));
  }
  EXPECT_TRUE(becomes_true(30s, [&] { return processes_marked(marker).empty(); }));
  EXPECT_EQ(run_in(daemon, place, "echo still").json()["stdout"], "still\n");
}

TEST(ServeSessions, DecideWhatTheirRunsCannot) {
  const Daemon daemon;
  const std::string place = open_on(daemon);
  EXPECT_EQ(run_in(daemon, place, "true", {{"limits", {{"timeout_ms", 5000}}}}).status, 200);
  EXPECT_EQ(run_in(daemon, place, "true", {{"limits", {{"pids", 5}}}}).status, 422);
  EXPECT_EQ(run_in(daemon, place, "true", {{"profile", "strict"}}).status, 422);
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", R"({"code":"1","session":1})").status, 400);
  EXPECT_EQ(run_in(daemon, "/v1/sessions/none", "true").status, 404);
}

TEST(ServeSessions, AreRefusedWhenTheyCannotBe) {
  const Daemon daemon;
  const auto status = [&daemon](const char* body) {
    return daemon.ask("POST", kSessions, body).status;
  };
  EXPECT_EQ(status("[]"), 400);
  EXPECT_EQ(status(R"({"code":"1"})"), 400);
  EXPECT_EQ(status(R"({"lifetime_s":"1"})"), 400);
  EXPECT_EQ(status(R"({"lifetime_s":0})"), 422);
  EXPECT_EQ(status(R"({"lifetime_s":86401})"), 422);
  EXPECT_EQ(status(R"({"lifetime_s":86400})"), 201);
  EXPECT_EQ(status(R"({"language":"cobol"})"), 422);
  EXPECT_EQ(status(R"({"limits":{"timeout_ms":1}})"), 422);
  EXPECT_EQ(status(""), 201);
}

TEST(ServeSessions, RefuseWhatIsNoOperationOnFiles) {
  const Daemon daemon;
  const std::string files =
      "/v1/sessions/" + daemon.ask("POST", "/v1/sessions").json()["session_id"].get<std::string>() +
      "/files";
  for (const char* const body : {"", "[]", "{}", R"({"operation":"remove","path":"a"})",
                                 R"({"operation":"move","path":"a"})",
                                 R"({"operation":"make_directory","path":"a","target":"b"})",
                                 R"({"operation":"make_directory","path":"a","mode":1})",
                                 R"({"operation":"make_directory","path":1})"})
    EXPECT_EQ(daemon.ask("POST", files, body).status, 400) << body;
  for (const char* const query : {"?content=maybe", "?offset=-1", "?offset=x", "?length=1x",
                                  "?length=18446744073709551616", "?path=a&path=b", "?append=true"})
    EXPECT_EQ(daemon.ask("GET", files + query).status, 400) << query;
  EXPECT_EQ(daemon.ask("PUT", files + "?append=1", R"({"files":[]})").status, 400);
  EXPECT_EQ(daemon.ask("DELETE", files + "?other=a").status, 400);
  EXPECT_EQ(daemon.ask("DELETE", files).status, 422);
  EXPECT_EQ(daemon.ask("DELETE", "/v1/sessions/0/files?path=a").status, 404);
}

TEST(ServeSessions, AreNoMoreThanMayBe) {
  const Daemon daemon({"--sessions", "2"});
  const std::string first = open_on(daemon);
  (void)open_on(daemon);
  const Reply third = daemon.ask("POST", kSessions, "{}");
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(third.head.header("Retry-After"), "1");
  EXPECT_EQ(daemon.ask("DELETE", first).status, 204);
  EXPECT_EQ(daemon.ask("POST", kSessions, "{}").status, 201);
}

TEST(ServeSessions, OfWhichTheMakingFailsTakeNoPlace) {
  const Daemon daemon({"--sessions", "1"});
  EXPECT_EQ(daemon.ask("POST", kSessions, R"({"limits":{"memory_bytes":1}})").status, 422);
  EXPECT_EQ(daemon.ask("POST", kSessions, "{}").status, 201);
}

TEST(ServeSessions, EndWhenNobodyHasUsedThemForTheirTime) {
  const Daemon daemon({"--sessions", "1"});
  const std::string place = open_on(daemon, {{"idle_s", 1}});
  EXPECT_TRUE(becomes_true(30s, [&] { return state_of(daemon, place) == "expired"; }));
  const Reply late = run_in(daemon, place, "true");
  EXPECT_EQ(late.status, 409);
  EXPECT_THAT(late.body, HasSubstr("expired"));
  EXPECT_EQ(daemon.ask("GET", place + "/files").status, 409);
  EXPECT_EQ(daemon.ask("POST", kSessions, "{}").status, 201);  // in its place
}

TEST(ServeSessions, AreForgottenSomeTimeAfterTheirEnd) {
  const Daemon daemon({"--keep", "1"});
  const std::string place = open_on(daemon, {{"lifetime_s", 1}});
  EXPECT_TRUE(becomes_true(30s, [&] { return daemon.ask("GET", place).status == 404; }));
}

}  // namespace
}  // namespace lazaret::test
