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
  // The name of an image of python's and these instructions, beside which a program lies.
  [[nodiscard]] std::string built(const std::string& instructions) {
    const engine::EngineClient client = plain_client();
    const auto base = engine::image::inspect(client, kImage, within_seconds(20));
    EXPECT_TRUE(base.ok());
    const std::string id = base.ok() ? engine::text_at(*base, "Id") : "";
    const std::string text = "FROM " + id + "\n" + instructions;
    const std::string tar = entry("Dockerfile", text) +
                            entry("tool", "#!/bin/sh\necho \"$GREETING from the image\"\n") +
                            std::string(tar_end());
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
  static std::string entry(const std::string& name, const std::string& content) {
    std::string text = tar_head({name, TarKind::file, 0755, content.size(), ""}).value() + content;
    return text.append((512 - content.size() % 512) % 512, '\0');
  }

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

TEST_P(CustomImage, HasItsVariablesBeneathThoseOfTheRun) {
  const std::string image = built(
      "COPY tool /opt/own/bin/tool\n"
      "ENV PATH=/opt/own/bin:/usr/bin:. GREETING=hello OWN=kept HOME=/root TZ=Europe/Berlin\n"
      "ENV LD_PRELOAD=/none.so PYTHONHASHSEED=7\n");
  ExecutionRequest tool = command({"tool"});
  tool.image = image;
  const Json first = run_on(GetParam(), tool);
  EXPECT_EQ(first["stdout"], "hello from the image\n");
  EXPECT_THAT(evidence_of(first, "environment")["applied"].get<std::string>(),
              testing::HasSubstr("3 more of the image's"));
  tool.environment["GREETING"] = "welcome";
  EXPECT_EQ(run_on(GetParam(), tool)["stdout"], "welcome from the image\n");
  const std::string code =
      "import os\n[os.environ.get(name) for name in ('OWN', 'HOME', 'TZ', 'LD_PRELOAD', "
      "'PYTHONHASHSEED', 'HOSTNAME', 'container', 'TERM')]";
  EXPECT_EQ(ran(image, code)["value"],
            Json::parse(R"(["kept", "/work", "UTC", null, "7", null, null, null])"));
  ExecutionRequest fixed = python(code);
  fixed.image = image;
  fixed.deterministic = true;
  EXPECT_EQ(run_on(GetParam(), fixed)["value"],
            Json::parse(R"(["kept", "/work", "UTC", null, "0", null, null, null])"));
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
