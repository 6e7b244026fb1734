#include "engine/archive.hpp"

#include <gtest/gtest.h>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::archive {
namespace {

using test::FakeEngine;
using test::soon;

// {"name":"x","size":12,"mode":420,"linkTarget":""}
constexpr const char* kStat =
    "X-Docker-Container-Path-Stat: "
    "eyJuYW1lIjoieCIsInNpemUiOjEyLCJtb2RlIjo0MjAsImxpbmtUYXJnZXQiOiIifQ==\r\n";

TEST(EngineArchive, PutsATarWithoutClosingTheConnection) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = test::http(200, "")});
  ASSERT_TRUE(put(client, "abc", "/w dir", http::source_of(bytes_of("tar")), soon()).ok());
  EXPECT_EQ(test::request_line(engine.last_request()),
            "PUT /v1.41/containers/abc/archive?path=%2Fw%20dir&noOverwriteDirNonDir=1 HTTP/1.1");
  EXPECT_FALSE(test::has_header(engine.last_request(), "Connection: close"));
  EXPECT_EQ(test::request_body(engine.last_request()), "3\r\ntar\r\n0\r\n\r\n");
}

TEST(EngineArchive, SaysThatAReadOnlyContainerTakesNothingP36) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(
      test::says(500, R"({"message":"container rootfs is marked read-only"})"));
  const Status status = put(client, "abc", "/w", http::source_of(bytes_of("tar")), soon());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::engine);
}

TEST(EngineArchive, StreamsATarAndItsStat) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = test::http(200, "tartar", kStat), .piece_bytes = 3});
  std::string text;
  const auto got = get(
      client, "abc", {.path = "/x", .cap_bytes = 6},
      [&text](Bytes piece) -> Status {
        text += text_of(piece);
        return {};
      },
      soon());
  ASSERT_TRUE(got.ok()) << got.error().message();
  EXPECT_EQ(text, "tartar");
  EXPECT_EQ(got->size_bytes, 12);
}

TEST(EngineArchive, StopsOneByteAboveTheCap) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = test::http(200, "tartar", kStat), .piece_bytes = 3});
  const auto got = get(
      client, "abc", {.path = "/x", .cap_bytes = 5}, [](Bytes) -> Status { return {}; }, soon());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code(), Errc::too_large);
}

TEST(EngineArchive, LooksAtAPath) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = test::http(200, "", kStat)});
  const auto found = stat(client, "abc", "/x", soon());
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->name, "x");
  EXPECT_EQ(found->mode, 0644U);
  EXPECT_EQ(test::request_line(engine.last_request()),
            "HEAD /v1.41/containers/abc/archive?path=%2Fx HTTP/1.1");
}

TEST(EngineArchive, RefusesAStatThatIsNotOne) {
  EXPECT_FALSE(parse_stat("").ok());
  EXPECT_FALSE(parse_stat("!!!").ok());
  EXPECT_FALSE(parse_stat("eyJhIjoxfQ==").ok()) << R"({"a":1})";
  EXPECT_FALSE(parse_stat("eyJzaXplIjotMSwibW9kZSI6MX0=").ok()) << R"({"size":-1,"mode":1})";
}

}  // namespace
}  // namespace lazaret::engine::archive
