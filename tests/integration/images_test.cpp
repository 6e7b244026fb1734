#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
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
#include "engine/endpoint.hpp"
#include "engine/image_make.hpp"
#include "engine/json.hpp"

// Images are made by real engines and a real mmdebstrap, which needs a way to a Debian mirror.
namespace lazaret::backend::images {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Call within_minutes(int minutes) { return Call{}.within(std::chrono::minutes(minutes)); }

// A folder of our own below the machine's one for temporary files, gone at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "lazaret-images-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

class Images : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string engine = GetParam();
    const std::string name = engine == "docker" ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN";
    const std::string endpoint = variable(name.c_str());
    if (endpoint.empty()) {
      ASSERT_THAT(variable("LAZARET_REQUIRE"), Not(HasSubstr(engine))) << name << " is not set";
      GTEST_SKIP() << name << " is not set";
    }
    const auto parsed = engine::parse_endpoint(endpoint);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    auto client = engine::EngineClient::negotiate(engine::dialer_for(*parsed), {},
                                                  within_minutes(1));
    ASSERT_TRUE(client.ok()) << client.error().message();
    client_.emplace(std::move(client).value());
  }

  [[nodiscard]] const engine::EngineClient& client() const { return *client_; }
  [[nodiscard]] nlohmann::json inspected(const std::string& image) const {
    auto found = engine::image::inspect(client(), image, within_minutes(1));
    if (found.ok()) return std::move(found).value();
    ADD_FAILURE() << found.error().message();
    return nlohmann::json::object();
  }
  [[nodiscard]] bool exists(const std::string& image) const {
    return engine::image::inspect(client(), image, within_minutes(1)).ok();
  }

  static void need_mmdebstrap() {
    if (::geteuid() != 0) GTEST_SKIP() << "mmdebstrap makes the files as root";
    if (std::filesystem::exists("/usr/bin/mmdebstrap")) return;
    ASSERT_THAT(variable("LAZARET_REQUIRE"), Not(HasSubstr("docker"))) << "no mmdebstrap";
    GTEST_SKIP() << "mmdebstrap is not installed";
  }

 private:
  std::optional<engine::EngineClient> client_;
};
INSTANTIATE_TEST_SUITE_P(On, Images, testing::Values("docker", "podman"),
                         [](const auto& tested) { return std::string(tested.param); });

std::vector<std::string> environment_with(const Folder& temporary) {
  return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
          "TMPDIR=" + temporary.path().string(), "http_proxy=" + variable("http_proxy"),
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

// A base without a registry: the same files, not configured, under a name that the engine knows.
std::string import_base(const engine::EngineClient& client, const std::filesystem::path& tar) {
  const auto source = open_saved(tar);
  if (!source.ok()) return {};
  const std::string repository = "docker.io/lazaret-test/base";
  const auto imported = engine::image::import_tar(
      client, {.repository = repository, .tag = "latest"}, *source, within_minutes(2));
  return imported.ok() ? repository + ":latest" : std::string();
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

  BuildOptions on_base = options;
  on_base.from = From::registry;
  on_base.base = import_base(
      client(), cached_path(cache.path(), definition.name,
                            packages_sha256(definition, Contents::plain), options.now));
  ASSERT_NE(on_base.base, "");
  const auto built = build(client(), definition, on_base, within_minutes(4));
  ASSERT_TRUE(built.ok()) << built.error().message();
  EXPECT_EQ(built->from, From::registry);
  EXPECT_EQ(start_of(inspected(built->reference)), start_of(first));
  for (const std::string& image : {made->reference, on_base.base}) {
    EXPECT_TRUE(engine::image::remove(client(), image, within_minutes(1)).ok());
  }
}

TEST_P(Images, ThatWereBuiltAreListedWithTheirLabels) {
  const auto rows = list(client(), within_minutes(1));
  ASSERT_TRUE(rows.ok()) << rows.error().message();
  ASSERT_EQ(rows->size(), 3U);
  for (const Listed& row : *rows) {
    if (row.state == State::missing) GTEST_SKIP() << row.reference << " has not been built here";
    EXPECT_EQ(row.state, State::current) << row.name;
    EXPECT_EQ(row.version, LAZARET_VERSION) << row.name;
    EXPECT_GT(row.size_bytes, 10'000'000) << row.name;
    EXPECT_TRUE(row.created) << row.name;
    EXPECT_EQ(row.id, engine::text_at(inspected(row.reference), "Id")) << row.name;
  }
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
  EXPECT_TRUE(temporary.empty());
}

}  // namespace
}  // namespace lazaret::backend::images
