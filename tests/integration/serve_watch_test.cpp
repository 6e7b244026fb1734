#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// Clients of the daemon that are told what changes in a session's files.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class ServeWatch : public testing::Test {
 protected:
  ServeWatch() : place_(daemon_.ask("POST", "/v1/sessions").head.header("Location")) {}

  [[nodiscard]] std::string id() const { return place_.substr(place_.rfind('/') + 1); }
  // One that has been told that it has begun.
  [[nodiscard]] std::unique_ptr<Wire> watching(const std::string& query = {}) const {
    auto wire = daemon_.connect();
    const std::string request = "GET " + place_ + "/watch" + query + " HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_TRUE(wire->write(bytes_of(request), Call{}.within(10s)).ok());
    const std::string begun = text_until(*wire, "event: begun\ndata: {}\n\n");
    EXPECT_THAT(begun, HasSubstr("Content-Type: text/event-stream\r\n"));
    return wire;
  }
  [[nodiscard]] int status_of_watching(const std::string& place) const {
    return daemon_.ask("GET", place).status;
  }
  void put(const std::string& path) const {
    const Json body = {{"files", {{{"path", path}, {"content", "text"}}}}};
    EXPECT_EQ(daemon_.ask("PUT", place_ + "/files", body.dump()).status, 204);
  }

  const Daemon daemon_;
  const std::string place_;
};

TEST_F(ServeWatch, TellsWhatChangesAndWhyItEnds) {
  const auto all = watching(), some = watching("?path=in");
  put("a");
  put("in/b");
  EXPECT_THAT(text_until(*all, R"(event: written
data: {"path":"in/b","directory":false}

)"),
              HasSubstr(R"(data: {"path":"a","directory":false})"));
  const std::string told = text_until(*some, "event: written\ndata: ");
  EXPECT_THAT(told, HasSubstr(R"({"path":"in","directory":true})"));
  EXPECT_THAT(told, testing::Not(HasSubstr(R"("path":"a")")));
  EXPECT_EQ(daemon_.ask("DELETE", place_).status, 204);
  EXPECT_THAT(text_until(*all, "\r\n0\r\n\r\n"), HasSubstr("event: ended\ndata: {\"detail\":"));
}

TEST_F(ServeWatch, RefusesWhatCannotBeWatched) {
  EXPECT_EQ(status_of_watching(place_ + "/watch?path=../etc"), 422);
  EXPECT_EQ(status_of_watching(place_ + "/watch?recursive=true"), 400);
  EXPECT_EQ(status_of_watching("/v1/sessions/" + std::string(32, '0') + "/watch"), 404);
  EXPECT_THAT(daemon_.say("GET " + place_ + "/watch HTTP/1.0\r\nHost: x\r\n\r\n"),
              StartsWith("HTTP/1.1 426 "));
}

TEST_F(ServeWatch, HasRoomForSoManyAndForOthersOnceTheyLeave) {
  constexpr std::size_t kMost = 32;
  std::vector<std::unique_ptr<Wire>> all;
  while (all.size() < kMost) all.push_back(watching());
  EXPECT_EQ(status_of_watching(place_ + "/watch"), 429);
  EXPECT_EQ(daemon_.ask("POST", "/v1/runs", bash_body("echo on", {{"session", id()}})).status, 200)
      << "nobody else waits for them";
  all.pop_back();
  EXPECT_TRUE(becomes_true(10s, [this] {
    auto wire = daemon_.connect();
    const std::string request = "GET " + place_ + "/watch HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_TRUE(wire->write(bytes_of(request), Call{}.within(10s)).ok());
    return text_until(*wire, "\r\n").starts_with("HTTP/1.1 200 ");
  }));
}

TEST_F(ServeWatch, KeepsNoSessionFromItsEnd) {
  const std::string place(
      daemon_.ask("POST", "/v1/sessions", R"({"idle_s": 2})").head.header("Location"));
  auto wire = daemon_.connect();
  const std::string request = "GET " + place + "/watch HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(request), Call{}.within(10s)).ok());
  EXPECT_THAT(text_until(*wire, "\r\n0\r\n\r\n"), HasSubstr("not ready any more: expired"));
}

TEST_F(ServeWatch, HoldsUpNoEndOfTheDaemon) {
  Daemon daemon;
  const std::string place(daemon.ask("POST", "/v1/sessions").head.header("Location"));
  auto wire = daemon.connect();
  const std::string request = "GET " + place + "/watch HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(request), Call{}.within(10s)).ok());
  (void)text_until(*wire, "event: begun\n");
  EXPECT_EQ(daemon.ask("HEAD", place + "/watch").status, 200);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
}

TEST_F(ServeWatch, IsShownToPeopleAndToPrograms) {
  for (const char* const flag : {"--quiet", "--json"}) {
    const std::string place(daemon_.ask("POST", "/v1/sessions").head.header("Location"));
    const std::string name = place.substr(place.rfind('/') + 1);
    Invocation invocation{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
    // Nobody can see from here when it has begun: there is more to come until it has.
    invocation.once_started = [&](pid_t) {
      for (int number = 0; number < 40; ++number) {
        const std::string code = "echo > 'f\n" + std::to_string(number) + "'";
        (void)daemon_.ask("POST", "/v1/runs", bash_body(code, {{"session", name}}));
        std::this_thread::sleep_for(50ms);
      }
      EXPECT_EQ(daemon_.ask("DELETE", place).status, 204);
    };
    const Ended ended = lazaret({"files", "watch", name, flag}, invocation);
    const bool is_json = flag == std::string("--json");
    EXPECT_THAT(ended.out, HasSubstr(is_json ? R"({"event":"written","path":"f\n39")"
                                             : "written  f?39\n"));
    EXPECT_THAT(ended.err, HasSubstr("not ready any more: closed"));
    EXPECT_EQ(ended.status, 125);
  }
}

TEST_F(ServeWatch, EndsAtAnInterrupt) {
  Invocation invocation{.argv = {}, .environment = {{"LAZARET_SOCKET", daemon_.socket()}}};
  invocation.once_started = [](pid_t child) {
    std::this_thread::sleep_for(500ms);  // early or late, the answer is the same
    ::kill(child, SIGINT);
  };
  EXPECT_EQ(lazaret({"files", "watch", id()}, invocation).status, 130);
}

}  // namespace
}  // namespace lazaret::test
