#include "policy/image_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lazaret::policy {
namespace {

TEST(ImageName, TakesReferences) {
  const std::string hex(64, 'a');
  for (const auto& name :
       {std::string("python"), std::string("lazaret/python:latest"), std::string("a__b/c-d.e:T_1"),
        std::string("localhost:5000/x/y"), "Example.org/x@sha256:" + hex,
        "x:1.2@sha256:" + hex, "sha256:" + hex}) {
    EXPECT_TRUE(is_image_reference(name)) << name;
  }
}

TEST(ImageName, RefusesWhatAnEngineCouldMisunderstand) {
  for (const auto* name :
       {"", " ", "-v", "--privileged", "a b", "a\nb", "A/b", "a/", "/a", "a//b", "a:", "a:-x",
        "a:b:c", "../x", "a/../b", "a?b=c", "a#b", "a%20", "a@sha256:zz", "a@", "http://x/y",
        "a.", "_a", "a___b", "a..b", "ex ample.org/a", "-x.org/a", "x.org:port/a"}) {
    EXPECT_FALSE(is_image_reference(name)) << name;
  }
}

TEST(ImageName, RefusesOneThatIsTooLong) {
  EXPECT_TRUE(is_image_reference(std::string(512, 'a')));
  EXPECT_FALSE(is_image_reference(std::string(513, 'a')));
}

}  // namespace
}  // namespace lazaret::policy
