#include <gtest/gtest.h>

#include "engine/client.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine {
namespace {

using test::FakeDialer;
using test::FakeEngine;
using test::soon;

Result<EngineClient> negotiate(FakeEngine& engine, const Negotiation& options = {}) {
  return EngineClient::negotiate(std::make_unique<FakeDialer>(engine), options, soon());
}

Result<EngineClient> meet(const std::string& newest, const std::string& oldest,
                          const Negotiation& options = {}, Kind kind = Kind::docker) {
  FakeEngine engine;
  script_negotiation(engine, kind, newest);
  script_version(engine, newest, oldest);
  auto client = negotiate(engine, options);
  if (!client.ok()) return client;
  // The fake ends with this function; only what the client knows is looked at.
  return client;
}

std::string spoken(const std::string& newest, const std::string& oldest) {
  const auto client = meet(newest, oldest);
  return client.ok() ? to_string(client->identity().api) : client.error().message();
}

TEST(EngineNegotiation, SpeaksTheNewestVersionBothKnowP27) {
  EXPECT_EQ(spoken("1.41", "1.12"), "1.41") << "Docker 20.10";
  EXPECT_EQ(spoken("1.43", "1.12"), "1.43") << "Docker 24";
  EXPECT_EQ(spoken("1.52", "1.44"), "1.52") << "Docker 29.0";
  EXPECT_EQ(spoken("1.54", "1.40"), "1.54") << "Docker 29.3";
  EXPECT_EQ(spoken("1.44", "1.24"), "1.44") << "Podman 6";
  EXPECT_EQ(spoken("1.70", "1.50"), "1.56") << "an engine newer than us";
}

TEST(EngineNegotiation, AnEngineThatIsTooOldIsToldApartP27) {
  const auto client = meet("1.40", "1.12");
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code(), Errc::unsupported);
  EXPECT_NE(client.error().hint().find("update the engine"), std::string::npos);
}

TEST(EngineNegotiation, AnEngineThatIsTooNewIsToldApartP27) {
  const auto client = meet("2.3", "1.57");
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code(), Errc::unsupported);
  EXPECT_EQ(client.error().hint(), "update lazaret");
}

TEST(EngineNegotiation, APinnedVersionIsSpoken) {
  EXPECT_EQ(to_string(meet("1.51", "1.24", {.api_version = "1.44"})->identity().api), "1.44");
}

TEST(EngineNegotiation, APinnedVersionThatCannotBeSpokenIsRefused) {
  EXPECT_EQ(meet("1.41", "1.24", {.api_version = "1.42"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(meet("1.41", "1.24", {.api_version = "1.40"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(meet("1.41", "1.24", {.api_version = "v1.41"}).error().code(), Errc::invalid_argument);
  EXPECT_EQ(meet("1.41", "1.24", {.api_version = ""}).error().code(), Errc::invalid_argument);
}

TEST(EngineNegotiation, AsksWithoutAVersion) {
  FakeEngine engine;
  script_negotiation(engine, Kind::docker);
  ASSERT_TRUE(negotiate(engine).ok());
  EXPECT_EQ(test::request_line(engine.request(0)), "GET /_ping HTTP/1.1");
  EXPECT_TRUE(test::has_header(engine.request(0), "Connection: close"));
  EXPECT_TRUE(test::has_header(engine.request(0), "Host: localhost"));
}

TEST(EngineNegotiation, AsksOneThatSaysAllInItsPingForNothingElse) {
  for (const Kind kind : {Kind::docker, Kind::podman}) {
    FakeEngine engine;
    script_negotiation(engine, kind, "1.43");
    const auto client = negotiate(engine);
    ASSERT_TRUE(client.ok());
    EXPECT_EQ(engine.requests.size(), 1U);
    EXPECT_EQ(client->kind(), kind);
    EXPECT_EQ(client->identity().version, kind == Kind::podman ? "4.3.1" : "20.10.24");
    EXPECT_EQ(client->identity().os, "linux");
    EXPECT_EQ(to_string(client->identity().api), "1.43");
  }
}

// Each leaves something open, which /version then says.
TEST(EngineNegotiation, AsksForTheVersionWhereThePingLeavesSomethingOpen) {
  const auto asks = [](const std::string& headers, const Negotiation& options = {}) {
    FakeEngine engine;
    engine.answers.push_back({.bytes = test::http(200, "OK", headers)});
    script_version(engine, "1.43", "1.24");
    EXPECT_TRUE(negotiate(engine, options).ok()) << headers;
    return engine.requests.size() == 2 &&
           test::request_line(engine.request(1)) == "GET /version HTTP/1.1";
  };
  const std::string docker = "Server: Docker/24.0.5 (linux)\r\n";
  const std::string version = "Api-Version: 1.43\r\n";
  EXPECT_FALSE(asks(version + docker));
  EXPECT_TRUE(asks(docker));
  EXPECT_TRUE(asks(version));
  EXPECT_TRUE(asks("Api-Version: 1.57\r\n" + docker));
  EXPECT_TRUE(asks("Api-Version: 1.40\r\n" + docker));
  EXPECT_TRUE(asks("Api-Version: 1.x\r\n" + docker));
  EXPECT_TRUE(asks(version + docker, {.api_version = "1.42"}));
  for (const char* const server :
       {"nginx/1.22 (linux)", "Docker", "Docker/24", "Docker/24 (linux", "Docker (linux)",
        "Docker (li/nux)", "/24 (linux)", "docker/24 (linux)"})
    EXPECT_TRUE(asks(version + "Server: " + server + "\r\n")) << server;
}

TEST(EngineNegotiation, KnowsPodmanByThePingsHeaderP43) {
  EXPECT_EQ(meet("1.41", "1.24", {}, Kind::podman)->kind(), Kind::podman);
  EXPECT_EQ(meet("1.41", "1.24", {}, Kind::docker)->kind(), Kind::docker);
}

TEST(EngineNegotiation, KnowsPodmanByTheServerHeader) {
  FakeEngine engine;
  engine.answers.push_back({.bytes = test::http(200, "OK", "Server: Libpod/4.3.1 (linux)\r\n")});
  engine.answers.push_back(test::says(200, R"({"ApiVersion":"1.41"})"));
  EXPECT_EQ(negotiate(engine)->kind(), Kind::podman);
}

TEST(EngineNegotiation, KnowsPodmanByItsComponents) {
  FakeEngine engine;
  engine.answers.push_back({.bytes = test::http(200, "OK")});
  engine.answers.push_back(
      test::says(200, R"({"ApiVersion":"1.41","Components":[7,{"Name":"Podman Engine"}]})"));
  EXPECT_EQ(negotiate(engine)->kind(), Kind::podman);
}

TEST(EngineNegotiation, SomethingElseOnTheSocketIsAProtocolError) {
  FakeEngine engine;
  engine.answers.push_back({.bytes = test::http(200, "hello")});
  engine.answers.push_back({.bytes = test::http(200, "<html>welcome</html>")});
  const auto client = negotiate(engine);
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code(), Errc::protocol);
}

TEST(EngineNegotiation, AnEngineThatSaysNoVersionIsAProtocolError) {
  FakeEngine engine;
  engine.answers.push_back({.bytes = test::http(200, "OK")});
  engine.answers.push_back(test::says(200, R"({"ApiVersion":41})"));
  EXPECT_EQ(negotiate(engine).error().code(), Errc::protocol);
}

TEST(EngineNegotiation, DescribesTheEngine) {
  EXPECT_EQ(meet("1.41", "1.24")->kind(), Kind::docker);
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  EXPECT_EQ(client.describe(), "Docker 20.10.24 (API 1.41)");
}

TEST(EngineNegotiation, ReadsVersionsStrictly) {
  EXPECT_EQ(parse_api_version("1.41"), (ApiVersion{1, 41}));
  EXPECT_FALSE(parse_api_version("").has_value());
  EXPECT_FALSE(parse_api_version("1").has_value());
  EXPECT_FALSE(parse_api_version("1.").has_value());
  EXPECT_FALSE(parse_api_version("1.41 ").has_value());
  EXPECT_FALSE(parse_api_version("1.-1").has_value());
  EXPECT_FALSE(parse_api_version("1.99999999999999").has_value());
}

class EngineRenegotiation : public testing::Test {
 protected:
  void refuse(const std::string& why) {
    engine_.answers.push_back({.bytes = test::http(400, why)});
  }
  void offer(const std::string& newest) {
    script_negotiation(engine_, Kind::docker, newest);
  }
  [[nodiscard]] Result<http::Response> ask() const {
    return client_.transact({.doing = "asking", .method = "GET", .target = Target("info")}, soon());
  }
  [[nodiscard]] std::string line(std::size_t index) const {
    return test::request_line(engine_.request(index));
  }

  FakeEngine engine_;
  EngineClient client_ = test::client_of(engine_);  // 1.41
};

TEST_F(EngineRenegotiation, AsksAgainInTheVersionThatTheEngineSpeaksNowP27) {
  refuse("client version 1.41 is too old. Minimum supported API version is 1.44");
  offer("1.52");
  engine_.answers.push_back(test::says(200, "{}"));
  ASSERT_TRUE(ask().ok());
  EXPECT_EQ(line(0), "GET /v1.41/info HTTP/1.1");
  EXPECT_EQ(line(1), "GET /_ping HTTP/1.1");
  EXPECT_EQ(line(2), "GET /v1.52/info HTTP/1.1");
  EXPECT_NE(client_.describe().find("API 1.52"), std::string::npos);
  engine_.answers.push_back(test::says(200, "{}"));
  ASSERT_TRUE(ask().ok());
  EXPECT_EQ(line(3), "GET /v1.52/info HTTP/1.1");
}

TEST_F(EngineRenegotiation, KeepsARefusalThatTheVersionDoesNotExplain) {
  refuse("invalid condition");
  offer("1.41");
  const auto answer = ask();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Errc::invalid_argument);
  EXPECT_NE(answer.error().message().find("invalid condition"), std::string::npos);
  EXPECT_EQ(engine_.requests.size(), 2U);
}

TEST_F(EngineRenegotiation, HappensOnceForACall) {
  refuse("too old");
  offer("1.52");
  refuse("too old");
  EXPECT_EQ(ask().error().code(), Errc::invalid_argument);
  EXPECT_EQ(engine_.requests.size(), 3U);
}

TEST_F(EngineRenegotiation, KeepsTheRefusalWhenNothingIsInCommonAnyMore) {
  refuse("too old");
  offer("1.90");
  script_version(engine_, "1.90", "1.80");
  EXPECT_EQ(ask().error().code(), Errc::invalid_argument);
  EXPECT_EQ(engine_.requests.size(), 3U);
}

}  // namespace
}  // namespace lazaret::engine
