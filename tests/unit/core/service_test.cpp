#include "core/service.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <latch>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/core/world.hpp"

namespace lazaret::core {
namespace {

using namespace test;
using backend::BackendKind;
using policy::BackendType;
using testing::ElementsAre;
using testing::HasSubstr;

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
