#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "integration/daemon.hpp"

// The images that Lazaret brings along, as a user asks for them.
namespace lazaret::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CliImagesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    host_ = *options->host;
  }
  std::string host_;
};

INSTANTIATE_TEST_SUITE_P(EachEngine, CliImagesOn, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(CliImagesOn, ListThoseThatAreThereAndThoseThatAreNot) {
  const Ended shown = lazaret({"images", "ls", "--host", host_});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("IMAGE "));
  EXPECT_THAT(shown.out, testing::ContainsRegex("lazaret/python:latest +[a-z]+ +[0-9]+ MiB +[0-9]+ "
                                                "[hd]  sha256:[0-9a-f]{12}"));
  EXPECT_THAT(lazaret({"images", "--host", host_}).out, StartsWith("IMAGE "));
  const Ended said = lazaret({"images", "ls", "--json", "--host", host_});
  const Json list = Json::parse(said.out, nullptr, false);
  ASSERT_TRUE(list.is_array()) << said.out << said.err;
  const auto python = std::ranges::find_if(
      list, [](const Json& image) { return image["reference"] == "lazaret/python:latest"; });
  ASSERT_NE(python, list.end()) << list;
  EXPECT_THAT((*python)["id"].get<std::string>(), StartsWith("sha256:"));
  EXPECT_GT((*python)["size_bytes"], 1 << 20);
}

TEST_P(CliImagesOn, AreListedByTheDaemonAsByTheCommandLine) {
  Daemon daemon({"--type", GetParam(), "--host", host_});
  const Reply reply = daemon.ask("GET", "/v1/images");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.head.header("Content-Type"), "application/json");
  EXPECT_EQ(reply.json(), Json::parse(lazaret({"images", "ls", "--json", "--host", host_}).out));
  daemon.signal(SIGTERM);  // else the box of its trial would be left
  EXPECT_EQ(daemon.wait(), 0);
}

TEST(CliImages, SayWhatTheyAreWhenAnUnknownOneIsAsked) {
  const Ended ended = lazaret({"images", "build", "cobol", "--host", "unix:///nowhere"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("python, bash, node"));
}

TEST(CliImages, NeedAnEngineAndSayHowToGetOne) {
  const Ended ended = lazaret({"images", "ls", "--host", "unix:///nowhere"});
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(ended.err, HasSubstr("/nowhere"));
  EXPECT_THAT(ended.err, HasSubstr("hint"));
}

}  // namespace
}  // namespace lazaret::test
