#include "core/config_files.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

/// A home with a repository in it, in a directory of its own.
class ConfigFiles : public testing::Test {
 protected:
  ConfigFiles() {
    fs::create_directories(working());
    fs::create_directories(root_ / "home/repository/.git");
    places_ = {.working = working(), .home = root_ / "home", .user_base = {},
               .system = root_ / "etc/config.yaml"};
  }
  ~ConfigFiles() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  [[nodiscard]] fs::path working() const { return root_ / "home/repository/source"; }

  void write(const fs::path& relative, const std::string& text) const {
    const auto path = root_ / relative;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }
  [[nodiscard]] Result<policy::Config> load(const SandboxOptions& options = {}) const {
    return load_config(options, nullptr, places_);
  }

  fs::path root_ =
      fs::temp_directory_path() / ("lazaret-" + std::to_string(std::random_device{}()));
  ConfigPlaces places_;
};

TEST_F(ConfigFiles, AreNotNeeded) {
  EXPECT_TRUE(read_config_files(places_).value().empty());
  EXPECT_TRUE(load().ok());
}

TEST_F(ConfigFiles, AreAllReadAndMerged) {
  write("etc/config.yaml", "maxima: {pids: 100}\n");
  write("home/.config/lazaret/config.yaml", "type: podman\n");
  write("home/repository/.lazaret.yaml", "limits: {pids: 20}\n");
  const auto config = load().value();
  EXPECT_EQ(config.maxima.pids, 100U);
  EXPECT_EQ(config.type, policy::BackendType::podman);
  EXPECT_EQ(config.limits.pids, 20U);
}

TEST_F(ConfigFiles, UserBaseBeatsHome) {
  places_.user_base = root_ / "xdg";
  write("home/.config/lazaret/config.yaml", "type: podman\n");
  write("xdg/lazaret/config.yaml", "type: docker\n");
  EXPECT_EQ(load().value().type, policy::BackendType::docker);
}

TEST_F(ConfigFiles, ProjectFileOfTheNearestParentWins) {
  write("home/repository/.lazaret.yaml", "limits: {pids: 20}\n");
  EXPECT_EQ(project_file(places_), root_ / "home/repository/.lazaret.yaml");
  write("home/repository/source/.lazaret.yaml", "limits: {pids: 10}\n");
  EXPECT_EQ(project_file(places_), working() / ".lazaret.yaml");
}

TEST_F(ConfigFiles, ProjectFileIsNotSoughtAboveTheRepository) {
  write("home/.lazaret.yaml", "limits: {pids: 20}\n");
  EXPECT_EQ(project_file(places_), std::nullopt);
}

TEST_F(ConfigFiles, ProjectFileIsNotTakenFromAboveWhereNoProjectIs) {
  write("loose/.lazaret.yaml", "type: docker\n");
  places_.working = root_ / "loose/deep";
  fs::create_directories(places_.working);
  EXPECT_EQ(project_file(places_), std::nullopt);
  places_.working = root_ / "loose";
  EXPECT_EQ(project_file(places_), root_ / "loose/.lazaret.yaml");
}

TEST_F(ConfigFiles, AreRefusedWhenOthersMayWriteThem) {
  write("etc/config.yaml", "type: docker\n");
  fs::permissions(root_ / "etc/config.yaml", fs::perms::others_write, fs::perm_options::add);
  const auto texts = read_config_files(places_);
  ASSERT_FALSE(texts.ok());
  EXPECT_EQ(texts.error().code(), Errc::permission_denied);
  EXPECT_NE(texts.error().hint().find("chmod go-w"), std::string::npos);
}

TEST_F(ConfigFiles, AreRefusedBeyondOneMebibyte) {
  write("etc/config.yaml", std::string(1 << 20, '#'));
  EXPECT_TRUE(load().ok());
  write("etc/config.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(read_config_files(places_).error().code(), Errc::too_large);
}

TEST_F(ConfigFiles, AreRefusedWhenTheyAreNotFiles) {
  fs::create_directories(working() / ".lazaret.yaml");
  EXPECT_FALSE(load().ok());
}

TEST_F(ConfigFiles, NamedOneReplacesTheSearch) {
  write("etc/config.yaml", "type: docker\n");
  write("other.yaml", "type: podman\n");
  SandboxOptions options;
  options.config_file = (root_ / "other.yaml").string();
  EXPECT_EQ(load(options).value().type, policy::BackendType::podman);
  options.config_file = (root_ / "absent.yaml").string();
  EXPECT_EQ(load(options).error().code(), Errc::not_found);
}

}  // namespace
}  // namespace lazaret::core
