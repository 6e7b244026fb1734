#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/stream_socket.hpp"

// Terminals over a daemon's WebSockets.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

Json order_at_terminal(const std::string& code, int rows = 24) {
  return {{"language", "bash"},
          {"code", code},
          {"stream_stdin", true},
          {"terminal", {{"rows", rows}, {"columns", 80}}}};
}

TEST(ServeTerminal, CarriesWhatIsTypedAndWhatIsWritten) {
  const Daemon daemon;
  StreamSocket socket(daemon, order_at_terminal("stty size; read -r x; echo got $x; exit 3", 33));
  socket.hear_out("33 80");
  socket.type("one\n");
  const Streamed& heard = socket.hear();
  EXPECT_THAT(heard.out, EndsWith("got one\r\n"));
  EXPECT_EQ(heard.result["exit_code"], 3);
}

TEST(ServeTerminal, IsToldOfAnotherSize) {
  const Daemon daemon;
  StreamSocket socket(daemon, order_at_terminal("trap 'stty size; exit' WINCH; echo on; "
                                                "while :; do sleep 0.05; done"));
  socket.hear_out("on");
  socket.say(R"({"resize":{"rows":60,"columns":200}})");
  EXPECT_THAT(socket.hear().out, HasSubstr("60 200"));
}

TEST(ServeTerminal, IsOneOfASession) {
  const Daemon daemon;
  const Reply made = daemon.ask("POST", "/v1/sessions", "{}");
  ASSERT_EQ(made.status, 201) << made.body;
  Json order = order_at_terminal("echo of mine >kept; tty");
  order["session"] = made.json()["session_id"];
  EXPECT_THAT(StreamSocket(daemon, order).hear().out, HasSubstr("/dev/pts/"));
  order.erase("terminal");
  order["code"] = "cat kept";
  EXPECT_EQ(StreamSocket(daemon, order).hear().out, "of mine\n");
}

TEST(ServeTerminal, RefusesWhatIsNoSizeAndWhatIsNoSocket) {
  const Daemon daemon;
  const Reply reply =
      daemon.ask("POST", "/v1/runs", bash_body("tty", {{"terminal", Json::object()}}));
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("WebSocket"));
  EXPECT_EQ(StreamSocket(daemon, order_at_terminal("tty", 0)).hear().problem["status"], 400);
  StreamSocket socket(daemon, order_at_terminal("echo on; sleep 60"));
  socket.hear_out("on");
  socket.say(R"({"resize":{"rows":0,"columns":200}})");
  EXPECT_EQ(socket.hear().problem["status"], 400);
}

// The program waits for its reader, beyond what is kept of its output.
TEST(ServeTerminal, LosesNothingForASlowReader) {
  const Daemon daemon;
  StreamSocket socket(daemon,
                      order_at_terminal("stty raw; head -c 6000000 /dev/zero | tr '\\0' x"));
  std::size_t heard = 0;
  (void)socket.hear([&heard](const Streamed& all) {
    if (all.out.size() >= heard + 500'000) {
      heard = all.out.size();
      std::this_thread::sleep_for(50ms);
    }
    return false;
  });
  EXPECT_EQ(socket.hear().out, std::string(6'000'000, 'x'));
  EXPECT_EQ(socket.hear().result["meta"]["cause"], "exited");
}

TEST(ServeTerminal, EndsTheRunOfAReaderWhoTakesNothing) {
  const Daemon daemon({"--write-timeout", "2"});
  const std::string marker = unique_marker();
  Json order = order_at_terminal("");
  order.erase("language"), order.erase("code");
  order["command"] = {"bash", "-c", "stty raw; yes; :", marker};
  order["limits"] = {{"timeout_ms", 200'000}};
  StreamSocket socket(daemon, order);
  socket.hear_out("y");
  EXPECT_FALSE(processes_marked(marker).empty());
  EXPECT_TRUE(becomes_true(60s, [&] { return processes_marked(marker).empty(); }));
}

}  // namespace
}  // namespace lazaret::test
