#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "journal/lease_journal.hpp"
#include "places.hpp"

// The daemon itself, as a client meets it on its socket.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What two runs of the same program have in common.
Json comparable(Json result) {
  result.erase("duration");
  for (const char* const name : {"run_id", "usage"}) result["meta"].erase(name);
  for (Json& piece : result["meta"]["evidence"]) piece.erase("applied");
  return result;
}

TEST(Serve, AnswersARunWithTheVeryJsonOfTheCommandLine) {
  const Daemon daemon;
  const std::string code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, 'é']";
  const Reply reply = daemon.ask("POST", "/v1/runs", Json{{"code", code}}.dump());
  const Ended ended = lazaret({"run", "--json", "-c", code});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(comparable(reply.json()), comparable(Json::parse(ended.out)));
  EXPECT_EQ(reply.json()["stdout"], "out\n");
}

TEST(Serve, HandsTheProgramItsInputArgumentsEnvironmentAndLimits) {
  const Daemon daemon;
  const Reply reply =
      daemon.ask("POST", "/v1/runs",
                 bash_body("cat; echo $1 $NAME; sleep 60",
                           {{"stdin", "in\n"},
                            {"arguments", {"one"}},
                            {"environment", {{"NAME", "two"}}},
                            {"limits", {{"timeout_ms", 2000}, {"grace_ms", 100}}}}));
  EXPECT_EQ(reply.json()["stdout"], "in\none two\n");
  EXPECT_EQ(reply.json()["meta"]["cause"], "timeout");
}

TEST(Serve, IsHealthyAndReady) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("GET", "/v1/health").json()["status"], "ok");
  EXPECT_EQ(daemon.ask("GET", "/v1/ready").json()["status"], "ready");
}

// The trial asks for nothing that a run may not have.
TEST(Serve, IsReadyHoweverLittleMayBeAskedFor) {
  const Folder home;
  std::filesystem::create_directories(home.path() + "/lazaret");
  (void)home.write("lazaret/config.yaml",
                   "limits: {timeout: 2s, grace: 1ms}\nmaxima: {timeout: 2s, grace: 1ms}\n");
  const Daemon daemon({}, {{"XDG_CONFIG_HOME", home.path()}});
  const Reply reply = daemon.ask("GET", "/v1/ready");
  EXPECT_EQ(reply.status, 200) << reply.body;
}

TEST(Serve, SaysWhyItIsNotReady) {
  const Daemon daemon({"--type", "docker", "--host", "unix:///nonexistent", "--no-fallback"});
  const Reply reply = daemon.ask("GET", "/v1/ready");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.json()["type"], "urn:lazaret:problem:backend_unavailable");
  EXPECT_THAT(reply.body, HasSubstr("/nonexistent"));
}

TEST(Serve, DiagnosesAsTheCommandLineDoes) {
  const Daemon daemon;
  const Json json = daemon.ask("GET", "/v1/doctor").json();
  EXPECT_EQ(json["chosen"], "local");
  EXPECT_EQ(json["backends"][0]["name"], "native");
  EXPECT_EQ(json["ready"], Json::parse(lazaret({"doctor", "--json"}).out)["ready"]);
}

TEST(Serve, HasAProblemWhereNoEngineHasImages) {
  const Daemon daemon({"--host", "unix:///nonexistent"});
  const Reply reply = daemon.ask("GET", "/v1/images");
  EXPECT_GE(reply.status, 500);
  EXPECT_EQ(reply.head.header("Content-Type"), "application/problem+json");
}

TEST(Serve, NamesEachRequestInItsAnswer) {
  const Daemon daemon;
  const auto id_of = [&daemon](std::vector<http::Header> headers) {
    return std::string(
        daemon.ask("GET", "/v1/health", "", std::move(headers)).head.header("X-Request-Id"));
  };
  EXPECT_EQ(id_of({{"X-Request-Id", "mine-1.a_B"}}), "mine-1.a_B");
  EXPECT_EQ(id_of({}).size(), 32U);
  EXPECT_NE(id_of({}), id_of({}));
  const std::string most(64, 'x');
  EXPECT_EQ(id_of({{"X-Request-Id", most}}), most);
  EXPECT_EQ(id_of({{"X-Request-Id", most + "x"}}).size(), 32U);
  EXPECT_EQ(id_of({{"X-Request-Id", "no spaces"}}).size(), 32U);
}

struct ProblemRow {
  const char* name;
  const char* method;
  const char* target;
  std::string body;
  int status;
  const char* named;  ///< what the answer must name
};

class ServeProblem : public testing::TestWithParam<ProblemRow> {};

TEST_P(ServeProblem, IsToldAsProblemJson) {
  const Daemon daemon;
  const ProblemRow& row = GetParam();
  const Reply reply = daemon.ask(row.method, row.target, row.body, {{"X-Request-Id", "r1"}});
  EXPECT_EQ(reply.status, row.status);
  EXPECT_EQ(reply.head.header("Content-Type"), "application/problem+json");
  const Json problem = reply.json();
  EXPECT_EQ(problem["status"], row.status);
  EXPECT_EQ(problem["request_id"], "r1");
  EXPECT_THAT(problem["type"].get<std::string>(), StartsWith("urn:lazaret:problem:"));
  EXPECT_FALSE(problem["title"].get<std::string>().empty());
  EXPECT_THAT(reply.body, HasSubstr(row.named));
}

INSTANTIATE_TEST_SUITE_P(
    Of, ServeProblem,
    testing::Values(
        ProblemRow{"AnUnknownPlace", "GET", "/v1/nothing", "", 404, "not_found"},
        ProblemRow{"TheRoot", "GET", "/", "", 404, "not_found"},
        ProblemRow{"AnotherMethod", "PUT", "/v1/runs", "{}", 405, "method_not_allowed"},
        ProblemRow{"AnUnknownRun", "GET", "/v1/runs/0123", "", 404, "no_such_run"},
        ProblemRow{"ABodyThatIsNoJson", "POST", "/v1/runs", "code", 400, "JSON"},
        ProblemRow{"ABodyThatIsNotUtf8", "POST", "/v1/runs", "{\"code\":\"\xFF\"}", 400, "UTF-8"},
        ProblemRow{"AnEmptyBody", "POST", "/v1/runs", "", 400, "JSON"},
        ProblemRow{"AnUnknownMember", "POST", "/v1/runs", R"({"c":"1"})", 400, "unknown member c"},
        ProblemRow{"AFlagThatIsNone", "POST", "/v1/runs", R"({"code":"1","detach":1})", 400,
                   "detach"},
        ProblemRow{"AnUnknownLanguage", "POST", "/v1/runs", R"({"code":"1","language":"cobol"})",
                   422, "cobol"},
        ProblemRow{"ALimitAboveThePolicy", "POST", "/v1/runs",
                   R"({"code":"1","limits":{"timeout_ms":400000}})", 403, "maxima.timeout"},
        ProblemRow{"TooMuchCode", "POST", "/v1/runs",
                   R"({"code":")" + std::string((1 << 20) + 1, 'x') + "\"}", 413, "1 MiB"}),
    [](const auto& given) { return given.param.name; });

TEST(Serve, ListsTheMethodsThatAPlaceHas) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("POST", "/v1/runs/0123", "{}").head.header("Allow"), "GET, HEAD, DELETE");
}

TEST(Serve, AnswersRequestsOneAfterTheOtherOnOneConnection) {
  const Daemon daemon;
  const std::string two =
      "GET /v1/health HTTP/1.1\r\n\r\nGET /v1/nothing HTTP/1.1\r\nConnection: close\r\n\r\n";
  const std::string answers = daemon.say(two);
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answers, HasSubstr("HTTP/1.1 404"));
}

TEST(Serve, AnswersEachRequestOnceThoughTwoCameTogether) {
  const Daemon daemon;
  const auto named = [](const std::string& name) {
    return "GET /v1/health HTTP/1.1\r\nX-Request-Id: " + name + "\r\n\r\n";
  };
  const auto wire = daemon.connect();
  ASSERT_TRUE(wire->write(bytes_of(named("a") + named("b")), Call{}.within(5s)).ok());
  EXPECT_THAT(text_until(*wire, "X-Request-Id: b"), HasSubstr("X-Request-Id: a"));
  ASSERT_TRUE(wire->write(bytes_of(named("c")), Call{}.within(5s)).ok());
  const std::string answer = text_until(*wire, "X-Request-Id: c");
  EXPECT_THAT(answer, HasSubstr("X-Request-Id: c"));
  EXPECT_THAT(answer, Not(HasSubstr("X-Request-Id: a")));
}

TEST(Serve, AnswersHeadLikeGetWithoutTheBody) {
  const Daemon daemon;
  const auto head = [&daemon](const std::string& path) {
    return daemon.say("HEAD " + path + " HTTP/1.1\r\nConnection: close\r\n\r\n");
  };
  const auto got = daemon.ask("GET", "/v1/health");
  EXPECT_THAT(head("/v1/health"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head("/v1/health"),
              HasSubstr("Content-Length: " + std::to_string(got.body.size()) + "\r\n"));
  EXPECT_THAT(head("/v1/health"), EndsWith("\r\n\r\n"));
  EXPECT_THAT(head("/v1/runs/0/signal"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(head("/v1/runs/0/signal"), EndsWith("\r\n\r\n"));
}

TEST(Serve, AsksForABodyThatIsHeldBack) {
  const Daemon daemon;
  const auto wire = daemon.connect();
  const std::string head =
      "POST /v1/runs HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(head), Call{}.within(5s)).ok());
  EXPECT_EQ(text_until(*wire, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(wire->write(bytes_of(" "), Call{}.within(5s)).ok());
  EXPECT_THAT(text_until(*wire, "\r\n\r\n"), StartsWith("HTTP/1.1 400"));
}

class ServeDetached : public testing::Test {
 protected:
  std::string start(const Daemon& daemon, const std::string& code) {
    const Reply reply = daemon.ask("POST", "/v1/runs", bash_body(code, {{"detach", true}}));
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.head.header("Location"),
              "/v1/runs/" + reply.json()["run_id"].get<std::string>());
    return std::string(reply.head.header("Location"));
  }
  Json when_done(const Daemon& daemon, const std::string& place) {
    Json json;
    EXPECT_TRUE(becomes_true(20s, [&] {
      json = daemon.ask("GET", place).json();
      return json["state"] == "done";
    })) << json;
    return json;
  }
};

TEST_F(ServeDetached, RunsOnAndKeepsItsResult) {
  const Daemon daemon;
  const std::string place = start(daemon, "sleep 0.3; echo out");
  const Json json = when_done(daemon, place);
  EXPECT_EQ(json["result"]["stdout"], "out\n");
  EXPECT_EQ(json["result"]["meta"]["run_id"], json["run_id"]);
  EXPECT_EQ(daemon.ask("DELETE", place).status, 204);
  EXPECT_EQ(daemon.ask("GET", place).status, 404);
}

TEST_F(ServeDetached, CanBeCancelled) {
  const Daemon daemon;
  const std::string place = start(daemon, "sleep 60");
  EXPECT_EQ(daemon.ask("DELETE", place).status, 202);
  EXPECT_EQ(when_done(daemon, place)["result"]["meta"]["cause"], "cancelled");
}

TEST_F(ServeDetached, IsKept256TimesAndNotOnceMore) {
  const Daemon daemon({"--queue", "300"});
  std::vector<std::string> places;
  for (int index = 0; index < 257; ++index) places.push_back(start(daemon, "exit"));
  for (const std::string& place : places) {
    (void)becomes_true(30s, [&] {
      const Json json = daemon.ask("GET", place).json();
      return json.value("state", "") == "done" || json.value("status", 0) == 404;
    });
  }
  const auto kept = std::count_if(places.begin(), places.end(), [&daemon](const auto& place) {
    return daemon.ask("GET", place).status == 200;
  });
  EXPECT_EQ(kept, 256);
}

TEST_F(ServeDetached, IsForgottenAfterItsTime) {
  const Daemon daemon({"--keep", "3"});
  const std::string place = start(daemon, "exit");
  (void)when_done(daemon, place);
  EXPECT_TRUE(becomes_true(20s, [&] { return daemon.ask("GET", place).status == 404; }));
}

TEST(ServeMetrics, CountRequestsAndRuns) {
  const Daemon daemon;
  (void)daemon.ask("POST", "/v1/runs", bash_body("exit 3"));
  (void)daemon.ask("GET", "/v1/runs/0123");
  (void)daemon.ask("GET", "/v1/one-of-the-clients-own");
  (void)daemon.ask("POST", "/v1/runs", bash_body("sleep 60", {{"detach", true}}));
  std::string text;
  EXPECT_TRUE(becomes_true(10s, [&] {
    text = daemon.ask("GET", "/v1/metrics").body;
    return text.find("lazaret_runs{state=\"running\"} 1") != std::string::npos;
  }));
  for (const char* const line :
       {"lazaret_requests_total{route=\"/v1/runs\",status=\"200\"} 1",
        "lazaret_requests_total{route=\"/v1/runs/{id}\",status=\"404\"} 1",
        "lazaret_requests_total{route=\"none\",status=\"404\"} 1",
        "lazaret_runs_total{cause=\"nonzero_exit\"} 1", "lazaret_run_seconds_count 1"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(text.find("clients-own"), std::string::npos);
}

// What is left there cannot be removed, and is told at each start until somebody does something.
TEST(Serve, SaysWhatToDoAboutAnEngineThatIsGone) {
  const Folder folder;
  auto owner = journal::this_process();
  owner.started = "1";  // he is dead
  {
    auto journal = journal::LeaseJournal::open(folder.path() + "/lazaret");
    ASSERT_TRUE(journal.ok());
    const std::string place = "unix://" + folder.path() + "/nobody.sock";
    ASSERT_TRUE((*journal)->intend({journal::Kind::container, place, "lazaret-x-0"}, owner).ok());
  }
  const std::string said = folder.path() + "/said";
  const Ended ended = run_program(
      {.argv = {"sh", "-c", R"(exec "$0" --socket "$1/s" 2>"$1/said")", kServePath, folder.path()},
       .environment = {{"XDG_STATE_HOME", folder.path()}},
       .once_started = [&](pid_t pid) {
         (void)becomes_true(20s, [&] { return file_text(said).find("hint") != std::string::npos; });
         ::kill(pid, SIGTERM);
       }});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(file_text(said), HasSubstr("nobody.sock"));
  EXPECT_THAT(file_text(said), HasSubstr("lazaret gc --forget"));
}

#ifndef LAZARET_SANITIZED
TEST(ServeMemory, IsAtMost25MebibytesAtRest) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("GET", "/v1/ready").status, 200);
  std::ifstream status("/proc/" + std::to_string(daemon.pid()) + "/status");
  long kib = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) kib = std::stol(line.substr(6));
  }
  EXPECT_GT(kib, 0);
  EXPECT_LE(kib, 25 * 1024);
}
#endif

}  // namespace
}  // namespace lazaret::test
