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

TEST(PackageFiles, AreNamedAsTheirFormatsSay) {
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
      EXPECT_NE(named.error().message().find("no file of a package"), std::string::npos) << path;
    }
  }
  EXPECT_TRUE(package_named(std::string(246, 'a') + "-1.tar.gz", "python").ok());
  for (const char* const path : {"a.tgz", "a-.tgz", "-1.0.tgz", "a-b.tgz", "a-1.tgz", "a-.1.tgz"})
    EXPECT_FALSE(package_named(path, "javascript").ok()) << path;
  EXPECT_FALSE(package_named("a-1.0.tgz", "python").ok());
  EXPECT_FALSE(package_named("a-1.0-py3-none-any.whl", "javascript").ok());
}

TEST(PackageFiles, AreToldFromWhatAnIndexIsAskedFor) {
  for (const char* const word : {"a-1.tar.gz", "a-1.zip", "a-1-py3-none-any.whl", "./numpy", "a/b"})
    EXPECT_TRUE(is_package_file(word, "python")) << word;
  for (const char* const word : {"numpy", "numpy==2.1", "a-1.tgz", "@a"})
    EXPECT_FALSE(is_package_file(word, "python")) << word;
  for (const char* const word : {"a-1.0.0.tgz", "./lodash", "a/b", "https://host/a"})
    EXPECT_TRUE(is_package_file(word, "javascript")) << word;
  for (const char* const word : {"lodash", "lodash@4", "@scope/name@1.0.0", "a-1.tar.gz"})
    EXPECT_FALSE(is_package_file(word, "javascript")) << word;
}

TEST(PackageFiles, AreExactWhereOneVersionIsMeant) {
  for (const char* const word : {"numpy==2.1", "a[b]==1.0+x", "a==1!2"})
    EXPECT_TRUE(is_exact(word, "python")) << word;
  for (const char* const word : {"numpy", "numpy>=2", "numpy==2.*", "a==1,!=1.1", "a~=1.0"})
    EXPECT_FALSE(is_exact(word, "python")) << word;
  for (const char* const word : {"lodash@4.17.21", "@a/b@1.0.0", "a@1.0.0-rc.1"})
    EXPECT_TRUE(is_exact(word, "javascript")) << word;
  for (const char* const word : {"lodash", "lodash@4", "a@^4.17.21", "@a/b", "a@latest", "a@1.2.x",
                                 "a@1.2.X", "a@1.0", "a@"})
    EXPECT_FALSE(is_exact(word, "javascript")) << word;
}

ExecutionRequest request_with(std::vector<std::string> packages) {
  ExecutionRequest made;
  made.packages = std::move(packages);
  return made;
}

TEST(Packages, AreForTwoLanguagesInABoxOfItsOwn) {
  const auto asked = request_with({"a-1.tar.gz"});
  EXPECT_TRUE(check_packages(asked, "python").ok());
  EXPECT_FALSE(check_packages(asked, "exec").ok());
  EXPECT_FALSE(check_packages(asked, "typescript").ok());
  EXPECT_FALSE(check_packages(request_with({"./a-1.tar.gz"}), "javascript").ok());
  EXPECT_TRUE(check_packages(request_with({"a-1.0.tgz"}), "javascript").ok());
  EXPECT_TRUE(check_packages({}, "javascript").ok());
}

TEST(Packages, AreAtMost256AndEachIsGivenOnce) {
  std::vector<std::string> many;
  for (int number = 0; number < 256; ++number)
    many.push_back("a-" + std::to_string(number) + ".zip");
  EXPECT_TRUE(check_packages(request_with(many), "python").ok());
  many.emplace_back("b-1.zip");
  EXPECT_EQ(check_packages(request_with(many), "python").error().code(), Errc::too_large);
  EXPECT_FALSE(check_packages(request_with({"x/a-1.zip", "y/a-1.zip"}), "python").ok());
  EXPECT_FALSE(check_packages(request_with({std::string("a\0-1.zip", 8)}), "python").ok());
  for (const char* const path : {"\xff-1.zip", "a b-1.zip", "a-1\n.zip", ".a-1.zip", "a;b-1.zip"})
    EXPECT_FALSE(check_packages(request_with({path}), "python").ok()) << path;
}

// They become words of pip's and npm's command lines.
TEST(Packages, OfAnIndexAreNamesAndVersionsAlone) {
  for (const char* const word : {"numpy", "Zope.Event>=5,<6", "a[b,c]==1.0", "a~=1.0", "a!=2",
                                 "3to2==1"})
    EXPECT_TRUE(check_packages(request_with({word}), "python").ok()) << word;
  for (const char* const word : {"lodash", "lodash@^4.17.21", "@a-b/c.d@1.0.0", "a@latest", "a@*",
                                 "a@>=1"})
    EXPECT_TRUE(check_packages(request_with({word}), "javascript").ok()) << word;
  for (const char* const language : {"python", "javascript"}) {
    for (const char* const word :
         {"", "-r", "--index-url=x", "a b", "a\nb", "a;b", "a @ file", "https://host/a", "a@file:b",
          "git+https://a", "$a", "a'b", "\xc3\xa9", ".", "..", "_a", "@", "@a", "@/a", "@a/",
          "@a/-b", "@a/b/c", "@-/a/b", "npm:a", "a|b", "a.tar.bz2", "a-1.tar",
          "a.xz"})
      EXPECT_FALSE(check_packages(request_with({word}), language).ok()) << word;
  }
  EXPECT_TRUE(check_packages(request_with({std::string(256, 'a')}), "python").ok());
  EXPECT_FALSE(check_packages(request_with({std::string(257, 'a')}), "python").ok());
}

// Who builds one must not be where an index can be asked.
TEST(Packages, OfAnIndexGoWithWheelsAndNotWithSources) {
  EXPECT_TRUE(
      check_packages(request_with({"six", "a-1-py3-none-any.whl"}), "python").ok());
  EXPECT_TRUE(check_packages(request_with({"six", "a-1.0.0.tgz"}), "javascript").ok());
  for (const char* const source : {"a-1.tar.gz", "a-1.zip"}) {
    const Status refused = check_packages(request_with({source, "six"}), "python");
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_NE(refused.error().hint().find("pip wheel"), std::string::npos);
  }
}

TEST(Packages, HaveTheirPlaceToThemselves) {
  auto asked = request_with({"a-1.zip"});
  asked.mounts = {{"/srv/a", "/mnt/other"}};
  EXPECT_TRUE(check_packages(asked, "python").ok());
  asked.mounts.push_back({"/srv/a", std::string(kPackages)});
  EXPECT_FALSE(check_packages(asked, "python").ok());
}

}  // namespace
}  // namespace lazaret::policy
