#include <algorithm>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"

// The daemon beside an engine: what it tells of it is what the engine has.
namespace lazaret::test {
namespace {

using testing::StartsWith;

class ServeBesideEngine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    host_ = *options->host;
  }
  std::string host_;
};

INSTANTIATE_TEST_SUITE_P(EachEngine, ServeBesideEngine, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeBesideEngine, ListsImagesAsTheCommandLineDoes) {
  Daemon daemon({"--type", GetParam(), "--host", host_});
  const Reply reply = daemon.ask("GET", "/v1/images");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.head.header("Content-Type"), "application/json");
  const Json list = reply.json();
  EXPECT_EQ(list, Json::parse(lazaret({"images", "ls", "--json", "--host", host_}).out));
  ASSERT_TRUE(list.is_array()) << reply.body;
  const auto python = std::ranges::find_if(
      list, [](const Json& image) { return image["reference"] == "lazaret/python:latest"; });
  ASSERT_NE(python, list.end()) << list;
  EXPECT_THAT((*python)["id"].get<std::string>(), StartsWith("sha256:"));
  EXPECT_GT((*python)["size_bytes"], 1 << 20);
  daemon.signal(SIGTERM);  // else the box of its trial would be left
  EXPECT_EQ(daemon.wait(), 0);
}

}  // namespace
}  // namespace lazaret::test
