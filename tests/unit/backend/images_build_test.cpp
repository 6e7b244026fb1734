#include "backend/images/build.hpp"

#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
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
                   R"({"aux":{"ID":")" +
                       kId + "\"}}\n");
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

// Programs that stand in for mmdebstrap, in a folder that is gone at the end.
class FakeMmdebstrap : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "lazaret-images-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] RootfsRequest request(const std::string& script) const {
    const std::filesystem::path program = folder_ / "mmdebstrap";
    std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return {.packages = {"bash"},
            .environment = {"PATH=" + folder_.string() + ":/usr/bin:/bin", "TOKEN=secret"},
            .progress = {}};
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

std::string text_in(const http::BodySource& source) {
  std::string text;
  std::array<std::byte, 3> piece;
  for (;;) {
    const auto count = source(piece);
    if (!count.ok()) return text + "<" + count.error().message() + ">";
    if (*count == 0) return text;
    text += text_of(Bytes(piece).first(*count));
  }
}

TEST_F(FakeMmdebstrap, GivesItsOutputAsTheTar) {
  const auto source = make_rootfs(request("echo 'a whole tar'"), soon());
  ASSERT_TRUE(source.ok()) << source.error().message();
  EXPECT_EQ(text_in(*source), "a whole tar\n");
}

TEST_F(FakeMmdebstrap, SeesNoVariableThatItDoesNotNeed) {
  const auto source = make_rootfs(request("echo \"[$TOKEN]\""), soon());
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(text_in(*source), "[]\n");
}

TEST_F(FakeMmdebstrap, ThatFailsAtOnceGivesNoSourceButItsLastWords) {
  const auto source = make_rootfs(request("echo 'E: no mirror' >&2; exit 7"), soon());
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code(), Errc::engine);
  EXPECT_THAT(source.error().message(), HasSubstr("ended with status 7: E: no mirror"));
  EXPECT_THAT(source.error().hint(), HasSubstr("needs root"));
}

TEST_F(FakeMmdebstrap, ThatFailsHalfwayNeverLooksLikeAWholeTar) {
  const auto source = make_rootfs(request("echo half; exit 1"), soon());
  ASSERT_TRUE(source.ok());
  EXPECT_THAT(text_in(*source), HasSubstr("ended with status 1"));
}

TEST_F(FakeMmdebstrap, ThatFailsHalfwayLeavesNothingInTheCache) {
  const auto source = make_rootfs(request("echo half; exit 1"), soon());
  ASSERT_TRUE(source.ok());
  const auto path = folder() / "cache" / "bash.tar";
  EXPECT_FALSE(save(*source, path).ok());
  EXPECT_TRUE(std::filesystem::is_empty(path.parent_path()));
}

TEST_F(FakeMmdebstrap, IsKeptInTheCacheByteForByte) {
  const auto source = make_rootfs(request("echo whole"), soon());
  ASSERT_TRUE(source.ok());
  const auto path = folder() / "cache" / "bash.tar";
  ASSERT_TRUE(save(*source, path).ok());
  const auto saved = open_saved(path);
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(text_in(*saved), "whole\n");
}

TEST_F(FakeMmdebstrap, IsNotTakenFromACacheThatOthersMayWriteTo) {
  std::filesystem::permissions(folder(), std::filesystem::perms::all);
  const auto saved = open_saved(folder() / "bash.tar");
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().code(), Errc::permission_denied);
}

TEST(ImageRootfs, IsMadeOfThePackagesWithoutAShell) {
  const auto argv = mmdebstrap_argv({"bash", "sed"});
  EXPECT_EQ(argv.front(), "mmdebstrap");
  EXPECT_EQ(argv.back(), "-");
  EXPECT_THAT(argv, Contains("--include=usr-is-merged,bash,sed"));
  EXPECT_THAT(argv, Contains("--variant=minbase"));
}

TEST(ImageRootfs, TakesAProgramOfThisMachines) {
  const auto argv = mmdebstrap_argv({"bash"}, "/usr/bin/deno");
  EXPECT_THAT(argv, Contains("--customize-hook=upload /usr/bin/deno /usr/local/bin/deno"));
  EXPECT_EQ(argv.size(), mmdebstrap_argv({"bash"}).size() + 2);
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
