#include "backend/images/build.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/images/rootfs.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::backend::images {
namespace {

using engine::test::client_of;
using engine::test::FakeEngine;
using engine::test::request_line;
using engine::test::says;
using engine::test::soon;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kId = "sha256:" + std::string(64, 'a');

Definition bash() { return definitions().at(1); }
engine::test::Answer no_such_image() { return says(404, R"({"message":"no such image"})"); }
engine::test::Answer image_with(const std::string& id) {
  return says(200, R"({"Id":")" + id + R"(","RepoTags":[]})");
}
engine::test::Answer built_answer() {
  return says(200, R"({"stream":"Step 1/9"})"
                   "\n"
                   R"({"aux":{"ID":")" + kId + "\"}}\n");
}

TEST(ImageBuild, BuildsTheDockerfileOnABaseThatIsThere) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {no_such_image(), image_with("sha256:base"), built_answer(), image_with(kId)};
  const auto built = build(client, bash(), {}, soon());
  ASSERT_TRUE(built.ok()) << built.error().message();
  EXPECT_EQ(built->reference, "lazaret/bash:latest");
  EXPECT_EQ(built->id, kId);
  EXPECT_EQ(built->from, From::registry);
  EXPECT_THAT(request_line(engine.request(2)),
              AllOf(HasSubstr("/build?"), HasSubstr("networkmode=host"),
                    HasSubstr("t=docker.io%2Flazaret%2Fbash%3Alatest"),
                    HasSubstr(packages_sha256(bash(), Contents::plain))));
}

TEST(ImageBuild, ShowsWhatTheEngineDoes) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {no_such_image(), image_with("sha256:base"), built_answer(), image_with(kId)};
  std::vector<std::string> shown;
  BuildOptions options;
  options.progress = [&shown](const engine::image::Progress& line) {
    shown.push_back(line.status);
  };
  ASSERT_TRUE(build(client, bash(), options, soon()).ok());
  EXPECT_THAT(shown, Contains("Step 1/9"));
}

TEST(ImageBuild, RemovesTheImageThatHadTheNameBefore) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {image_with("sha256:old"), image_with("sha256:base"), built_answer(),
                    image_with(kId),          image_with("sha256:old"),  says(200, "[]")};
  ASSERT_TRUE(build(client, bash(), {}, soon()).ok());
  EXPECT_THAT(request_line(engine.last_request()), StartsWith("DELETE /v1.41/images/sha256%3Aold"));
}

TEST(ImageBuild, KeepsAnEarlierImageThatHasAnotherName) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {image_with("sha256:old"), image_with("sha256:base"), built_answer(),
                    image_with(kId), says(200, R"({"Id":"sha256:old","RepoTags":["mine:1"]})")};
  ASSERT_TRUE(build(client, bash(), {}, soon()).ok());
  EXPECT_THAT(request_line(engine.last_request()), StartsWith("GET "));
}

TEST(ImageBuild, PullsTheBaseByDigestAndSaysHowToGoOnWithoutARegistry) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {no_such_image(), no_such_image(), says(500, R"({"message":"no route"})")};
  BuildOptions options;
  options.from = From::registry;
  const auto built = build(client, bash(), options, soon());
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(built.error().hint(), HasSubstr("--from packages"));
  EXPECT_THAT(request_line(engine.last_request()), HasSubstr("debian%40sha256%3A"));
}

TEST(ImageBuild, TurnsToPackagesWithoutARegistryAndSaysWhatIsMissingThere) {
  FakeEngine engine;
  const auto client = client_of(engine);
  engine.answers = {no_such_image(), no_such_image(), says(500, R"({"message":"no route"})")};
  BuildOptions options;
  options.environment = {"PATH="};
  const auto built = build(client, bash(), options, soon());
  ASSERT_FALSE(built.ok());
  EXPECT_THAT(built.error().hint(), HasSubstr("apt-get install mmdebstrap"));
}

TEST(ImageRootfs, IsMadeOfThePackagesWithoutAShell) {
  const auto argv = mmdebstrap_argv({"bash", "sed"});
  EXPECT_EQ(argv.front(), "mmdebstrap");
  EXPECT_EQ(argv.back(), "-");
  EXPECT_THAT(argv, Contains("--include=usr-is-merged,bash,sed"));
  EXPECT_THAT(argv, Contains("--variant=minbase"));
}

TEST(ImageRootfs, IsCachedByPackagesAndDay) {
  const std::chrono::system_clock::time_point noon{std::chrono::seconds(1795176000)};
  EXPECT_EQ(cached_path("/c", "bash", std::string(64, 'f'), noon).generic_string(),
            "/c/bash-ffffffffffffffff-20261120.tar");
  EXPECT_NE(cached_path("/c", "bash", std::string(64, 'f'), noon + std::chrono::hours(24)),
            cached_path("/c", "bash", std::string(64, 'f'), noon));
}

}  // namespace
}  // namespace lazaret::backend::images
