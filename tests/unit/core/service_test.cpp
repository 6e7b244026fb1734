#include "core/service.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <latch>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/fake_backend.hpp"

namespace lazaret::core {
namespace {

using namespace test;
using backend::BackendKind;
using policy::BackendType;
using testing::ElementsAre;
using testing::HasSubstr;

// A world with some backends, which notes what it is asked for.
struct World {
  std::map<BackendKind, std::shared_ptr<FakeBackend>> backends;  // shared with the service
  std::map<BackendKind, Error> errors;
  std::vector<BackendKind> asked;

  std::shared_ptr<Script> add(BackendKind kind) {
    auto script = std::make_shared<Script>();
    script->runner = exits_with(0);
    backends[kind] = std::make_shared<FakeBackend>(script, std::string(name_of(kind)));
    return script;
  }
  std::shared_ptr<Script> refuses(BackendKind kind, Error error) {
    auto script = add(kind);
    backends[kind]->refusal = std::move(error);
    return script;
  }
  void lacks(BackendKind kind, Error error) { errors.emplace(kind, std::move(error)); }
  BackendFinder finder() {
    return [this](BackendKind kind, const Call&) {
      asked.push_back(kind);
      backend::Found found;
      if (const auto at = backends.find(kind); at != backends.end()) found.backend = at->second;
      if (const auto at = errors.find(kind); at != errors.end()) found.error = at->second;
      return found;
    };
  }
};

policy::Config config_of(BackendType type,
                         policy::FallbackRule fallback = policy::FallbackRule::allow) {
  policy::Config config;
  config.type = type;
  config.fallback = fallback;
  return config;
}

ExecutionRequest python(std::string code = "1") {
  ExecutionRequest request;
  request.code = std::move(code);
  return request;
}
ExecutionRequest cobol() {
  ExecutionRequest request = python();
  request.language = "cobol";
  return request;
}
ExecutionRequest preloading() {
  ExecutionRequest request = python();
  request.environment = {{"LD_PRELOAD", "/evil.so"}};
  return request;
}
ExecutionRequest endless() {
  ExecutionRequest request = python();
  request.limits.timeout = std::chrono::hours(24);
  return request;
}

TEST(Service, RunsNativelyByDefault) {
  World world;
  world.add(BackendKind::native);
  Service service(config_of(BackendType::local), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_TRUE(result.success());
  EXPECT_EQ(result.meta.backend, "native");
  EXPECT_EQ(result.meta.language, "python");
  EXPECT_EQ(result.meta.image, std::nullopt);
  EXPECT_EQ(result.meta.fallback, std::nullopt);
  EXPECT_EQ(result.meta.version, LAZARET_VERSION);
  EXPECT_THAT(world.asked, ElementsAre(BackendKind::native));
}

TEST(Service, NamesTheImageOfAContainer) {
  World world;
  world.add(BackendKind::docker);
  Service service(config_of(BackendType::docker), world.finder());
  const ExecutionResult result = service.execute(python());
  EXPECT_EQ(result.meta.backend, "docker");
  EXPECT_EQ(result.meta.image, "lazaret/python:latest");
  EXPECT_THAT(world.asked, ElementsAre(BackendKind::docker));
}

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

TEST(Service, RefusesABadRequestBeforeContactingAnyBackend) {
  World world;
  world.add(BackendKind::native);
  Service service(config_of(BackendType::local), world.finder());
  const ExecutionRequest bad[] = {
      python(""),
      python(std::string("a\0b", 3)),
      python(std::string((1 << 20) + 1, 'x')),
      cobol(),
      preloading(),
      endless(),
  };
  for (const ExecutionRequest& request : bad) {
    SCOPED_TRACE(request.language + " " + std::to_string(request.code.size()));
    const ExecutionResult result = service.execute(request);
    EXPECT_EQ(result.meta.cause, Cause::policy_denied);
    EXPECT_EQ(result.error->type, ErrorType::PolicyDenied);
    EXPECT_EQ(result.meta.backend, "none");
    EXPECT_FALSE(service.check(request).ok());
  }
  EXPECT_TRUE(world.asked.empty());
}

TEST(Service, StopsLookingWhenTheCallerStops) {
  World world;
  world.lacks(BackendKind::docker, Error(Errc::cancelled, "cancelled"));
  const auto native = world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  EXPECT_EQ(service.execute(python()).meta.cause, Cause::cancelled);
  EXPECT_EQ(native->opened, 0);
}

TEST(Service, GivesEveryRunAnIdOfItsOwn) {
  World world;
  world.add(BackendKind::native);
  Service service(config_of(BackendType::local), world.finder());
  std::set<std::string> ids;
  for (int index = 0; index < 50; ++index) ids.insert(service.execute(python()).meta.run_id);
  EXPECT_EQ(ids.size(), 50U);
  EXPECT_THAT(*ids.begin(), testing::MatchesRegex("[0-9a-f]*"));
  EXPECT_EQ(ids.begin()->size(), 16U);
}

TEST(Service, LooksForABackendOnceAndForAMissingOneAgain) {
  World world;
  world.lacks(BackendKind::docker, Error(Errc::not_found, "not yet"));
  world.add(BackendKind::native);
  Service service(config_of(BackendType::docker), world.finder());
  (void)service.execute(python());
  (void)service.execute(python());
  EXPECT_THAT(world.asked,
              ElementsAre(BackendKind::docker, BackendKind::native, BackendKind::docker));
}

TEST(Service, UsesTheBackendsGraceWhenNobodyHasSaid) {
  World world;
  world.add(BackendKind::native);
  Service service(config_of(BackendType::local), world.finder());
  EXPECT_EQ(service.execute(python()).meta.limits.grace, std::chrono::milliseconds(2000));
}

TEST(Service, CallsACommandExec) {
  World world;
  world.add(BackendKind::native);
  Service service(config_of(BackendType::local), world.finder());
  ExecutionRequest request;
  request.command = {"true"};
  EXPECT_EQ(service.execute(request).meta.language, "exec");
}

// A service whose search goes on until it is stopped, except in a fork.
struct Searching {
  std::stop_source stop;
  std::latch begun{1};
  const pid_t parent = ::getpid();
  Service service{config_of(BackendType::local), [this](BackendKind, const Call& call) {
                    if (::getpid() == parent) wait_for_stop(call);
                    const auto script = std::make_shared<Script>();
                    script->runner = exits_with(0);
                    backend::Found found;
                    found.backend = std::make_shared<FakeBackend>(script);
                    return found;
                  }};
  std::jthread first{[this] { (void)service.execute(stopped_by(stop)); }};

  Searching() { begun.wait(); }
  ~Searching() { stop.request_stop(); }
  static ExecutionRequest stopped_by(const std::stop_source& source) {
    ExecutionRequest request = python();
    request.stop = source.get_token();
    return request;
  }

 private:
  void wait_for_stop(const Call& call) {
    FakeWire wire;
    begun.count_down();
    std::array<std::byte, 1> byte;
    (void)wire.read(byte, {Deadline::never(), call.stop});
  }
};

TEST(Service, WaitsForAnothersSearchNoLongerThanItMay) {
  const auto world = std::make_unique<Searching>();
  std::stop_source stop;
  stop.request_stop();
  const ExecutionResult result = world->service.execute(Searching::stopped_by(stop));
  EXPECT_EQ(result.meta.cause, Cause::cancelled);
}

TEST(Service, SearchesAnewInAForkWhoseParentSearches) {
  const auto world = std::make_unique<Searching>();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(world->service.execute(python()).success() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
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
  EXPECT_THAT(world.asked, ElementsAre(BackendKind::docker));
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

TEST(Service, NamesTheMemberWhoseDirectoryCannotBe) {
  World world;
  Service service(config_of(BackendType::local), world.finder());
  ExecutionRequest request = python();
  request.output_directory = "/";
  EXPECT_THAT(service.check(request).error().message(), HasSubstr("artifacts"));
  request.output_directory.reset();
  request.inputs = {{"a", "", "/nonexistent"}};
  EXPECT_THAT(service.check(request).error().message(), HasSubstr("inputs"));
}

}  // namespace
}  // namespace lazaret::core
