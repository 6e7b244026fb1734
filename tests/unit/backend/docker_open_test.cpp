#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "backend/docker/docker_backend.hpp"
#include "backend/verdict.hpp"
#include "soon.hpp"
#include "unit/backend/fake_daemon.hpp"

namespace lazaret::backend::docker::test {
namespace {

using lazaret::test::soon;

constexpr const char* kName = "lazaret-0123456789abcdef-0";

policy::Spec spec_for(const std::string& image) {
  policy::Spec spec;
  spec.language = "python";
  spec.image = image;
  spec.program.argv = {"python3"};
  for (const Control control : all_controls()) spec.required.insert(control);
  return spec;
}

std::unique_ptr<Backend> backend_on(FakeDaemon& daemon) {
  auto client =
      engine::EngineClient::negotiate(std::make_unique<FakeDaemonDialer>(daemon), {}, soon());
  if (!client.ok()) return nullptr;
  auto leases =
      std::make_shared<Leases>(std::nullopt, "", Instance{"0123456789abcdef", 7, "1", "b"});
  auto made = DockerBackend::create(std::move(client).value(), std::move(leases));
  return made.ok() ? std::move(made).value() : nullptr;
}

std::ptrdiff_t index_of(const FakeDaemon& daemon, const std::string& request) {
  const auto found = std::find(daemon.requests.begin(), daemon.requests.end(), request);
  return found - daemon.requests.begin();
}

TEST(DockerOpen, SaysWhatTheEngineIs) {
  FakeDaemon docker, podman;
  podman.kind = Kind::podman;
  EXPECT_EQ(backend_on(docker)->name(), "docker");
  EXPECT_EQ(backend_on(docker)->runtime(), "Docker 20.10.24 (API 1.41)");
  EXPECT_EQ(backend_on(podman)->name(), "podman");
  EXPECT_EQ(backend_on(docker)->default_grace(), std::chrono::seconds(2));
}

TEST(DockerOpen, EnforcesEveryControlOnAnEngineThatObeys) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok()) << box.error().message();
  EXPECT_EQ((*box)->evidence().size(), all_controls().size());
  EXPECT_EQ(isolation_of((*box)->evidence()), Isolation::full);
}

TEST(DockerOpen, IsCurrentAsLongAsTheImagesNameMeansTheSame) {
  for (const Kind kind : {Kind::docker, Kind::podman}) {
    FakeDaemon daemon;
    daemon.kind = kind;
    const policy::Spec spec = spec_for("lazaret/python:latest");
    daemon.report = good_report(spec);
    const auto backend = backend_on(daemon);
    const auto box = backend->open(spec, soon());
    ASSERT_TRUE(box.ok()) << box.error().message();
    EXPECT_EQ((*box)->currency(soon()), Currency::current);
    daemon.image_id = "bb";
    EXPECT_EQ((*box)->currency(soon()), Currency::outdated);
    daemon.image_id.clear();
    EXPECT_EQ((*box)->currency(soon()), Currency::outdated) << "there is none of that name";
    daemon.is_away = true;
    EXPECT_EQ((*box)->currency(soon()), Currency::unknown);
  }
}

TEST(DockerOpen, AttachesAndWaitsBeforeItStarts) {  // P-19
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  ASSERT_TRUE(backend_on(daemon)->open(spec, soon()).ok());
  const std::string path = std::string("POST /containers/") + kName;
  EXPECT_LT(index_of(daemon, path + "/attach"), index_of(daemon, path + "/wait"));
  EXPECT_LT(index_of(daemon, path + "/wait"), index_of(daemon, path + "/start"));
}

TEST(DockerOpen, RemovesTheContainerWithTheBox) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  {
    const auto box = backend->open(spec, soon());
    ASSERT_TRUE(box.ok());
    EXPECT_FALSE(daemon.was_asked("DELETE"));
  }
  EXPECT_TRUE(daemon.was_asked(std::string("DELETE /containers/") + kName));
}

TEST(DockerOpen, RemovesByNameWhenTheAnswerToCreateIsLost) {
  FakeDaemon daemon;
  daemon.lose_create = true;
  EXPECT_FALSE(backend_on(daemon)->open(spec_for("lazaret/python:latest"), soon()).ok());
  EXPECT_TRUE(daemon.was_asked(std::string("DELETE /containers/") + kName));
}

TEST(DockerOpen, RemovesTheScratchVolumesOfPodman) {
  FakeDaemon daemon;
  daemon.kind = Kind::podman;
  daemon.lose_create = true;
  EXPECT_FALSE(backend_on(daemon)->open(spec_for("lazaret/python:latest"), soon()).ok());
  for (const char* const suffix : {"-work", "-tmp", "-shm"}) {
    EXPECT_TRUE(daemon.was_asked(std::string("DELETE /volumes/") + kName + suffix));
  }
}

TEST(DockerOpen, BlamesTheFiltersPathOnlyWherePodmanRefusesWithoutAReason) {
  FakeDaemon refusing, losing;
  refusing.kind = losing.kind = Kind::podman;
  refusing.create_status = 500;
  losing.lose_create = true;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  const auto refused = backend_on(refusing)->open(spec, soon());
  const auto lost = backend_on(losing)->open(spec, soon());
  ASSERT_FALSE(refused.ok() || lost.ok());
  EXPECT_NE(refused.error().hint().find("the engine must see /"), std::string::npos);
  EXPECT_NE(lost.error().hint().find("what the engine logs"), std::string::npos);
}

TEST(DockerOpen, TellsHowToMakeAnImageOfOurs) {  // P-46
  FakeDaemon daemon;
  daemon.create_status = 404;
  const auto box = backend_on(daemon)->open(spec_for("lazaret/python:latest"), soon());
  ASSERT_FALSE(box.ok());
  EXPECT_EQ(box.error().code(), Errc::image_missing);
  EXPECT_NE(box.error().hint().find("lazaret images build python"), std::string::npos);
}

TEST(DockerOpen, TellsHowToPullAnImageOfOthers) {
  FakeDaemon daemon;
  daemon.create_status = 404;
  const auto box = backend_on(daemon)->open(spec_for("python:3.11"), soon());
  ASSERT_FALSE(box.ok());
  EXPECT_NE(box.error().hint().find("docker pull python:3.11"), std::string::npos);
}

TEST(DockerOpen, FillsTheRunnerVolumeOnceThroughAContainerThatNeverStarts) {
  FakeDaemon daemon;
  daemon.runner_ready = false;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_TRUE(daemon.was_asked("PUT /containers/c0ffee/archive"));
  EXPECT_TRUE(daemon.was_asked("DELETE /containers/lazaret-fill-"));
  EXPECT_FALSE(daemon.was_asked("POST /containers/c0ffee/start"));
  daemon.requests.clear();
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_FALSE(daemon.was_asked("PUT"));
  EXPECT_FALSE(daemon.was_asked("HEAD"));
}

// Threat 29: Podman says where links lead, and nothing of one that leads nowhere in the image.
TEST(DockerOpen, StartsNothingOfAnImageWithALinkAtDev) {
  for (const char* const devices : {"/etc", ""}) {
    FakeDaemon daemon;
    daemon.kind = engine::Kind::podman;
    daemon.devices = devices;
    const policy::Spec spec = spec_for("lazaret/python:latest");
    daemon.report = good_report(spec);
    const auto box = backend_on(daemon)->open(spec, soon());
    ASSERT_FALSE(box.ok());
    EXPECT_EQ(box.error().code(), Errc::enforcement_mismatch);
    EXPECT_NE(box.error().message().find("could write to the host"), std::string::npos);
    EXPECT_FALSE(daemon.was_asked("POST /containers/c0ffee/attach"));
    EXPECT_FALSE(daemon.was_asked("POST /containers/c0ffee/start"));
  }
}

TEST(DockerOpen, LooksIntoAnImageOnce) {
  FakeDaemon daemon;
  daemon.kind = engine::Kind::podman;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_TRUE(daemon.was_asked("HEAD"));
  daemon.requests.clear();
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_FALSE(daemon.was_asked("HEAD"));
  daemon.tamper = [](json& seen) { seen["Image"] = ""; };  // of which there may be many
  for (int count = 0; count < 2; ++count) {
    daemon.requests.clear();
    (void)backend->open(spec, soon()).ok();
    EXPECT_TRUE(daemon.was_asked("HEAD"));
  }
}

TEST(DockerOpen, RemovesTheHelperWhoseAnswerWasLostAndNobodyElses) {
  FakeDaemon daemon;
  daemon.runner_ready = false;
  daemon.lose_helper = true;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  EXPECT_FALSE(backend_on(daemon)->open(spec, soon()).ok());
  EXPECT_TRUE(daemon.was_asked("DELETE /containers/lazaret-fill-"));
  daemon.requests.clear();
  int looks = 0;  // the first is at the box itself
  daemon.tamper = [&looks](json& seen) {
    if (++looks > 1) seen["Config"]["Labels"]["dev.lazaret.instance"] = "another";
  };
  EXPECT_FALSE(backend_on(daemon)->open(spec, soon()).ok());
  EXPECT_FALSE(daemon.was_asked("DELETE /containers/lazaret-fill-"));
}

TEST(DockerOpen, CoversTheVolumesOfAnImage) {
  FakeDaemon daemon;
  daemon.image_volume = "/data";
  const policy::Spec spec = spec_for("redis:7");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  daemon.requests.clear();
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok()) << box.error().message();
  EXPECT_EQ(isolation_of((*box)->evidence()), Isolation::full);
  const json& cover = daemon.sent["HostConfig"]["Mounts"][1];
  EXPECT_EQ(cover["Type"], "tmpfs");
  EXPECT_EQ(cover["Target"], "/data");
  EXPECT_EQ(cover["ReadOnly"], true);
  // The first one went, with its volume, before the second was made.
  EXPECT_LT(index_of(daemon, std::string("DELETE /containers/") + kName),
            index_of(daemon, std::string("POST /containers/") + kName + "/start"));
}

TEST(DockerOpen, StopsBeforeAnythingIsMadeWhenItsTimeIsUp) {
  FakeDaemon daemon;
  const auto backend = backend_on(daemon);
  daemon.requests.clear();
  const Call late = Call{}.within(std::chrono::milliseconds(0));
  const auto box = backend->open(spec_for("lazaret/python:latest"), late);
  ASSERT_FALSE(box.ok());
  EXPECT_FALSE(daemon.was_asked("POST /containers/create"));
}

TEST(DockerBox, IsKilledByTheEngineAndOnlyOnce) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  daemon.requests.clear();
  EXPECT_TRUE((*box)->kill(soon()).ok());
  EXPECT_TRUE((*box)->kill(soon()).ok());
  const std::string kill = std::string("POST /containers/") + kName + "/kill";
  EXPECT_EQ(std::count(daemon.requests.begin(), daemon.requests.end(), kill), 1);
}

TEST(DockerBox, IsKilledAgainWhenTheFirstCallIsLost) {
  FakeDaemon daemon;
  daemon.runner_leaves = false;
  daemon.kills_lost = 1;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  EXPECT_TRUE((*box)->kill(soon()).ok());
  daemon.runner_leaves = false;
  daemon.kills_lost = 2;
  const auto other = backend->open(spec, soon());
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE((*other)->kill(soon()).ok());
}

TEST(DockerBox, IsRemovedBeforeTheNextOneIsMadeWhenTheEngineWasAway) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  {
    const auto box = backend->open(spec, soon());
    ASSERT_TRUE(box.ok());
    daemon.is_away = true;
  }
  daemon.is_away = false;
  daemon.requests.clear();
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_EQ(daemon.requests.front(), std::string("DELETE /containers/") + kName);
  daemon.requests.clear();
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_FALSE(daemon.was_asked(std::string("DELETE /containers/") + kName)) << "once is enough";
}

// An engine that nobody waits for any more makes it all the same, perhaps after it was removed.
TEST(DockerBox, IsRemovedAgainAndAgainWhenItMayHaveComeLate) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const std::string removal = std::string("DELETE /containers/") + kName;
  auto backend = backend_on(daemon);
  daemon.lose_create = true;
  ASSERT_FALSE(backend->open(spec, soon()).ok());
  EXPECT_TRUE(daemon.was_asked(removal));
  daemon.lose_create = false;
  for (int time = 0; time < 2; ++time) {
    daemon.requests.clear();
    ASSERT_TRUE(backend->open(spec, soon()).ok());
    EXPECT_EQ(daemon.requests.front(), removal);
  }
  daemon.requests.clear();
  backend.reset();
  EXPECT_TRUE(daemon.was_asked(removal)) << "before nobody does it any more";
}

TEST(DockerBox, LetsTheRunnerLeaveBeforeItIsRemoved) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  daemon.requests.clear();
  EXPECT_TRUE((*box)->dispose(soon()).ok());
  EXPECT_THAT(daemon.requests,
              testing::ElementsAre("CLOSE", std::string("DELETE /containers/") + kName));
}

TEST(DockerBox, IsRemovedByForceWhenItsRunnerStays) {
  FakeDaemon daemon;
  daemon.runner_leaves = false;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  daemon.requests.clear();
  EXPECT_TRUE((*box)->dispose(soon()).ok());
  EXPECT_EQ(daemon.requests.back(), std::string("DELETE /containers/") + kName);
}

TEST(DockerBox, BelievesTheEngineAboutMemoryWhereTheCgroupIsElsewhere) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  const auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  EXPECT_FALSE((*box)->autopsy(soon()).usage.memory_kills);
  daemon.tamper = [](json& seen) { seen["State"]["OOMKilled"] = true; };
  EXPECT_TRUE((*box)->autopsy(soon()).usage.memory_kills);
}

TEST(DockerBox, OutlivesItsBackend) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  auto backend = backend_on(daemon);
  auto box = backend->open(spec, soon());
  ASSERT_TRUE(box.ok());
  backend.reset();
  EXPECT_TRUE((*box)->kill(soon()).ok());
}

TEST(DockerOpen, NeverGivesTwoContainersOneName) {
  FakeDaemon daemon;
  const policy::Spec spec = spec_for("lazaret/python:latest");
  daemon.report = good_report(spec);
  const auto backend = backend_on(daemon);
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  ASSERT_TRUE(backend->open(spec, soon()).ok());
  EXPECT_TRUE(daemon.was_asked("POST /containers/lazaret-0123456789abcdef-0/start"));
  EXPECT_TRUE(daemon.was_asked("POST /containers/lazaret-0123456789abcdef-1/start"));
}

}  // namespace
}  // namespace lazaret::backend::docker::test
