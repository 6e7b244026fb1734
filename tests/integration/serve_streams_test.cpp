#include <csignal>
#include <numeric>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "integration/daemon.hpp"
#include "integration/stream_socket.hpp"

// Runs whose output comes while they go on: server-sent events and WebSockets.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Event {
  std::string name;
  Json data;
};

std::vector<Event> events_in(const std::string& text) {
  std::vector<Event> events;
  std::istringstream lines(text);
  for (std::string line, name; std::getline(lines, line);) {
    if (line.starts_with("event: ")) name = line.substr(7);
    if (line.starts_with("data: ")) events.push_back({name, Json::parse(line.substr(6))});
  }
  return events;
}

std::string all_of(const std::vector<Event>& events, const std::string& name) {
  std::string text;
  for (const Event& event : events) {
    if (event.name == name) text += event.data.get<std::string>();
  }
  return text;
}

std::vector<Event> events_of(const Daemon& daemon, const std::string& body) {
  const Reply reply = daemon.ask("POST", "/v1/runs", body, {{"Accept", "text/event-stream"}});
  EXPECT_EQ(reply.head.header("Content-Type"), "text/event-stream");
  return events_in(reply.body);
}

TEST(ServeEvents, TellTheRunItsOutputAndItsResult) {
  const Daemon daemon;
  const auto events = events_of(daemon, bash_body("echo one; echo two >&2; sleep 0.2; echo three"));
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events.front().name, "run");
  EXPECT_EQ(events.back().name, "result");
  EXPECT_EQ(events.back().data["meta"]["run_id"], events.front().data["run_id"]);
  EXPECT_EQ(all_of(events, "stdout"), "one\nthree\n");
  EXPECT_EQ(all_of(events, "stderr"), "two\n");
  EXPECT_EQ(events.back().data["stdout"], "one\nthree\n");
}

TEST(ServeEvents, CutNoCharacterAndReplaceWhatIsNone) {
  const Daemon daemon;
  const auto events =
      events_of(daemon, bash_body(R"(printf '\xc3'; sleep 0.2; printf '\xa9\xff'; printf '\xe2')"));
  EXPECT_EQ(all_of(events, "stdout"), "é\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(all_of(events, "stdout"), events.back().data["stdout"]);
}

std::unique_ptr<Wire> asking_for_events(const Daemon& daemon, const std::string& body) {
  auto wire = daemon.connect();
  const std::string request =
      "POST /v1/runs HTTP/1.1\r\nAccept: text/event-stream\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  EXPECT_TRUE(wire->write(bytes_of(request), Call{}.within(5s)).ok());
  return wire;
}

TEST(ServeEvents, ComeWhileTheProgramRunsAndGoingAwayEndsIt) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  auto wire = asking_for_events(
      daemon, Json{{"command", {"bash", "-c", "echo early; sleep 60; :", marker}}}.dump());
  EXPECT_THAT(text_until(*wire, "early"), HasSubstr("early"));
  EXPECT_FALSE(processes_marked(marker).empty());
  wire.reset();
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
}

TEST(ServeEvents, HoldUpNoProgramWhoseReaderIsSlow) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  const auto wire = asking_for_events(
      daemon,
      Json{{"command", {"bash", "-c", "sleep 1; head -c 5000000 /dev/zero | tr '\\0' x", marker}}}
          .dump());
  ASSERT_TRUE(becomes_true(10s, [&] { return !processes_marked(marker).empty(); }));
  EXPECT_TRUE(becomes_true(10s, [&] { return processes_marked(marker).empty(); }));
  EXPECT_THAT(text_until(*wire, "event: result"), HasSubstr("event: result"));
}

TEST(ServeEvents, EndWithAReaderWhoTakesNone) {
  const Daemon daemon({"--write-timeout", "2"});
  const std::string marker = unique_marker();
  const auto wire = asking_for_events(
      daemon, Json{{"command",
                    {"bash", "-c", "head -c 400000 /dev/zero | tr '\\0' x; sleep 60; :", marker}}}
                  .dump());
  ASSERT_TRUE(becomes_true(10s, [&] { return !processes_marked(marker).empty(); }));
  EXPECT_TRUE(becomes_true(10s, [&] { return processes_marked(marker).empty(); }));
}

// A reader who takes 64 KiB twenty times a second, and so the whole later than within a second.
std::string read_slowly(Wire& wire) {
  std::string text;
  std::array<std::byte, 65536> buffer{};
  for (;;) {
    const auto count = wire.read(buffer, Call{}.within(5s));
    if (!count.ok() || *count == 0) return text;
    text += text_of(Bytes(buffer).first(*count));
    std::this_thread::sleep_for(50ms);
  }
}

Json much_output() {
  return {{"language", "bash"},
          {"code", "head -c 2000000 /dev/zero | tr '\\0' x"},
          {"limits", {{"stdout_bytes", 4'000'000}}}};
}

TEST(ServeEvents, MayTakeLongAsLongAsTheyAreTaken) {
  const Daemon daemon({"--write-timeout", "2"});
  const auto wire = asking_for_events(daemon, much_output().dump());
  EXPECT_THAT(read_slowly(*wire), HasSubstr("\r\n0\r\n\r\n"));
}

Json bash_order(const std::string& code, bool typed = false) {
  Json order = {{"language", "bash"}, {"code", code}};
  if (typed) order["stream_stdin"] = true;
  return order;
}

TEST(ServeSockets, CarryInputAndOutputByteForByte) {
  const Daemon daemon;
  std::string bytes(200'000, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<char>(at * 31 + at / 256);
  StreamSocket socket(daemon, bash_order("cat; echo aside >&2", true));
  for (std::size_t at = 0; at < bytes.size(); at += 50'000) socket.type(bytes.substr(at, 50'000));
  socket.type("");
  const Streamed& heard = socket.hear();
  EXPECT_EQ(heard.out, bytes);
  EXPECT_EQ(heard.err, "aside\n");
  EXPECT_EQ(heard.result["meta"]["cause"], "exited");
}

TEST(ServeSockets, SendSignals) {
  const Daemon daemon;
  StreamSocket socket(
      daemon, bash_order("trap 'echo got; exit 3' USR1; echo set; while :; do sleep 0.05; done"));
  socket.hear_out("set");
  socket.say(R"({"signal":"USR1"})");
  EXPECT_EQ(socket.hear().out, "set\ngot\n");
  EXPECT_EQ(socket.hear().result["exit_code"], 3);
}

TEST(ServeSockets, Cancel) {
  const Daemon daemon;
  StreamSocket socket(daemon, bash_order("echo set; sleep 60"));
  socket.hear_out("set");
  socket.say(R"({"cancel":true})");
  EXPECT_EQ(socket.hear().result["meta"]["cause"], "cancelled");
}

TEST(ServeSockets, EndTheRunOfAClientThatGoesAway) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  StreamSocket socket(daemon, {{"command", {"bash", "-c", "echo set; sleep 60; :", marker}}});
  socket.hear_out("set");
  EXPECT_FALSE(processes_marked(marker).empty());
  socket.leave();
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
}

TEST(ServeSockets, TakeAMebibyteOfInputAndSayThatTheRestWasCut) {
  const Daemon daemon;
  for (const std::size_t size : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    StreamSocket socket(daemon, bash_order("wc -c", true));
    socket.type(std::string(size, 'x'));
    socket.type("");
    const Streamed& heard = socket.hear();
    EXPECT_EQ(heard.out, "1048576\n");
    EXPECT_EQ(heard.result["meta"]["warnings"].dump().find("cut") != std::string::npos,
              size > 1U << 20);
  }
}

TEST(ServeSockets, SayWhatWasWrongWithARequest) {
  const Daemon daemon;
  EXPECT_EQ(StreamSocket(daemon, {{"c", 1}}).hear().problem["status"], 400);
  EXPECT_EQ(StreamSocket(daemon, {{"code", "1"}, {"language", "cobol"}}).hear().problem["status"],
            422);
  EXPECT_EQ(StreamSocket(daemon, {{"code", "1"}, {"detach", true}}).hear().problem["status"], 400);
  StreamSocket mute(daemon, bash_order("sleep 60"));
  mute.type("typed");
  EXPECT_EQ(mute.hear().problem["status"], 400);
  StreamSocket confused(daemon, bash_order("sleep 60"));
  confused.say(R"({"signal":"LUCK"})");
  EXPECT_EQ(confused.hear().problem["status"], 400);
}

TEST(ServeSockets, AreNotBroughtDownByNesting) {
  const Daemon daemon;
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const char* const member : {"cancel", "signal", "neither"}) {
    StreamSocket confused(daemon, bash_order("sleep 60"));
    ASSERT_TRUE(confused.is_open());
    confused.say(std::string("{\"") + member + "\":" + deep + "}");
    EXPECT_EQ(confused.hear().problem["status"], 400) << member;
  }
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
}

TEST(ServeSockets, SayThatOthersHoldAllTheBytes) {
  const Daemon daemon;
  std::vector<std::unique_ptr<Wire>> others;
  for (int index = 0; index < 8; ++index) {
    others.push_back(daemon.connect());
    const std::string head = "POST /v1/runs HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n";
    ASSERT_TRUE(others.back()->write(bytes_of(head), Call{}.within(5s)).ok());
  }
  EXPECT_TRUE(becomes_true(5s, [&] {
    return StreamSocket(daemon, bash_order("echo")).hear().problem["status"] == 503;
  }));
  others.clear();
  EXPECT_TRUE(becomes_true(5s, [&] {
    return StreamSocket(daemon, bash_order("echo")).hear().result["stdout"] == "\n";
  }));
}

TEST(ServeSockets, WaitNoLongerForARunThanForARequest) {
  const Daemon daemon({"--request-timeout", "2"});
  StreamSocket silent(daemon);
  EXPECT_EQ(silent.hear().problem["status"], 408);
  StreamSocket patient(daemon, bash_order("sleep 3; echo out"));
  EXPECT_EQ(patient.hear().out, "out\n");
}

TEST(ServeSockets, MayTakeLongAsLongAsTheyAreHeard) {
  const Daemon daemon({"--write-timeout", "2"});
  const auto wire = daemon.connect();
  const Json order = much_output();
  const std::string text = order.dump();
  const std::string opening =
      "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(opening), Call{}.within(5s)).ok());
  const std::string opened = text_until(*wire, "\r\n\r\n");
  EXPECT_THAT(opened, HasSubstr(" 101 "));
  EXPECT_THAT(opened, HasSubstr("\r\nX-Request-Id: "));
  ASSERT_LT(text.size(), 126U);  // a short frame, masked with zeros
  const std::string frame =
      "\x81" + std::string(1, static_cast<char>(0x80U | text.size())) + std::string(4, '\0') + text;
  ASSERT_TRUE(wire->write(bytes_of(frame), Call{}.within(5s)).ok());
  EXPECT_THAT(read_slowly(*wire), HasSubstr("\"warnings\":"));
}

TEST(ServeSockets, AreAskedForByAnUpgrade) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("GET", "/v1/stream").status, 426);
}

#ifdef LAZARET_SANITIZED
constexpr int kStreams = 20;
#else
constexpr int kStreams = 500;
#endif

// All are under way before any of them says something, and all of them speak at once.
TEST(ServeStreams, LoseNoByteOf500AtTheSameTime) {
  // What takes long is to hear all of them on a slow machine.
  const Daemon daemon(
      {"--runs", std::to_string(kStreams), "--connections", "600", "--write-timeout", "280"});
  std::vector<std::unique_ptr<StreamSocket>> sockets;
  for (int index = 0; index < kStreams; ++index) {
    const std::string code =
        "echo set; read go; seq -f 'line %.0f' " + std::to_string(index) + " 20000";
    Json order = bash_order(code, true);
    order["limits"] = {{"timeout_ms", 280'000}};
    sockets.push_back(std::make_unique<StreamSocket>(daemon, order));
    ASSERT_TRUE(sockets.back()->is_open());
  }
  for (const auto& socket : sockets) socket->hear_out("set\n");
  for (const auto& socket : sockets) socket->type("go\n");
  std::vector<std::jthread> listeners;
  for (const auto& socket : sockets) listeners.emplace_back([&socket] { (void)socket->hear(); });
  for (std::jthread& listener : listeners) listener.join();
  for (int index = 0; index < kStreams; ++index) {
    std::string expected = "set\n";
    for (int line = index; line <= 20000; ++line) expected += "line " + std::to_string(line) + "\n";
    const Streamed& heard = sockets[static_cast<std::size_t>(index)]->hear();
    ASSERT_EQ(to_hex(sha256(bytes_of(heard.out))), to_hex(sha256(bytes_of(expected)))) << index;
    ASSERT_TRUE(heard.result.is_object()) << index << heard.problem;
    ASSERT_EQ(heard.result["meta"]["cause"], "exited");
  }
}

}  // namespace
}  // namespace lazaret::test
