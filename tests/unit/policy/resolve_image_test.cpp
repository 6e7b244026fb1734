#include <gtest/gtest.h>

#include "policy/resolve.hpp"

namespace lazaret::policy {
namespace {

// A plain command, whose image is the configured one unless it names another.
Result<Spec> resolved(const std::optional<std::string>& image, bool has_images) {
  ExecutionRequest request;
  request.command = {"true"};
  request.image = image;
  Config config;
  config.images["exec"] = "lazaret/usual:latest";
  return resolve(request, config, {.languages = {}, .has_images = has_images});
}

TEST(ResolvedImages, AreTheConfiguredOnesOrTheOneThatIsAskedFor) {
  EXPECT_EQ(resolved({}, true).value().image, "lazaret/usual:latest");
  EXPECT_EQ(resolved("debian:12", true).value().image, "debian:12");
}

TEST(ResolvedImages, HaveNamesThatAreOnes) {
  EXPECT_EQ(resolved("--privileged", true).error().code(), Errc::invalid_argument);
}

TEST(ResolvedImages, AreRefusedWhereThereAreNone) {
  EXPECT_TRUE(resolved({}, false).ok());
  const auto refused = resolved("debian:12", false);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().hint(), "--type docker, or without --image");
}

}  // namespace
}  // namespace lazaret::policy
