#include "engine/system.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::system {
namespace {

using test::FakeEngine;
using test::says;
using test::soon;

Info info_from(const std::string& answer) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(200, answer));
  auto result = info(client, soon());
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : Info{};
}

TEST(EngineSystem, Pings) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(200, "OK"));
  EXPECT_TRUE(ping(client, soon()).ok());
}

TEST(EngineSystem, ReadsWhatTheEngineCanLimit) {
  const Info got = info_from(R"({"CgroupVersion":"2","MemoryLimit":true,"SwapLimit":true,
    "PidsLimit":true,"CpuCfsQuota":true,"OSType":"linux","Architecture":"x86_64","Name":"host",
    "Runtimes":{"runc":{},"runsc":{}},"DefaultRuntime":"runc","Warnings":["w"]})");
  EXPECT_EQ(got.cgroup_version, "2");
  EXPECT_TRUE(got.memory_limit && got.swap_limit && got.pids_limit && got.cpu_cfs_quota);
  EXPECT_EQ(got.runtimes, (std::vector<std::string>{"runc", "runsc"}));
  EXPECT_EQ(got.warnings, std::vector<std::string>{"w"});
}

TEST(EngineSystem, ReadsTheSecurityOptions) {
  const Info got = info_from(
      R"({"SecurityOptions":["name=seccomp,profile=default","name=rootless","name=userns"]})");
  EXPECT_TRUE(got.seccomp);
  EXPECT_EQ(got.seccomp_profile, "default");
  EXPECT_TRUE(got.rootless);
  EXPECT_TRUE(got.user_namespaces);
}

TEST(EngineSystem, ReadsWhatIsNotSaidAsCannot) {
  const Info got = info_from(R"({"MemoryLimit":"yes","SecurityOptions":{"a":1},"Runtimes":[]})");
  EXPECT_FALSE(got.memory_limit || got.seccomp || got.rootless || got.pids_limit);
}

TEST(EngineSystem, ReadsCpuQuotaInPodmansSpellingToo) {
  EXPECT_TRUE(info_from(R"({"CPUCfsQuota":true})").cpu_cfs_quota);
}

TEST(EngineSystem, GivesEachEvent) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                     "11\r\n{\"Action\":\"die\"}\n\r\n0\r\n\r\n",
                            .piece_bytes = 1});
  std::string seen;
  const Status status = events(
      client, {.filters = {{"container", {"abc"}}}, .since = "1"},
      [&seen](const nlohmann::json& event) -> Status {
        seen += event["Action"].get<std::string>();
        return {};
      },
      soon());
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(seen, "die");
  EXPECT_EQ(test::request_line(engine.last_request()),
            "GET /v1.41/events?filters=%7B%22container%22%3A%5B%22abc%22%5D%7D&since=1 HTTP/1.1");
}

TEST(EngineSystem, ListensToEventsUntilTheCallEnds) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                            .then = test::Then::silence});
  const Status status =
      events(client, {}, [](const nlohmann::json&) -> Status { return {}; }, soon());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::timed_out);
}

}  // namespace
}  // namespace lazaret::engine::system
