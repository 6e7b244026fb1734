#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tar.hpp"
#include "engine/image.hpp"
#include "engine/image_make.hpp"
#include "engine/json.hpp"
#include "http/exchange.hpp"
#include "integration/docker_bed.hpp"
#include "integration/support.hpp"

// Images of other people's, as they are: whatever they would have run, by whom and where, a box of
// theirs is like any other.
namespace lazaret::test {
namespace {

using testing::IsEmpty;

class CustomImage : public DockerBed {
 protected:
  void TearDown() override {
    for (const std::string& name : made_)
      EXPECT_TRUE(engine::image::remove(plain_client(), name, within_seconds(20)).ok()) << name;
    DockerBed::TearDown();
  }
  // The name of an image of python's and these instructions.
  [[nodiscard]] std::string built(const std::string& instructions) {
    const engine::EngineClient client = plain_client();
    const auto base = engine::image::inspect(client, kImage, within_seconds(20));
    EXPECT_TRUE(base.ok());
    const std::string id = base.ok() ? engine::text_at(*base, "Id") : "";
    const std::string text = "FROM " + id + "\n" + instructions;
    std::string tar = tar_head({"Dockerfile", TarKind::file, 0644, text.size(), ""}).value() + text;
    tar.append((512 - text.size() % 512) % 512, '\0').append(tar_end());
    const std::string name =
        "lazaret/custom-" + instance_.id + "-" + std::to_string(made_.size()) + ":latest";
    const auto built = engine::image::build(client, {.tags = {name}},
                                            http::source_of(bytes_of(tar)), within_seconds(120));
    EXPECT_TRUE(built.ok()) << built.error().message();
    if (built.ok()) made_.push_back(name);
    return name;
  }
  [[nodiscard]] Json ran(const std::string& image, const std::string& code) const {
    ExecutionRequest request = python(code);
    request.image = image;
    return run_on(GetParam(), request);
  }

 private:
  std::vector<std::string> made_;
};
INSTANTIATE_TEST_SUITE_P(Engines, CustomImage, testing::Values("docker", "podman"), engine_name);

TEST_P(CustomImage, StartsNothingOfItsOwnAsNobodyElseAndElsewhere) {
  const std::string image = built(
      "USER 0:0\nWORKDIR /nowhere\nENTRYPOINT [\"false\"]\nCMD [\"no\"]\nEXPOSE 80\n"
      "STOPSIGNAL SIGUSR1\nLABEL dev.lazaret.pid=1\nONBUILD RUN false\n");
  const Json result = ran(image,
                          "import os\n"
                          "init = open('/proc/1/comm').read().strip()\n"
                          "[os.getuid(), os.getgid(), os.getcwd(), init]\n");
  EXPECT_EQ(result["value"].dump(), R"([65534,65534,"/work","runner"])") << result.dump();
  for (const Json& piece : result["meta"]["evidence"])
    EXPECT_EQ(piece["status"], "enforced") << piece.dump();
}

// It would be the engine's own process, within the box and at any time.
TEST_P(CustomImage, IsNotExaminedByItsEngine) {
  const std::string image =
      built("HEALTHCHECK --interval=1s --timeout=1s CMD touch /work/examined\n");
  const CodeSandbox sandbox = sandbox_on(GetParam());
  SessionRequest request;
  request.image = image;
  auto session = sandbox.open_session(request);
  ASSERT_TRUE(session.ok()) << session.error().message();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto found = session->list(".");
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_THAT(*found, IsEmpty());
  session->close();
}

}  // namespace
}  // namespace lazaret::test
