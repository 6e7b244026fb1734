#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/image_make.hpp"
#include "integration/images_bed.hpp"

// Pulling, from a real registry on the loopback.
namespace lazaret::test {
namespace {

using engine::image::Progress;
using testing::HasSubstr;

class Registry : public ImagesBed {
 protected:
  void SetUp() override {
    ImagesBed::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) need_registry();
  }
  [[nodiscard]] Status pull(const std::string& image) {
    return engine::image::pull(
        client(),
        {.reference = image, .progress = [this](const Progress& one) { progress_.push_back(one); }},
        within_minutes(1));
  }

  std::vector<Progress> progress_;
};
INSTANTIATE_TEST_SUITE_P(On, Registry, testing::Values("docker", "podman"),
                         [](const auto& tested) { return std::string(tested.param); });

// tar(5): blocks of zeroes end an archive, so that this is one without a file.
http::BodySource empty_tar() {
  static const std::string blocks(1024, '\0');
  return http::source_of(bytes_of(blocks));
}

TEST_P(Registry, GivesAnImageByItsDigestAndTellsHowFarItIs) {
  const std::string image = published(empty_tar());
  ASSERT_THAT(image, HasSubstr("@sha256:"));
  ASSERT_FALSE(exists(image));
  const Status pulled = pull(image);
  ASSERT_TRUE(pulled.ok()) << pulled.error().message();
  EXPECT_TRUE(exists(image));
  EXPECT_FALSE(progress_.empty());
  EXPECT_TRUE(remove(image).ok());
}

TEST_P(Registry, ThatLacksAnImageIsToldFromOneThatIsNotThere) {
  const Status missing = pull(by_tag() + "-none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), Errc::image_missing) << missing.error().message();
  const Status nobody = pull("127.0.0.1:9/lazaret-test/none:latest");
  ASSERT_FALSE(nobody.ok());
  EXPECT_NE(nobody.error().code(), Errc::image_missing) << nobody.error().message();
  EXPECT_THAT(nobody.error().message(), HasSubstr("connection refused"));
}

TEST_P(Registry, GivesNothingElseForADigest) {
  std::string image = published(empty_tar());
  ASSERT_THAT(image, HasSubstr("@sha256:"));
  image.back() = image.back() == '0' ? '1' : '0';
  EXPECT_FALSE(pull(image).ok());
  EXPECT_FALSE(exists(image));
}

}  // namespace
}  // namespace lazaret::test
