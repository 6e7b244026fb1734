#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/world.hpp"

// Which backend a request ends at, and why not at another.
namespace lazaret::core {
namespace {

using namespace test;
using backend::BackendKind;
using policy::BackendType;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Service, FallsBackFromDockerToNativeAndSaysWhy) {
  World world;
  world.lacks(BackendKind::docker,
              Error(Errc::connection_refused, "unix:///run/docker.sock: nobody listens"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.meta.backend, "native");
  ASSERT_TRUE(result.meta.fallback.has_value());
  EXPECT_EQ(result.meta.fallback->wanted, "docker");
  EXPECT_THAT(result.meta.fallback->reason, HasSubstr("nobody listens"));
}

TEST(Service, FallsBackFromPodmanToo) {
  World world;
  world.lacks(BackendKind::podman, Error(Errc::not_found, "no socket"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::podman), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_EQ(result.meta.fallback->wanted, "podman");
  EXPECT_THAT(world.asked, ElementsAre(BackendKind::podman, BackendKind::native));
}

TEST(Service, SaysBackendUnavailableWhenItMayNotFallBack) {
  World world;
  world.lacks(BackendKind::docker,
              Error(Errc::permission_denied, "not in group docker").with_hint("usermod"));
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::docker, policy::FallbackRule::never), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_EQ(result.meta.cause, Cause::backend_unavailable);
  EXPECT_EQ(result.meta.backend, "none");
  EXPECT_EQ(result.error->type, ErrorType::BackendError);
  EXPECT_THAT(result.error->message, HasSubstr("not in group docker"));
  EXPECT_EQ(result.error->hint, "usermod");
  EXPECT_EQ(native->opened, 0);
}

TEST(Service, DoesNotFallBackWhenTheEngineAnswersAndRefuses_P20) {
  World world;
  const auto docker =
      world.refuses(BackendKind::docker, Error(Errc::image_missing, "no such image"));
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  EXPECT_EQ(service.execute(python()).meta.cause, Cause::image_missing);
  EXPECT_EQ(docker->opened, 1);
  EXPECT_EQ(native->opened, 0);
}

// As a daemon's, which outlives its engine: found once, gone later.
TEST(Service, FallsBackWhenTheEngineThatWasFoundIsGone) {
  World world;
  world.add(BackendKind::docker);
  world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  EXPECT_EQ(service.execute(python()).meta.backend, "docker");
  for (const Errc code : {Errc::connection_refused, Errc::timed_out}) {
    world.backends[BackendKind::docker]->refusal = Error(code, "it went");
    const auto engine = world.backends.extract(BackendKind::docker);
    world.errors.insert_or_assign(BackendKind::docker, Error(Errc::not_found, "no socket"));
    const ExecutionResult result = service.execute(python());
    EXPECT_EQ(result.meta.backend, "native");
    ASSERT_TRUE(result.meta.fallback);
    EXPECT_EQ(result.meta.fallback->reason, "docker: no socket");
    world.errors.clear();
    engine.mapped()->refusal.reset();
    EXPECT_EQ(service.execute(python()).meta.backend, "docker") << "it is back";
    world.backends.emplace(BackendKind::docker, engine.mapped());
  }
}

TEST(Service, SaysSoWhenTheEngineThatWasFoundIsGoneAndItMayNotFallBack) {
  World world;
  world.add(BackendKind::docker);
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::docker, policy::FallbackRule::never), world.finder());
  EXPECT_TRUE(service.execute(python()).success());
  world.backends.at(BackendKind::docker)->refusal = Error(Errc::connection_refused, "it went");
  world.backends.erase(BackendKind::docker);
  world.lacks(BackendKind::docker, Error(Errc::not_found, "no socket"));
  const ExecutionResult result = service.execute(python());
  EXPECT_EQ(result.meta.cause, Cause::backend_unavailable);
  EXPECT_EQ(result.error->message, "no socket");
  EXPECT_EQ(native->opened, 0);
}

TEST(Service, DoesNotRunInAWeakerPlaceAfterAMismatch) {
  World world;
  world.refuses(BackendKind::docker, Error(Errc::enforcement_mismatch, "no seccomp"));
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  EXPECT_EQ(service.execute(python()).meta.cause, Cause::enforcement_mismatch);
  EXPECT_EQ(native->opened, 0);
}

TEST(Service, GoesOnUntilOneSatisfiesWhenItMayChoose) {
  World world;
  world.refuses(BackendKind::docker, Error(Errc::enforcement_mismatch, "no seccomp"));
  world.lacks(BackendKind::podman, Error(Errc::not_found, "no socket"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::automatic), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.meta.backend, "native");
  EXPECT_EQ(result.meta.fallback->wanted, "auto");
  EXPECT_EQ(result.meta.fallback->reason, "docker: no seccomp; podman: no socket");
  EXPECT_THAT(world.asked,
              ElementsAre(BackendKind::docker, BackendKind::podman, BackendKind::native));
}

// An engine that answers and gives no box has run nothing.
TEST(Service, GoesOnAfterWhoeverGivesNoBoxWhenItMayChoose) {
  for (const Errc code : {Errc::engine, Errc::timed_out, Errc::connection_lost}) {
    World world;
    world.refuses(BackendKind::docker, Error(code, "no box"));
    world.lacks(BackendKind::podman, Error(Errc::not_found, "no socket"));
    world.add(BackendKind::native);
    Service service(config_of(BackendType::automatic), world.finder());
    const ExecutionResult result = service.execute(python());
    EXPECT_EQ(result.meta.backend, "native");
    EXPECT_EQ(result.meta.fallback->reason, "docker: no box; podman: no socket");
  }
}

TEST(Service, TakesTheFirstThatSatisfiesWithoutAWord) {
  World world;
  world.add(BackendKind::docker);
  Service service(config_of(BackendType::automatic), world.finder());
  EXPECT_EQ(service.execute(python()).meta.fallback, std::nullopt);
  EXPECT_THAT(world.asked, ElementsAre(BackendKind::docker));
}

TEST(Service, NeverRunsCodeTwiceWhenTheFirstRunWasLost) {
  World world;
  const auto docker = world.add(BackendKind::docker);
  docker->runner = on_job([](FakeWire& wire) { wire.hang_up(); });
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::automatic), world.finder());
  EXPECT_EQ(service.execute(python()).meta.cause, Cause::infrastructure_lost);
  EXPECT_EQ(docker->jobs, 1);
  EXPECT_EQ(native->opened, 0);
}

TEST(Service, NamesEveryReasonWhenNobodyCan) {
  World world;
  world.lacks(BackendKind::docker, Error(Errc::not_found, "no docker"));
  world.lacks(BackendKind::podman, Error(Errc::not_found, "no podman"));
  world.lacks(BackendKind::native, Error(Errc::unsupported, "no namespaces"));
  Service service(config_of(BackendType::automatic), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_EQ(result.meta.cause, Cause::backend_unavailable);
  EXPECT_THAT(result.error->message, HasSubstr("no namespaces"));
  EXPECT_EQ(result.meta.fallback->reason, "docker: no docker; podman: no podman");
}

TEST(Service, ASessionSaysWhyItIsNotWhereItWasAskedFor) {
  World world;
  world.lacks(BackendKind::docker, Error(Errc::connection_refused, "nobody listens"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  const auto session = service.open_session({});
  ASSERT_TRUE(session.ok());
  const auto fallback = (*session)->execute(python()).meta.fallback;
  ASSERT_TRUE(fallback.has_value());
  EXPECT_EQ(fallback->wanted, "docker");
  EXPECT_THAT(fallback->reason, HasSubstr("nobody listens"));
}

TEST(Service, ASessionStaysWithAnEngineThatRefusesItsBox) {
  World world;
  world.refuses(BackendKind::docker, Error(Errc::backend_unavailable, "no room"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  const auto session = service.open_session({});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code(), Errc::backend_unavailable);
  EXPECT_THAT(world.asked, Each(BackendKind::docker));
}

// A slow engine is there: it is asked anew, whatever the session's own time.
TEST(Service, ASessionStaysWithAnEngineThatTookAllItsTime) {
  World world;
  world.refuses(BackendKind::docker, Error(Errc::timed_out, "busy"));
  world.add(BackendKind::native);
  const BackendFinder find = world.finder();
  Service service(config_of(BackendType::docker), [&find](BackendKind kind, const Call& call) {
    if (const Status status = call.check(); status.ok()) return find(kind, call);
    backend::Found none;
    none.error = Error(Errc::backend_unavailable, "no time to look");
    return none;
  });
  const auto session = service.open_session({});
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.error().message(), HasSubstr("busy"));
  EXPECT_THAT(world.asked, Each(BackendKind::docker));
}

// Another engine answers in the place of the one that was found: it is used from then on.
TEST(Service, TurnsToTheEngineThatIsFoundInstead) {
  World world;
  const auto old = world.add(BackendKind::docker);
  std::string endpoint = "unix:///first";
  const BackendFinder find = world.finder();
  Service service(config_of(BackendType::docker, policy::FallbackRule::never),
                  [&](BackendKind kind, const Call& call) {
                    backend::Found found = find(kind, call);
                    found.endpoint = endpoint;
                    return found;
                  });
  EXPECT_TRUE(service.execute(python()).success());
  world.backends[BackendKind::docker]->refusal = Error(Errc::connection_refused, "it went");
  const auto next = world.add(BackendKind::docker);
  endpoint = "unix:///second";
  EXPECT_EQ(service.execute(python()).meta.cause, Cause::backend_unavailable);
  EXPECT_TRUE(service.execute(python()).success());
  EXPECT_EQ(next->opened, 1);
}

TEST(Service, AnAutomaticSessionGoesOnAfterARefusal) {
  World world;
  world.refuses(BackendKind::docker, Error(Errc::permission_denied, "not yours"));
  world.lacks(BackendKind::podman, Error(Errc::connection_refused, "nobody listens"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::automatic), world.finder());
  const auto session = service.open_session({});
  ASSERT_TRUE(session.ok());
  EXPECT_THAT((*session)->execute(python()).meta.fallback->reason, HasSubstr("not yours"));
}

}  // namespace
}  // namespace lazaret::core
