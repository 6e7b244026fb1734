#include "backend/images/definition.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tar.hpp"
#include "places.hpp"

namespace lazaret::backend::images {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string source_file(const std::string& path) {
  std::ifstream file(lazaret::test::in_checkout(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Definition named(const std::string& name) {
  for (Definition& definition : definitions()) {
    if (definition.name == name) return definition;
  }
  ADD_FAILURE() << "no definition of " << name;
  return {};
}

class ImageDefinition : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Each, ImageDefinition,
                         testing::Values("python", "bash", "node", "deno", "c", "cpp", "rust", "go",
                                         "java"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(ImageDefinition, IsTheFilesOfTheSourceTree) {
  const Definition definition = named(GetParam());
  const std::string folder = std::string("images/") + GetParam();
  EXPECT_EQ(definition.dockerfile, source_file(folder + "/Dockerfile"));
  std::string packages;
  for (const std::string& package : definition.packages) packages += package + '\n';
  EXPECT_EQ(packages, source_file(folder + "/packages"));
}

TEST_P(ImageDefinition, NamesEachPackageOnceAndPlainly) {
  const Definition definition = named(GetParam());
  const auto packages = packages_of(definition, Contents::with_tests);
  EXPECT_EQ(std::set(packages.begin(), packages.end()).size(), packages.size());
  for (const std::string& package : packages) {
    EXPECT_EQ(package.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.+-"), package.npos)
        << package;
  }
}

TEST_P(ImageDefinition, StandsOnABaseByDigestAndLeavesTheTagOut) {
  const auto base = base_of(named(GetParam()));
  ASSERT_TRUE(base.ok());
  EXPECT_THAT(*base, StartsWith("docker.io/library/debian@sha256:"));
  EXPECT_EQ(base->size(), std::string("docker.io/library/debian@sha256:").size() + 64);
}

TEST_P(ImageDefinition, HasTheSameConfigurationBothWays) {
  const Definition definition = named(GetParam());
  const auto lines = configuration_of(definition, Contents::plain);
  EXPECT_THAT(lines, Contains("LABEL dev.lazaret.image=" + definition.name));
  EXPECT_THAT(lines, Contains("LABEL dev.lazaret.version=" LAZARET_VERSION));
  EXPECT_THAT(lines, Contains("LABEL dev.lazaret.packages-sha256=" +
                              packages_sha256(definition, Contents::plain)));
  EXPECT_THAT(lines, Contains("USER 65534:65534"));
  EXPECT_THAT(lines, Contains(StartsWith("CMD [\"")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("${"))));
}

TEST_P(ImageDefinition, InstallsFromItsOneListAndKeepsNoSetIdBit) {
  const std::string& dockerfile = named(GetParam()).dockerfile;
  EXPECT_THAT(dockerfile, HasSubstr("COPY packages /var/tmp/packages\n"));
  EXPECT_THAT(dockerfile, HasSubstr("$(cat /var/tmp/packages) ${EXTRA_PACKAGES}"));
  EXPECT_THAT(dockerfile, HasSubstr("chmod ug-s"));
}

TEST_P(ImageDefinition, BuildsFromAContextOfTwoFiles) {
  Definition definition = named(GetParam());
  definition.program.clear();
  const auto tar = build_context(definition);
  ASSERT_TRUE(tar.ok());
  const auto packages = source_file(std::string("images/") + GetParam() + "/packages");
  EXPECT_EQ(*tar, *engine::write_tar({{.path = "Dockerfile", .content = definition.dockerfile},
                                      {.path = "packages", .content = packages}}));
}

TEST(ImageDefinitions, AreThoseOfTheLanguages) {
  std::vector<std::string> names;
  for (const Definition& definition : definitions()) names.push_back(reference_of(definition));
  EXPECT_THAT(names,
              ElementsAre("lazaret/python:latest", "lazaret/bash:latest", "lazaret/node:latest",
                          "lazaret/deno:latest", "lazaret/c:latest", "lazaret/cpp:latest",
                          "lazaret/rust:latest", "lazaret/go:latest", "lazaret/java:latest"));
}

// Debian has no Deno.
TEST(ImageDefinitions, TakeAProgramOfThisMachinesWhereDebianHasNone) {
  Definition deno = named("deno");
  EXPECT_THAT(deno.dockerfile, HasSubstr("COPY deno /usr/local/bin/deno\n"));
  deno.program = "env";
  ASSERT_TRUE(program_of(deno).ok());
  EXPECT_EQ(*program_of(deno), "/usr/bin/env");
  const auto tar = build_context(deno);
  ASSERT_TRUE(tar.ok());
  EXPECT_THAT(*tar, HasSubstr(source_file("/usr/bin/env")));
}

TEST(ImageDefinitions, SayWhichProgramThisMachineLacks) {
  Definition deno = named("deno");
  for (const char* const name : {"no-such-program", "ldd"}) {  // the other is a script
    deno.program = name;
    for (const Error& error : {program_of(deno).error(), build_context(deno).error()}) {
      EXPECT_EQ(error.code(), Errc::not_found);
      EXPECT_THAT(error.message(), HasSubstr(name));
      EXPECT_THAT(error.hint(), HasSubstr("/usr/local/bin"));
    }
  }
}

TEST(ImageDefinitions, CarryTestsOnlyWhenAsked) {
  const Definition python = named("python");
  EXPECT_THAT(packages_of(python, Contents::plain), Not(Contains(EndsWith("-testsuite"))));
  EXPECT_THAT(packages_of(python, Contents::with_tests), Contains("libpython3.11-testsuite"));
  EXPECT_NE(packages_sha256(python, Contents::plain),
            packages_sha256(python, Contents::with_tests));
  EXPECT_THAT(named("bash").test_packages, IsEmpty());
}

TEST(ImageDefinitions, RefuseABaseThatIsNotNamedByDigest) {
  Definition definition = named("bash");
  definition.dockerfile = "ARG BASE=docker.io/library/debian:bookworm-slim\nFROM ${BASE}\n";
  const auto base = base_of(definition);
  ASSERT_FALSE(base.ok());
  EXPECT_EQ(base.error().code(), Errc::protocol);
}

}  // namespace
}  // namespace lazaret::backend::images
