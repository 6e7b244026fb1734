#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "integration/support.hpp"

// Threat 35: what is given to one run is seen by that run alone.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A daemon's containers, as the engine shows them to whoever may ask it.
std::string containers_of(const Daemon& daemon, const std::string& endpoint) {
  const engine::EngineClient client = client_on(endpoint);
  const std::string label = "dev.lazaret.pid=" + std::to_string(daemon.pid());
  const auto containers = engine::container::list(client, {{label}, false}, within_seconds(10));
  std::string shown;
  if (!containers.ok()) return containers.error().message();
  for (const auto& container : *containers) {
    const auto facts = engine::container::inspect(client, container.id, within_seconds(10));
    if (facts.ok()) shown += facts->dump();  // it may be gone by now
  }
  return shown;
}

class SecretsOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    host_ = options->host.value_or("");
  }
  [[nodiscard]] std::vector<std::string> arguments() const {
    return words_for(GetParam());
  }
  // The journal's files among them.
  [[nodiscard]] std::string all_that_is_kept() const {
    std::string kept;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path(), ignored)) {
      if (entry.is_regular_file(ignored)) kept += file_text(entry.path().string());
    }
    return kept;
  }
  // By each way that a caller has.
  [[nodiscard]] Json given(const std::string& code) const {
    const Json body = {{"language", "bash"},
                       {"code", code + "  # " + secret_},
                       {"arguments", {secret_}},
                       {"stdin", secret_},
                       {"environment", {{"TOKEN", secret_}}},
                       {"files", {{{"path", "key"}, {"content", secret_}}}}};
    return body;
  }

  const std::string secret_ = unique_marker();
  std::string host_;
  const Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(EachBackend, SecretsOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(SecretsOn, AreSeenByTheRunAloneThatTheyWereGivenTo) {
  testing::internal::CaptureStderr();  // of the daemon as well
  std::string shown, told;
  {
    const Daemon daemon(arguments(), {{"XDG_STATE_HOME", folder_.path()}});
    const auto run = [&daemon](const Json& body) {
      return daemon.ask("POST", "/v1/runs", body.dump()).json();
    };
    const Json own = run(given("cat; cat key; echo $TOKEN $1; cp key /tmp; cp key /dev/shm"));
    EXPECT_THAT(own.value("stdout", ""), HasSubstr(secret_ + secret_ + secret_)) << own;
    const Json other = run({{"language", "bash"},
                            {"code", "env; grep -rs . /work /tmp /dev/shm /var /mnt; tr '\\0' ' ' "
                                     "</proc/self/environ; cat /proc/[0-9]*/cmdline"}});
    EXPECT_THAT(other.dump(), Not(HasSubstr(secret_)));

    Json detached = given("echo begun; sleep 20");
    detached["detach"] = true;
    const Reply begun = daemon.ask("POST", "/v1/runs", detached.dump());
    const std::string place(begun.head.header("Location"));
    EXPECT_EQ(daemon.ask("GET", place + "/output?wait=30").json()["next_offset"], 6);
    if (!host_.empty()) {
      shown = containers_of(daemon, host_);
      EXPECT_THAT(shown, HasSubstr("HostConfig"));
    }
    for (const char* const target : {"/v1/metrics", "/v1/pool", "/v1/health", "/v1/ready"})
      told += daemon.ask("GET", target).body;
    EXPECT_THAT(all_that_is_kept(), Not(HasSubstr(secret_)));
    Json wrong = given("exit 3");
    wrong["limits"] = {{"no_such_limit", 1}};
    told += run(wrong).dump();
  }
  told += testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, Not(HasSubstr(secret_)));
  EXPECT_THAT(told, Not(HasSubstr(secret_)));
  EXPECT_THAT(all_that_is_kept(), Not(HasSubstr(secret_)));
}

}  // namespace
}  // namespace lazaret::test
