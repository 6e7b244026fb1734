#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/tar.hpp"
#include "engine/image.hpp"
#include "engine/image_make.hpp"
#include "http/exchange.hpp"
#include "integration/docker_bed.hpp"
#include "integration/support.hpp"

// Threat 29: an image has links where a box mounts something, and they lead to the host's.
namespace lazaret::test {
namespace {

class HostileImage : public DockerBed {
 protected:
  // An image of these directories, but one, and of a link in its place; where that leads to is in
  // the image as well, or not.
  [[nodiscard]] std::string imported(const std::string& link, const std::string& target,
                                     bool is_whole) const {
    std::string tar;
    for (const char* const folder : {"dev", "proc", "sys", "tmp", "work", "lazaret"})
      if (folder != link) tar += tar_head({folder, TarKind::directory, 0755, 0, ""}).value();
    if (is_whole)
      tar += tar_head({host_.path().substr(1), TarKind::directory, 0755, 0, ""}).value();
    if (!link.empty()) tar += tar_head({link, TarKind::link, 0777, 0, target}).value();
    tar += tar_end();
    const auto made = engine::image::import_tar(plain_client(), {}, http::source_of(bytes_of(tar)),
                                                within_seconds(60));
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? made->id : "";
  }
  [[nodiscard]] Result<std::unique_ptr<backend::Box>> opened(const std::string& image) const {
    policy::Spec spec = spec_of({"/nothing"});
    spec.image = image;
    for (const Control control : all_controls()) spec.required.insert(control);
    auto box = backend_->open(spec, within_seconds(60));
    EXPECT_TRUE(std::filesystem::is_empty(host_.path()));
    return box;
  }
  // By us, in these words.
  static void expect_our_refusal(const Result<std::unique_ptr<backend::Box>>& box) {
    ASSERT_FALSE(box.ok());
    EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
    EXPECT_NE(box.error().message().find("could write to the host"), std::string::npos);
  }
  // By the runtime, which the engine quotes, or by the evidence.
  static bool is_refusal(const Error& error) {
    const std::string& said = error.message();
    return error.code() == Errc::enforcement_mismatch || said.find("runc") != said.npos ||
           said.find("crun") != said.npos;
  }
  // Refused, or a box in which everything holds.
  static void expect_no_harm(const Result<std::unique_ptr<backend::Box>>& box) {
    if (!box.ok()) {
      EXPECT_TRUE(is_refusal(box.error())) << box.error().message();
      return;
    }
    EXPECT_TRUE(std::ranges::all_of((*box)->evidence(), [](const Evidence& piece) {
      return piece.status == EvidenceStatus::enforced;
    }));
  }
  void hold(const std::string& link, const std::string& target, bool is_whole) const {
    SCOPED_TRACE(link + " -> " + target + (is_whole ? ", which is there" : ""));
    const std::string image = imported(link, target, is_whole);
    ASSERT_NE(image, "");
    const bool is_ours = !is_docker() && link == "dev";
    is_ours ? expect_our_refusal(opened(image)) : expect_no_harm(opened(image));
    forget(image);
  }
  void forget(const std::string& image) const {
    EXPECT_TRUE(engine::image::remove(plain_client(), image, within_seconds(20)).ok());
  }

  const Folder host_;
};

INSTANTIATE_TEST_SUITE_P(Engines, HostileImage, testing::Values("docker", "podman"), engine_name);

TEST_P(HostileImage, WithALinkInTheWayIsRefusedOrHarmless) {
  const std::string targets[] = {host_.path(), "../../../../../.." + host_.path(),
                                 "/proc/1/root" + host_.path()};
  for (const char* const link : {"work", "tmp", "dev", "proc", "sys", "lazaret"}) {
    for (const std::string& target : targets) hold(link, target, false);
  }
  hold("dev", host_.path(), true);
}

// The twin: without the link the same image will do.
TEST_P(HostileImage, IsTheLinkAlone) {
  const std::string image = imported("", "", false);
  EXPECT_TRUE(opened(image).ok());
  forget(image);
}

}  // namespace
}  // namespace lazaret::test
