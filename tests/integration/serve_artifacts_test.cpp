#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
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
  const std::string backend = GetParam();
  const auto options = options_for(backend);
  if (!options) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  std::map<std::string, std::string> variables = {
      {"SANDBOX_TYPE", backend == "native" ? "local" : backend}, {"SANDBOX_FALLBACK", "never"}};
  if (options->host) variables["LAZARET_HOST"] = *options->host;
  const Daemon daemon({}, variables);
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

// Of whom nothing is heard any more nothing may be held: there is one place for runs.
TEST(ServeArtifactsOver, OneWhoGoesAwayOrNeverReadsHoldNobodyUp) {
  const Daemon daemon({"--runs", "1", "--write-timeout", "2"});
  const Json much = leaving("head -c 60000000 /dev/zero > out/much");
  StreamSocket silent(daemon, much);
  ASSERT_TRUE(silent.is_open());
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("echo out")).json()["stdout"], "out\n");
  StreamSocket gone(daemon, much);
  gone.hear([](const Streamed& heard) { return !heard.artifacts.empty(); });
  gone.leave();
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("echo out")).json()["stdout"], "out\n");
}

}  // namespace
}  // namespace lazaret::test
