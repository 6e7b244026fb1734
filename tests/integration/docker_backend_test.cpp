#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/orchestrator.hpp"
#include "engine/image.hpp"
#include "integration/docker_bed.hpp"

namespace lazaret::test {
namespace {

using std::chrono::milliseconds;

class DockerBackendTest : public DockerBed {
 protected:
  // Processes of this machine whose command line holds `mark`.
  static int processes_with(const std::string& mark) {
    int count = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      std::ifstream file(entry.path() / "cmdline");
      const std::string line((std::istreambuf_iterator<char>(file)), {});
      if (line.find(mark) != line.npos) ++count;
    }
    return count;
  }
  // The exit status of a program that ends by itself.
  std::uint32_t status_of(std::vector<std::string> argv, Collected& collected) const {
    const policy::Spec spec = spec_of(std::move(argv));
    const auto box = open(spec);
    if (!box) return 999;
    const auto ending = run(*box, spec, collected, milliseconds(20'000));
    if (!ending.ok()) return 998;
    const auto* const exited = std::get_if<runner::Exited>(&*ending);
    return exited != nullptr && exited->how == runner::Exited::How::exit ? exited->code : 997;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, DockerBackendTest, testing::Values("docker", "podman"),
                         engine_name);

TEST_P(DockerBackendTest, RunsPythonAndBringsItsOutput) {
  Collected collected;
  EXPECT_EQ(status_of({"python3", "-c", "print('hello')"}, collected), 0U);
  EXPECT_EQ(collected.out, "hello\n");
  EXPECT_EQ(collected.err, "");
}

TEST_P(DockerBackendTest, KeepsEveryExitStatus) {  // P-17
  for (const std::uint32_t status : {0U, 1U, 42U, 124U, 137U, 255U}) {
    Collected collected;
    EXPECT_EQ(status_of({"sh", "-c", "exit " + std::to_string(status)}, collected), status);
  }
}

TEST_P(DockerBackendTest, EnforcesEveryControl) {
  const auto box = open(spec_of({"true"}));
  ASSERT_NE(box, nullptr);
  for (const Evidence& piece : box->evidence()) {
    EXPECT_EQ(piece.status, EvidenceStatus::enforced)
        << name_of(piece.control) << ": " << piece.applied;
    EXPECT_NE(piece.verified_by, "");
  }
}

TEST_P(DockerBackendTest, GivesTheProgramItsWritableDirectoriesAndNothingElse) {
  Collected collected;
  const std::string script =
      "for d in /work /tmp /dev/shm; do echo x > $d/a || exit 1; done;"
      "for d in / /run /var/tmp /etc /usr /home /lazaret /sys /proc/sys /dev; do"
      " echo x > $d/a && exit 2; done; exit 0";
  EXPECT_EQ(status_of({"sh", "-c", script}, collected), 0U) << collected.err;
}

TEST_P(DockerBackendTest, NamesAnImageThatIsMissing) {  // P-46
  policy::Spec spec = spec_of({"true"});
  spec.image = "lazaret/nosuch:latest";
  const auto box = backend_->open(spec, within_seconds(30));
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::image_missing);
  EXPECT_THAT(box.error().hint(), testing::HasSubstr("lazaret images build nosuch"));
}

TEST_P(DockerBackendTest, LetsNothingBeWrittenToAVolumeThatTheImageDeclares) {
  const engine::EngineClient client = plain_client();
  const std::string image = "lazaret/volume-" + instance_.id;
  const nlohmann::json body = {{"Image", kImage}, {"HostConfig", {{"NetworkMode", "none"}}}};
  const auto made = engine::container::create(client, "", body, within_seconds(20));
  ASSERT_TRUE(made.ok()) << made.error().message();
  const auto committed = client.transact({.doing = "committing",
                                          .method = "POST",
                                          .target = engine::Target("commit")
                                                        .query("container", made->id)
                                                        .query("repo", image)
                                                        .query("changes", "VOLUME /srv"),
                                          .body = "{}",
                                          .content_type = "application/json"},
                                         within_seconds(30));
  (void)engine::container::remove(client, made->id, engine::container::Volumes::remove,
                                  within_seconds(20))
      .ok();
  ASSERT_TRUE(committed.ok()) << committed.error().message();
  {
    policy::Spec spec = spec_of({"sh", "-c", "touch /srv/x || echo refused"});
    spec.image = image + ":latest";
    for (const Control control : all_controls()) spec.required.insert(control);
    const auto box = open(spec);
    ASSERT_NE(box, nullptr);
    Collected collected;
    EXPECT_TRUE(run(*box, spec, collected, milliseconds(20'000)).ok());
    EXPECT_EQ(collected.out, "refused\n");
  }
  EXPECT_TRUE(engine::image::remove(client, image + ":latest", within_seconds(20)).ok());
}

TEST_P(DockerBackendTest, EndsATreeThatIgnoresTermAndHasLeftItsSession) {  // P-03, P-08
  const std::string mark = "lazaret-mark-" + instance_.id;
  const std::string stubborn =
      "trap '' TERM; setsid sh -c \"trap '' TERM; while :; do sleep 0.1; done\" " + mark +
      " & while :; do sleep 0.1; done";
  const policy::Spec spec = spec_of({"bash", "-c", stubborn, mark});
  const auto box = open(spec);
  ASSERT_NE(box, nullptr);
  Collected collected;
  const auto ending = run(*box, spec, collected, milliseconds(2000));
  ASSERT_FALSE(ending.ok());
  EXPECT_EQ(ending.error().code(), Errc::timed_out);
  EXPECT_GE(processes_with(mark), 2);
  ASSERT_TRUE(box->kill(within_seconds(10)).ok());
  EXPECT_EQ(processes_with(mark), 0);
  EXPECT_EQ(box->autopsy(within_seconds(5)).survivors, 0U);
  EXPECT_TRUE(box->kill(within_seconds(1)).ok());  // idempotent
}

TEST_P(DockerBackendTest, CountsWhatIsAliveBeforeTheKill) {
  const policy::Spec spec = spec_of({"sh", "-c", "sleep 100 & sleep 100"});
  const auto box = open(spec);
  ASSERT_NE(box, nullptr);
  Collected collected;
  EXPECT_FALSE(run(*box, spec, collected, milliseconds(2000)).ok());
  EXPECT_GE(box->autopsy(within_seconds(5)).survivors, 2U);
}

TEST_P(DockerBackendTest, KnowsThatTheKernelKilledForMemory) {  // P-15, P-16
  const std::string greedy = "x = []\nwhile True: x.append(bytearray(1 << 22))";
  policy::Spec spec = spec_of({"python3", "-c", greedy});
  spec.limits.memory_bytes = 64ULL << 20;
  const auto box = open(spec);
  ASSERT_NE(box, nullptr);
  Collected collected;
  (void)run(*box, spec, collected, milliseconds(20'000)).ok();
  const backend::Autopsy autopsy = box->autopsy(within_seconds(5));
  EXPECT_TRUE(autopsy.usage.memory_kills);
  EXPECT_FALSE(autopsy.usage.pids_refusals);
  EXPECT_GE(autopsy.usage.peak_memory_bytes.value_or(0), 32ULL << 20);
}

TEST_P(DockerBackendTest, DoesNotTakeAnExitStatusOf137ForAMemoryKill) {  // P-15
  const policy::Spec spec = spec_of({"sh", "-c", "exit 137"});
  const auto box = open(spec);
  ASSERT_NE(box, nullptr);
  Collected collected;
  ASSERT_TRUE(run(*box, spec, collected, milliseconds(20'000)).ok());
  EXPECT_FALSE(box->autopsy(within_seconds(5)).usage.memory_kills);
}

TEST_P(DockerBackendTest, KnowsThatTasksWereRefused) {
  policy::Spec spec = spec_of({"bash", "-c", ":(){ :|:& };: ; sleep 0.5"});
  spec.limits.pids = 24;
  const auto box = open(spec);
  ASSERT_NE(box, nullptr);
  Collected collected;
  (void)run(*box, spec, collected, milliseconds(3'000)).ok();
  EXPECT_TRUE(box->autopsy(within_seconds(5)).usage.pids_refusals);
  EXPECT_TRUE(box->kill(within_seconds(10)).ok());
}

// To the end: what the counters say is what the result says.
TEST_P(DockerBackendTest, CallsTheCauseOfADeathByItsCounter) {  // P-15, P-16
  policy::Spec hog = spec_of({"python3", "-c", "x = []\nwhile True: x.append(bytearray(1 << 22))"});
  hog.limits.memory_bytes = 64ULL << 20;
  EXPECT_EQ(core::run(*backend_, {}, hog).result.meta.cause, Cause::memory_limit);
  policy::Spec bomb = spec_of({"bash", "-c", ":(){ :|:& };: ; sleep 0.5; exit 1"});
  bomb.limits.pids = 24;
  EXPECT_EQ(core::run(*backend_, {}, bomb).result.meta.cause, Cause::pids_limit);
}

TEST_P(DockerBackendTest, LeavesNothingWhenTheCallEndsInTheMiddle) {
  (void)open(spec_of({"true"}));
  for (const int most : {1, 5, 15, 30, 60, 120}) {
    (void)backend_->open(spec_of({"true"}), Call{}.within(milliseconds(most))).ok();
  }
  SUCCEED() << "TearDown looks for leftovers";
}

TEST_P(DockerBackendTest, BringsTheRunnerBackWhenSomebodyHasRemovedIt) {
  ASSERT_NE(open(spec_of({"true"})), nullptr);
  const engine::EngineClient client = plain_client();
  const auto volumes = engine::volume::list(client, {"dev.lazaret.runner"}, within_seconds(10));
  ASSERT_TRUE(volumes.ok());
  for (const auto& volume : *volumes) {
    ASSERT_TRUE(engine::volume::remove(client, volume.name, within_seconds(10)).ok());
  }
  Collected collected;
  EXPECT_EQ(status_of({"sh", "-c", "exit 7"}, collected), 7U);
  // What the engine made by itself has no label; the next one is whole again.
  EXPECT_TRUE(engine::volume::remove(client, volumes->front().name, within_seconds(10)).ok());
}

TEST_P(DockerBackendTest, FillsTheRunnerVolumeOnceWhenManyAskAtOnce) {
  const engine::EngineClient client = plain_client();
  const auto volumes = engine::volume::list(client, {"dev.lazaret.runner"}, within_seconds(10));
  ASSERT_TRUE(volumes.ok());
  for (const auto& volume : *volumes) {
    const Status removed = engine::volume::remove(client, volume.name, within_seconds(10));
    ASSERT_TRUE(removed.ok()) << removed.error().message();
  }
  std::vector<std::jthread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([this] {
      // A backend of its own each, as other processes would have.
      const auto backend = connected(engine::default_dialer);
      const auto box = backend->open(spec_of({"true"}), within_seconds(60));
      EXPECT_TRUE(box.ok()) << box.error().message();
    });
  }
}

}  // namespace
}  // namespace lazaret::test
