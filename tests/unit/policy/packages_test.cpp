#include "policy/packages.hpp"

#include <gtest/gtest.h>

namespace lazaret::policy {
namespace {

TEST(PackageFiles, SayTheirNameAndVersion) {
  const auto expect = [](std::string_view path, std::string_view name, std::string_view version) {
    const auto named = package_named(path, path.ends_with(".tgz") ? "javascript" : "python");
    ASSERT_TRUE(named.ok()) << path;
    EXPECT_EQ(named->name, name) << path;
    EXPECT_EQ(named->version, version) << path;
  };
  expect("numpy-2.1.0-cp311-cp311-manylinux_2_17_x86_64.whl", "numpy", "2.1.0");
  expect("/a-b/x_y-1!2.0-1build-py2.py3-none-any.whl", "x_y", "1!2.0");
  expect("dir/zope.event-5.0.tar.gz", "zope.event", "5.0");
  expect("old-name-0.1.zip", "old-name", "0.1");
  expect("left-pad-1.3.0.tgz", "left-pad", "1.3.0");
  expect("x/scope-es2-name-10.0.0-beta.1-2.tgz", "scope-es2-name", "10.0.0-beta.1-2");
}

TEST(PackageFiles, AreNoRequirementsAndNothingElse) {
  for (const std::string& path :
       {std::string("numpy==2.1"), std::string("numpy"), std::string(""), std::string("/"),
        std::string("a.whl"), std::string("a-1-py3-none.whl"), std::string("a--py3-none-any.whl"),
        std::string("a-1-2-3-py3-none-any.whl"), std::string("-1.tar.gz"), std::string("a-.zip"),
        std::string("a.tar.gz"), std::string("a-1.tar"), std::string("--help"),
        std::string(247, 'a') + "-1.tar.gz", std::string("a-1.tar.gz/")}) {
    for (const char* const language : {"python", "javascript"}) {
      const auto named = package_named(path, language);
      ASSERT_FALSE(named.ok()) << path;
      EXPECT_EQ(named.error().code(), Errc::invalid_argument) << path;
      EXPECT_NE(named.error().message().find("no index"), std::string::npos) << path;
    }
  }
  EXPECT_TRUE(package_named(std::string(246, 'a') + "-1.tar.gz", "python").ok());
  for (const char* const path : {"a.tgz", "a-.tgz", "-1.0.tgz", "a-b.tgz", "a-1.tgz", "a-.1.tgz"})
    EXPECT_FALSE(package_named(path, "javascript").ok()) << path;
  EXPECT_FALSE(package_named("a-1.0.tgz", "python").ok());
  EXPECT_FALSE(package_named("a-1.0-py3-none-any.whl", "javascript").ok());
}

ExecutionRequest request_with(std::vector<std::string> packages) {
  ExecutionRequest made;
  made.packages = std::move(packages);
  return made;
}

TEST(Packages, AreForTwoLanguagesInABoxOfItsOwn) {
  const auto asked = request_with({"a-1.tar.gz"});
  EXPECT_TRUE(check_packages(asked, "python", false).ok());
  EXPECT_FALSE(check_packages(asked, "python", true).ok());
  EXPECT_FALSE(check_packages(asked, "exec", false).ok());
  EXPECT_FALSE(check_packages(asked, "typescript", false).ok());
  EXPECT_FALSE(check_packages(asked, "javascript", false).ok());
  EXPECT_TRUE(check_packages(request_with({"a-1.0.tgz"}), "javascript", false).ok());
  EXPECT_TRUE(check_packages({}, "javascript", true).ok());
}

TEST(Packages, AreAtMost256AndEachIsGivenOnce) {
  std::vector<std::string> many;
  for (int number = 0; number < 256; ++number)
    many.push_back("a-" + std::to_string(number) + ".zip");
  EXPECT_TRUE(check_packages(request_with(many), "python", false).ok());
  many.emplace_back("b-1.zip");
  EXPECT_EQ(check_packages(request_with(many), "python", false).error().code(), Errc::too_large);
  EXPECT_FALSE(check_packages(request_with({"x/a-1.zip", "y/a-1.zip"}), "python", false).ok());
  EXPECT_FALSE(check_packages(request_with({std::string("a\0-1.zip", 8)}), "python", false).ok());
  for (const char* const path : {"\xff-1.zip", "a b-1.zip", "a-1\n.zip", ".a-1.zip", "a;b-1.zip"})
    EXPECT_FALSE(check_packages(request_with({path}), "python", false).ok()) << path;
}

TEST(Packages, HaveTheirPlaceToThemselves) {
  auto asked = request_with({"a-1.zip"});
  asked.mounts = {{"/srv/a", "/mnt/other"}};
  EXPECT_TRUE(check_packages(asked, "python", false).ok());
  asked.mounts.push_back({"/srv/a", std::string(kPackages)});
  EXPECT_FALSE(check_packages(asked, "python", false).ok());
}

}  // namespace
}  // namespace lazaret::policy
