#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "base/tar.hpp"
#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "integration/stream_socket.hpp"

// What a program leaves in /work/out, over a WebSocket.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

Json leaving(const std::string& code) {
  return {{"language", "bash"}, {"code", code}, {"stream_artifacts", true}};
}

class ServeArtifacts : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(On, ServeArtifacts, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeArtifacts, ComeBeforeTheResultPieceByPiece) {
  const auto variables = variables_for(GetParam());
  if (!variables) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  const Daemon daemon({}, *variables);
  StreamSocket socket(daemon, leaving("cd out; mkdir d; seq 2000000 > d/long; chmod 755 d/long; "
                                      "sha256sum < d/long; ln -s d/long link; mkfifo fifo; "
                                      "printf x > $'\\xff'"));
  Streamed& heard = socket.hear();
  ASSERT_TRUE(heard.result.is_object()) << heard.problem;
  EXPECT_FALSE(heard.result.contains("artifacts")) << "those that were sent are not listed again";
  ASSERT_THAT(heard.artifacts, SizeIs(6));
  EXPECT_EQ(heard.artifacts[0].head, (Json{{"type", "directory"}, {"path", "."}}));
  std::ranges::sort(heard.artifacts, {}, [](const auto& left) { return left.head.dump(); });
  std::vector<std::string> heads;
  for (const auto& left : heard.artifacts) heads.push_back(left.head.dump());
  EXPECT_THAT(heads,
              testing::ElementsAre(
                  R"({"executable":true,"path":"d/long","type":"file"})",
                  R"({"path":".","type":"directory"})", R"({"path":"d","type":"directory"})",
                  R"({"path":"fifo","type":"other"})", R"({"path":"link","type":"link"})",
                  R"({"path_base64":"/w==","type":"file"})"));
  EXPECT_EQ(to_hex(sha256(bytes_of(heard.artifacts[0].content))) + "  -\n", heard.out);
  EXPECT_TRUE(heard.artifacts[0].has_ended);
  EXPECT_EQ(heard.artifacts[5].content, "x");
  EXPECT_FALSE(heard.artifacts[1].has_ended);
}

TEST(ServeArtifactsOver, AWebSocketAlone) {
  const Daemon daemon;
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", leaving("exit").dump()).status, 400);
  StreamSocket wrong(daemon, {{"code", "1"}, {"stream_artifacts", "yes"}});
  EXPECT_EQ(wrong.hear().problem["status"], 400);
  StreamSocket unasked(daemon, {{"language", "bash"}, {"code", "echo x > out/x"}});
  EXPECT_THAT(unasked.hear().artifacts, IsEmpty());
}

bool is_busy(const Daemon& daemon) {
  return daemon.ask("GET", "/v1/metrics").body.find("lazaret_runs{state=\"running\"} 1") !=
         std::string::npos;
}

// There is one place for runs, and what lies in /work/out is more than is on its way at once.
TEST(ServeArtifactsOver, OneWhoGoesAwayOrNeverReadsHoldsNobodyUp) {
  const Daemon daemon({"--runs", "1", "--write-timeout", "2"});
  const Json much = leaving("head -c 60000000 /dev/zero > out/much");
  const auto expect_room = [&daemon] {
    const auto asked = std::chrono::steady_clock::now();
    const Reply reply = daemon.ask("POST", "/v1/runs", bash_body("echo out"));
    EXPECT_EQ(reply.json()["stdout"], "out\n");
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 20s);
  };
  StreamSocket silent(daemon, much);
  EXPECT_TRUE(becomes_true(10s, [&] { return is_busy(daemon); }));
  expect_room();
  StreamSocket gone(daemon, much);
  gone.hear([](const Streamed& heard) { return !heard.artifacts.empty(); });
  gone.leave();
  expect_room();
  StreamSocket cancelled(daemon, much);
  EXPECT_TRUE(becomes_true(10s, [&] { return is_busy(daemon); }));
  cancelled.say(R"({"cancel":true})");
  expect_room();
}

// What it did not take comes from the box all the same, which is in step then.
TEST(ServeArtifactsOver, OneWhoGoesAwayLeavesTheSessionAsItIs) {
  const Daemon daemon;
  const std::string place = daemon.ask("POST", "/v1/sessions", "{}").json()["session_id"];
  Json order = leaving("mkdir -p out; head -c 30000000 /dev/zero > out/much");
  order["session"] = place;
  StreamSocket gone(daemon, order);
  const Streamed& heard =
      gone.hear([](const Streamed& some) { return some.artifacts.size() > 1; });
  EXPECT_TRUE(heard.problem.is_null()) << heard.problem;
  gone.leave();
  const Json next = daemon.ask("POST", "/v1/runs",
                               bash_body("wc -c < out/much", {{"session", place}})).json();
  EXPECT_EQ(next["stdout"], "30000000\n") << next;
}

// A tar by hand: what is hostile in one is refused, and the program does not run.
TEST(ServeArchivesOfOrders, PutNothingThatLeadsOut) {
  const Daemon daemon;
  const auto run = [&daemon](const std::vector<TarHead>& heads, const std::string& path) {
    std::string archive;
    for (const TarHead& head : heads) archive += tar_head(head).value();
    archive += tar_end();
    if (path == "raw") archive.replace(0, 4, "../x");
    const Json file = {{"path", path}, {"archive", to_base64(archive)}};
    return daemon.ask("POST", "/v1/runs", bash_body("ls -A", {{"files", {file}}})).json();
  };
  EXPECT_EQ(run({{.path = "d/f"}}, ".")["meta"]["cause"], "exited");
  EXPECT_EQ(run({{.path = "abcd"}}, "raw")["meta"]["cause"], "start_failed");
  const TarHead up{.path = "d/l", .kind = TarKind::link, .target = "../../etc"};
  EXPECT_EQ(run({up}, ".")["meta"]["cause"], "start_failed");
  EXPECT_EQ(run({{.path = "l", .kind = TarKind::link, .target = "d"}, {.path = "l/f"}}, ".")["meta"]
                ["cause"], "start_failed");
  EXPECT_EQ(run({{.path = "f", .size = 7}}, ".")["meta"]["cause"], "start_failed");
}

}  // namespace
}  // namespace lazaret::test
