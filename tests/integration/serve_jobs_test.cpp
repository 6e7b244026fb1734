#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "integration/daemon.hpp"

// Runs that nobody waits for: they are found again, looked at from any place, signalled, awaited.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

class ServeJobs : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    words_ = words_for(GetParam());
    if (words_.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    daemon_.emplace(words_);
  }
  // Nothing of its boxes is left to who comes next.
  void TearDown() override {
    if (!daemon_) return;
    daemon_->signal(SIGTERM);
    EXPECT_EQ(daemon_->wait(), 0);
  }
  const Daemon& daemon() const { return *daemon_; }
  Daemon narrow_daemon() const {
    std::vector<std::string> words = words_;
    words.insert(words.end(), {"--runs", "1", "--queue", "1"});
    return Daemon(words);
  }
  std::string start(const std::string& code, Json more = Json::object()) const {
    more["detach"] = true;
    const Reply reply = daemon().ask("POST", "/v1/runs", bash_body(code, std::move(more)));
    EXPECT_EQ(reply.status, 202) << reply.body;
    return std::string(reply.head.header("Location"));
  }
  Json open_session() const {
    const Reply made = daemon().ask("POST", "/v1/sessions", "{}");
    EXPECT_EQ(made.status, 201) << made.body;
    const std::string place(made.head.header("Location"));
    return place.substr(place.rfind('/') + 1);
  }
  Json get(const std::string& target) const { return daemon().ask("GET", target).json(); }
  int remove(const std::string& place) const { return daemon().ask("DELETE", place).status; }
  int signal(const std::string& place, const std::string& name) const {
    return daemon().ask("POST", place + "/signal", Json{{"signal", name}}.dump()).status;
  }
  // Of standard output.
  std::string text(const std::string& place, const std::string& more = {}) const {
    const Json part = get(place + "/output?wait=30" + more);
    return from_base64(part.value("content", "")).value_or("none: " + part.dump());
  }

 private:
  std::vector<std::string> words_;
  std::optional<Daemon> daemon_;
};

INSTANTIATE_TEST_SUITE_P(EachBackend, ServeJobs, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeJobs, AreListedUntilTheyAreGivenUp) {
  EXPECT_EQ(get("/v1/runs"), Json::array());
  const std::string first = start("sleep 600"), second = start("exit 3");
  EXPECT_EQ(get(second + "?wait=30")["result"]["exit_code"], 3);
  const Json list = get("/v1/runs");
  ASSERT_EQ(list.size(), 2U) << list;
  EXPECT_EQ("/v1/runs/" + list[0]["run_id"].get<std::string>(), first);
  EXPECT_FALSE(list[0].contains("cause"));
  EXPECT_EQ(list[1]["state"], "done");
  EXPECT_EQ(list[1]["cause"], "nonzero_exit");
  EXPECT_EQ(remove(first), 202);
  EXPECT_EQ(get(first + "?wait=30")["result"]["meta"]["cause"], "cancelled");
  for (const std::string& place : {first, second}) EXPECT_EQ(remove(place), 204);
  EXPECT_EQ(get("/v1/runs"), Json::array());
}

TEST_P(ServeJobs, AreReadFromAnyPlaceWhileTheyRun) {
  const std::string place = start("printf 'one\\xff'; read -r < <(sleep 600); printf two");
  EXPECT_EQ(text(place), "one\xff");
  EXPECT_EQ(text(place, "&offset=2"), "e\xff");
  const Json part = get(place + "/output?offset=3");
  EXPECT_EQ(part["next_offset"], 4);
  EXPECT_EQ(part["complete"], false);
  EXPECT_EQ(part["state"], "running");
  EXPECT_EQ(get(place + "/output?stream=stderr&offset=9")["offset"], 0) << "nothing is there";
  EXPECT_EQ(remove(place), 202);
  EXPECT_EQ(get(place + "?wait=30")["state"], "done");
  EXPECT_EQ(text(place), "one\xff");
  EXPECT_EQ(get(place + "/output?offset=4")["complete"], true);
}

TEST_P(ServeJobs, AreOfASessionToo) {
  const Json session = open_session();
  const std::string place = start(
      "trap 'echo hit; exit 5' USR1; echo kept > file; printf begun; while :; do sleep 0.05; done",
      {{"session", session}});
  EXPECT_EQ(text(place), "begun");
  EXPECT_EQ(text(place, "&offset=2"), "gun");
  EXPECT_EQ(get("/v1/runs")[0]["state"], "running");
  EXPECT_EQ(signal(place, "USR1"), 202);
  const Json ended = get(place + "?wait=30");
  EXPECT_EQ(ended["result"]["exit_code"], 5) << ended;
  EXPECT_EQ(text(place, "&offset=5"), "hit\n");
  const std::string look = bash_body("cat file", {{"session", session}});
  EXPECT_EQ(daemon().ask("POST", "/v1/runs", look).json()["stdout"], "kept\n");
}

// A cell that does not end: by a signal, and by giving it up.
TEST_P(ServeJobs, OfAContextAreInterruptedWithoutLosingItsState) {
  const Json session = open_session();
  const auto cell = [&](const std::string& code, bool detach) {
    const Json body = {{"code", code}, {"language", "python"}, {"session", session},
                       {"context", "main"}, {"detach", detach}};
    return daemon().ask("POST", "/v1/runs", body.dump());
  };
  EXPECT_EQ(cell("x = 5\nx", false).json()["value"], 5);
  for (const bool is_signalled : {true, false}) {
    const Reply begun = cell("print('begun', flush=True)\nwhile True: pass", true);
    const std::string place(begun.head.header("Location"));
    EXPECT_EQ(text(place), "begun\n") << begun.body;
    EXPECT_EQ(is_signalled ? signal(place, "INT") : remove(place), 202);
    const Json ended = get(place + "?wait=30");
    EXPECT_EQ(ended["state"], "done") << ended;
    const Json& result = ended["result"];
    EXPECT_EQ(result["meta"]["context"]["lost"], false) << ended;
    const Json& how = is_signalled ? result["error"]["name"] : result["meta"]["cause"];
    EXPECT_EQ(how, is_signalled ? "KeyboardInterrupt" : "cancelled") << ended;
    EXPECT_EQ(cell("x", false).json()["value"], 5);
  }
}

// Its reader is answered when there is something, and when there will be nothing any more.
TEST_P(ServeJobs, WakeThoseWhoWaitForThem) {
  const std::string place = start("echo a; sleep 3; echo b; echo aside >&2");
  const Json first = get(place + "/output?wait=60");
  EXPECT_EQ(first["content"], to_base64("a\n"));
  EXPECT_EQ(first["state"], "running") << "woken by its end";
  const Json rest = get(place + "/output?wait=60&offset=2");
  EXPECT_EQ(rest["content"], to_base64("b\n"));
  EXPECT_EQ(get(place + "?wait=60")["state"], "done");
  EXPECT_EQ(get(place + "/output?wait=60&offset=4")["complete"], true);
  EXPECT_EQ(text(place, "&stream=stderr"), "aside\n");
}

// Those that were given up before they began leave their places in the queue.
TEST_P(ServeJobs, WaitInAQueueForThoseWhoWantThem) {
  Daemon narrow = narrow_daemon();
  const auto submit = [&narrow] {
    return narrow.ask("POST", "/v1/runs", bash_body("sleep 600", {{"detach", true}}));
  };
  EXPECT_EQ(submit().status, 202);
  EXPECT_TRUE(becomes_true(
      30s, [&] { return narrow.ask("GET", "/v1/runs").json()[0]["state"] == "running"; }));
  for (int time = 0; time < 3; ++time) {
    const Reply queued = submit();
    EXPECT_EQ(queued.status, 202);
    EXPECT_EQ(submit().status, 429);
    const std::string place(queued.head.header("Location"));
    EXPECT_EQ(narrow.ask("DELETE", place).status, 202);
    EXPECT_EQ(narrow.ask("GET", place + "?wait=30").json()["state"], "done");
  }
  const std::string running =
      "/v1/runs/" + narrow.ask("GET", "/v1/runs").json()[0]["run_id"].get<std::string>();
  EXPECT_EQ(narrow.ask("DELETE", running).status, 202);
  EXPECT_EQ(narrow.ask("GET", running + "?wait=30").json()["state"], "done");
  narrow.signal(SIGTERM);
  EXPECT_EQ(narrow.wait(), 0);
}

// Someone who has gone is not answered, and the run goes on.
TEST_P(ServeJobs, OutliveThoseWhoWaitForThem) {
  const std::string place = start("read -r < <(sleep 600)");
  {
    const auto wire = daemon().connect();
    const std::string ask = "GET " + place + "?wait=60 HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_TRUE(wire->write(bytes_of(ask), Call{}.within(5s)).ok());
    EXPECT_EQ(get(place + "?wait=1")["state"], "running");
  }
  EXPECT_EQ(get(place + "?wait=2")["state"], "running");
  EXPECT_EQ(remove(place), 202);
  EXPECT_EQ(get(place + "?wait=30")["state"], "done");
}

TEST_P(ServeJobs, TakeSignalsWhileTheyRun) {
  const std::string place =
      start("trap 'echo caught; exit 5' USR1; echo ready; while :; do sleep 0.05; done");
  EXPECT_EQ(text(place), "ready\n");
  EXPECT_EQ(signal(place, "NONSENSE"), 400);
  EXPECT_EQ(signal(place, "SIGUSR1"), 202);
  const Json ended = get(place + "?wait=30");
  EXPECT_EQ(ended["result"]["exit_code"], 5) << ended;
  EXPECT_EQ(text(place, "&offset=6"), "caught\n");
  EXPECT_EQ(signal(place, "TERM"), 409);
}

TEST_P(ServeJobs, RunInSessionsToo) {
  const Json made = daemon().ask("POST", "/v1/sessions", R"({"language":"bash"})").json();
  const std::string place = start("echo kept > file; cat file", {{"session", made["session_id"]}});
  EXPECT_EQ(text(place), "kept\n");
  EXPECT_EQ(get(place + "?wait=30")["state"], "done");
  EXPECT_EQ(get("/v1/runs")[0]["session_id"], made["session_id"]);
}

// What was cut is told, and the result has what was kept of it.
TEST_P(ServeJobs, SayWhereTheirOutputWasCut) {
  const Json few = {{"limits", {{"stdout_bytes", 1000}}}};
  const std::string place = start("head -c 5000 /dev/zero | tr '\\0' x; echo end", few);
  EXPECT_EQ(get(place + "?wait=30")["result"]["truncated"], true);
  const Json part = get(place + "/output");
  EXPECT_EQ(part["truncated"], true) << part;
  EXPECT_EQ(part["next_offset"], 500) << "the head of its cap";
  EXPECT_EQ(get(place + "/output?stream=stderr")["truncated"], false);
  const std::string whole = start("head -c 1000 /dev/zero | tr '\\0' x", few);
  EXPECT_EQ(get(whole + "?wait=30")["result"]["truncated"], false);
  EXPECT_EQ(get(whole + "/output")["next_offset"], 1000);
  EXPECT_EQ(get(whole + "/output")["truncated"], false);
}

TEST_P(ServeJobs, RefuseWhatCannotBe) {
  const std::string place = start("true");
  for (const char* const query :
       {"?wait=61", "?wait=-1", "?wait=x", "?wait=", "?other=1", "?wait=1&wait=1"})
    EXPECT_EQ(daemon().ask("GET", place + query).status, 400) << query;
  for (const char* const query : {"?stream=both", "?offset=-1", "?offset=1x", "?wait=61"})
    EXPECT_EQ(daemon().ask("GET", place + "/output" + query).status, 400) << query;
  for (const char* const body : {"", "[]", "{}", R"({"signal":1})", R"({"signal":"TERM","x":1})"})
    EXPECT_EQ(daemon().ask("POST", place + "/signal", body).status, 400) << body;
  EXPECT_EQ(get(place + "?wait=60")["state"], "done");
  EXPECT_EQ(daemon().ask("GET", "/v1/runs/0/output").status, 404);
  EXPECT_EQ(daemon().ask("POST", "/v1/runs/0/signal", R"({"signal":"TERM"})").status, 404);
}

// Of what is too large to be kept twice the output goes, of what is too large at all everything,
// and nothing of others.
TEST_P(ServeJobs, TakeNobodyElsesPlace) {
  const auto writes = [](const char* megabytes, const char* to) {
    return std::string("head -c ") + megabytes + "M /dev/zero | tr '\\0' x " + to + "; ";
  };
  const Json much = {{"limits", {{"stdout_bytes", 64U << 20}, {"stderr_bytes", 64U << 20}}}};
  const std::string small = start("echo small");
  EXPECT_EQ(get(small + "?wait=60")["state"], "done");
  const std::string large = start(writes("34", ""), much);
  EXPECT_EQ(daemon().ask("GET", large + "/output?wait=60&offset=99999999").status, 409);
  EXPECT_EQ(get(large + "?wait=60")["result"]["stdout"].get_ref<const std::string&>().size(),
            34U << 20);
  EXPECT_EQ(daemon().ask("GET", large + "/output").status, 409);
  const std::string huge = start(writes("34", "") + writes("34", ">&2"), much);
  EXPECT_TRUE(becomes_true(60s, [&] { return daemon().ask("GET", huge).status == 404; }));
  EXPECT_EQ(text(small), "small\n");
  EXPECT_EQ(get(large)["state"], "done");
}

// Others are told to nobody but who has asked for them.
TEST_P(ServeJobs, AreThoseThatWereDetached) {
  const auto wire = daemon().connect();
  const std::string body = bash_body("sleep 600");
  const std::string ask =
      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  ASSERT_TRUE(wire->write(bytes_of(ask), Call{}.within(5s)).ok());
  const std::string told = text_until(*wire, "\"}");
  const std::size_t id = told.find("run_id\":\"");
  ASSERT_NE(id, told.npos) << told;
  EXPECT_EQ(get("/v1/runs"), Json::array());
  const std::string place = "/v1/runs/" + told.substr(id + 9, 32);
  EXPECT_EQ(daemon().ask("GET", place + "/output").status, 409);
  EXPECT_TRUE(becomes_true(30s, [&] { return signal(place, "TERM") == 202; }));
}

}  // namespace
}  // namespace lazaret::test
