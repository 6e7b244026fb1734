#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/boxes.hpp"
#include "integration/daemon.hpp"
#include "integration/spawners.hpp"

// What the daemon makes ahead.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// What the pool has of python: the daemon's own trial at its start is a kind, too.
Json python_in(const Json& pool) {
  for (const Json& kind : pool.value("kinds", Json::array())) {
    if (kind["language"] == "python") return kind;
  }
  return Json::object();
}

// One box waits, and none is made or leaving.
bool is_at_rest(const Json& pool) {
  const Json python = python_in(pool);
  return python.value("ready", 0) == 1 && python["making"] == 0 && pool["ready"] == 1 &&
         pool["leaving"] == 0;
}

// What the kernel says of the only box that waits, within three tenths.
void expect_memory(double bytes, const std::string& backend, pid_t daemon) {
  double resident = 0;
  const std::vector<pid_t> spawners = spawners_of(daemon);
  for (const pid_t process : BoxesOf(backend, daemon).processes()) {
    const bool is_spawner = std::ranges::find(spawners, process) != spawners.end();
    resident += is_spawner ? 0 : 1024.0 * static_cast<double>(resident_kib(process));
  }
  EXPECT_GT(bytes, 0.7 * resident);
  EXPECT_LT(bytes, 1.3 * resident);
}

// The same numbers, as Prometheus asks for them.
void expect_metrics(const std::string& text, const Json& pool) {
  const std::string of = "{backend=\"" + pool["backend"].get<std::string>() + "\"";
  for (const auto& [state, count] : {std::pair{"ready", 1}, {"making", 0}, {"leaving", 0}})
    EXPECT_THAT(text, HasSubstr("\nlazaret_pool_boxes" + of + ",state=\"" + state + "\"} " +
                                std::to_string(count) + "\n"));
  for (const char* const event : {"made", "used", "missed", "unfit", "failed"})
    EXPECT_THAT(text, HasSubstr("\nlazaret_pool_events_total" + of + ",event=\"" + event + "\"} " +
                                pool[event].dump() + "\n"));
  EXPECT_THAT(text, HasSubstr("\nlazaret_pool_memory_bytes" + of + "} "));
  EXPECT_THAT(text, HasSubstr("\n# TYPE lazaret_pool_events_total counter\n"));
}

class ServePoolTells : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(On, ServePoolTells, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServePoolTells, WhatIsReadyAndWhatBecameOfIt) {
  const std::string backend = GetParam();
  const auto variables = variables_for(backend);
  if (!variables) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  const Daemon daemon({}, *variables);
  const auto pool = [&daemon] { return pool_of(daemon); };
  const std::string body = Json({{"code", "print(1)"}}).dump();
  for (int run = 0; run < 2; ++run) EXPECT_EQ(daemon.ask("POST", "/v1/runs", body).status, 200);
  EXPECT_TRUE(becomes_true(20s, [&] { return is_at_rest(pool()); }));
  const Json before = pool();
  EXPECT_EQ(before["backend"], backend);
  EXPECT_GE(before["missed"], 2);
  EXPECT_EQ(before["used"], 0);
  EXPECT_EQ(before["ready"], 1);
  EXPECT_EQ(python_in(before)["wanted"], 1);
  expect_memory(python_in(before)["memory_bytes"].get<double>(), backend, daemon.pid());
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", body).status, 200);
  EXPECT_EQ(pool()["used"], 1);
  EXPECT_TRUE(becomes_true(20s, [&] { return is_at_rest(pool()); }));
  expect_metrics(daemon.ask("GET", "/v1/metrics").body, pool());
}

TEST(ServePool, HasWhatIsConfiguredReadyBeforeAnybodyAsks) {
  const Daemon daemon({}, {{"LAZARET_POOL_READY", "python:2"}});
  const auto python = [&daemon] { return python_in(pool_of(daemon)); };
  EXPECT_TRUE(becomes_true(20s, [&] { return python().value("ready", 0) == 2; }));
  const Json ran = daemon.ask("POST", "/v1/runs", Json({{"code", "print(1)"}}).dump()).json();
  EXPECT_EQ(ran["meta"]["made_ahead"], true);
  EXPECT_TRUE(becomes_true(20s, [&] { return python().value("ready", 0) == 2; }));
}

TEST(ServePool, HasBoxesReadyForRequestsLikeTheConfiguredOnes) {
  const Folder home;
  std::filesystem::create_directories(home.path() + "/lazaret");
  (void)home.write("lazaret/config.yaml",
                   "pool:\n  ready:\n    - {count: 1, language: bash, profile: strict,\n"
                   "       environment: {A: b}, limits: {memory_bytes: 300000000}}\n");
  const Daemon daemon({}, {{"XDG_CONFIG_HOME", home.path()}});
  EXPECT_TRUE(becomes_true(20s, [&] { return pool_of(daemon).value("ready", 0) == 1; }));
  const auto is_made_ahead = [&daemon](const char* profile) {
    const Json more = {{"profile", profile},
                       {"environment", {{"A", "b"}}},
                       {"limits", {{"memory_bytes", 300000000}}}};
    return daemon.ask("POST", "/v1/runs", bash_body("true", more)).json()["meta"]["made_ahead"];
  };
  EXPECT_EQ(is_made_ahead("standard"), false);
  EXPECT_EQ(is_made_ahead("strict"), true);
}

// What a kind's digest covers may hold secrets, and nothing of them can be tried out on it.
TEST(ServePool, ShowsKindsThatSayNothingBeyondTheirDaemon) {
  const auto shown = [] {
    const Daemon daemon;
    (void)daemon.ask("POST", "/v1/runs", bash_body("true", {{"environment", {{"PIN", "1234"}}}}));
    return pool_of(daemon)["kinds"][0]["kind"];
  };
  const Json first = shown();
  EXPECT_GT(first.get<std::string>().size(), 20U);
  EXPECT_NE(first, shown());
}

}  // namespace
}  // namespace lazaret::test
