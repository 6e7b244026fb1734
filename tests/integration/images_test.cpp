#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "backend/images/build.hpp"
#include "backend/images/list.hpp"
#include "backend/images/rootfs.hpp"
#include "engine/client.hpp"
#include "engine/image_make.hpp"
#include "engine/json.hpp"
#include "integration/images_bed.hpp"

// Images are made by real engines and a real mmdebstrap, which needs a way to a Debian mirror.
namespace lazaret::backend::images {
namespace {

using test::Folder;
using test::variable;
using test::within_minutes;
using testing::HasSubstr;

using Images = test::ImagesBed;
INSTANTIATE_TEST_SUITE_P(On, Images, testing::Values("docker", "podman"),
                         [](const auto& tested) { return std::string(tested.param); });

std::vector<std::string> environment_with(const Folder& temporary) {
  return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
          "TMPDIR=" + temporary.path(), "http_proxy=" + variable("http_proxy"),
          "https_proxy=" + variable("https_proxy")};
}

BuildOptions from_packages(const Folder& temporary) {
  BuildOptions options;
  options.from = From::packages;
  options.environment = environment_with(temporary);
  options.now = std::chrono::system_clock::now();
  return options;
}

Definition bash() { return definitions().at(1); }

// Under a name of its own, so that the images other tests run in stay as they are.
Definition bash_named(const std::string& name) {
  Definition definition = bash();
  definition.name = name;
  return definition;
}

// What decides how a container of the image starts.
nlohmann::json start_of(const nlohmann::json& image) {
  const nlohmann::json& config = engine::member(image, "Config");
  nlohmann::json start = nlohmann::json::object();
  for (const char* key : {"User", "WorkingDir", "Cmd", "Labels"}) {
    start[key] = engine::member(config, key);
  }
  // Podman adds a label with Buildah's version to what it builds.
  if (start["Labels"].is_object()) start["Labels"].erase("io.buildah.version");
  return start;
}

TEST_P(Images, AreTheSameFromPackagesFromTheCacheAndFromABase) {
  need_mmdebstrap();
  if (IsSkipped() || HasFatalFailure()) return;
  const Folder temporary;
  const Folder cache;
  const Definition definition = bash_named("images-test");
  BuildOptions options = from_packages(temporary);
  options.cache_directory = cache.path();

  const auto made = build(client(), definition, options, within_minutes(4));
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_FALSE(made->from_cache);
  EXPECT_EQ(made->reference, "lazaret/images-test:latest");
  const nlohmann::json first = inspected(made->reference);
  EXPECT_EQ(listed_from(bash(), first).state, State::current);
  EXPECT_EQ(listed_from(bash(), first).version, LAZARET_VERSION);
  EXPECT_LT(listed_from(bash(), first).size_bytes, 100'000'000);
  EXPECT_EQ(engine::text_at(first["Config"], "User"), "65534:65534");

  BuildOptions again = options;
  again.environment = {"PATH="};
  const auto imported = build(client(), definition, again, within_minutes(1));
  ASSERT_TRUE(imported.ok()) << imported.error().message();
  EXPECT_TRUE(imported->from_cache);
  EXPECT_NE(imported->id, made->id);
  EXPECT_FALSE(exists(made->id)) << "the image that had the name is still there";
  EXPECT_EQ(start_of(inspected(imported->reference)), start_of(first));

  need_registry();
  if (IsSkipped() || HasFatalFailure()) return;
  // The base: the same files, not configured, in a registry.
  const auto files = open_saved(cached_path(
      cache.path(), definition.name, packages_sha256(definition, Contents::plain), options.now));
  ASSERT_TRUE(files.ok()) << files.error().message();
  BuildOptions on_base = options;
  on_base.from = From::registry;
  on_base.base = published(*files);
  ASSERT_THAT(on_base.base, HasSubstr("@sha256:"));
  const auto built = build(client(), definition, on_base, within_minutes(4));
  ASSERT_TRUE(built.ok()) << built.error().message();
  EXPECT_EQ(built->from, From::registry);
  EXPECT_EQ(start_of(inspected(built->reference)), start_of(first));
  for (const std::string& image : {made->reference, on_base.base}) {
    EXPECT_TRUE(remove(image).ok()) << image;
  }
}

TEST_P(Images, ThatWereBuiltAreListedWithTheirLabels) {
  const auto rows = list(client(), within_minutes(1));
  ASSERT_TRUE(rows.ok()) << rows.error().message();
  ASSERT_EQ(rows->size(), 9U);
  int built = 0;
  for (const Listed& row : *rows) {
    if (row.state == State::missing) continue;
    ++built;
    EXPECT_EQ(row.state, State::current) << row.name;
    EXPECT_EQ(row.version, LAZARET_VERSION) << row.name;
    EXPECT_GT(row.size_bytes, 10'000'000) << row.name;
    EXPECT_TRUE(row.created) << row.name;
    EXPECT_EQ(row.id, engine::text_at(inspected(row.reference), "Id")) << row.name;
  }
  if (built == 0) LAZARET_SKIP_OR_FAIL("images", "no image has been built here");
  EXPECT_GE(built, 3);
}

TEST_P(Images, CannotBeMadeFromPackagesWithoutMmdebstrapAndSayWhatToInstall) {
  const Folder temporary;
  BuildOptions options = from_packages(temporary);
  options.environment = {"PATH="};
  const auto built = build(client(), bash_named("images-test-none"), options, within_minutes(1));
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code(), Errc::not_found);
  EXPECT_THAT(built.error().hint(), HasSubstr("apt-get install mmdebstrap"));
  EXPECT_FALSE(exists("docker.io/lazaret/images-test-none:latest"));
}

TEST_P(Images, LeaveNothingBehindWhenTheirMakingIsCutShort) {
  need_mmdebstrap();
  if (IsSkipped() || HasFatalFailure()) return;
  const Folder temporary;
  const auto built = build(client(), bash_named("images-test-none"), from_packages(temporary),
                           Call{}.within(std::chrono::seconds(4)));
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code(), Errc::timed_out);
  EXPECT_FALSE(exists("docker.io/lazaret/images-test-none:latest"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

}  // namespace
}  // namespace lazaret::backend::images
