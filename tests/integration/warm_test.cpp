#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "engine/image.hpp"
#include "integration/boxes.hpp"
#include "integration/docker_bed.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"

// Boxes made ahead by a sandbox that is kept, on every backend, as they are seen from outside.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using Ids = std::set<std::string>;

class Warm : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    boxes_.emplace(GetParam(), ::getpid());
  }
  void TearDown() override {
    if (!boxes_) return;
    EXPECT_EQ(boxes_->on_the_engine(), std::vector<std::string>());
  }
  [[nodiscard]] const BoxesOf& boxes() const { return *boxes_; }
  /// Those that wait for this request, which is of bash: twice, so that it pays to make one ahead.
  [[nodiscard]] Ids await(const CodeSandbox& sandbox, const ExecutionRequest& request) const {
    for (int time = 0; time < 2; ++time) EXPECT_TRUE(sandbox.execute(request).success());
    return boxes().settled("bash");
  }
  /// Some of these have gone.
  [[nodiscard]] bool lose_one(const Ids& ids) const {
    return becomes_true(30s, [&] { return !std::ranges::includes(boxes().ids(), ids); });
  }
  [[nodiscard]] bool lose_all(const Ids& ids) const {
    return becomes_true(30s, [&] {
      const Ids now = boxes().ids();
      return std::ranges::none_of(ids, [&now](const auto& id) { return now.contains(id); });
    });
  }

 private:
  std::optional<BoxesOf> boxes_;
};

INSTANTIATE_TEST_SUITE_P(EachBackend, Warm, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

Json proof_of(const ExecutionResult& result) {
  return Json::parse(to_json(result))["meta"]["evidence"];
}

TEST_P(Warm, UsesEachBoxOnce) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const ExecutionRequest request =
      bash("ls -A /work /tmp /dev/shm; touch /work/mark /tmp/mark /dev/shm/mark");
  const ExecutionResult cold = sandbox.execute(request);
  int ahead = 0;
  for (int turn = 0; turn < 20 && ahead < 5; ++turn) {
    const Ids waiting = turn == 0 ? await(sandbox, request) : boxes().settled("bash");
    const ExecutionResult warm = sandbox.execute(request);
    EXPECT_EQ(warm.stdout_text, cold.stdout_text);
    EXPECT_EQ(proof_of(warm), proof_of(cold));
    if (!warm.meta.made_ahead) continue;
    ++ahead;
    EXPECT_TRUE(lose_one(waiting)) << "the box that was used is still there";
  }
  EXPECT_EQ(ahead, 5);
}

// The time of a run is its own, in its evidence and in fact.
TEST_P(Warm, IsOfNoOneTimeout) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  (void)await(sandbox, bash("echo here"));
  int ahead = 0;
  for (int turn = 0; turn < 20 && ahead < 3; ++turn) {
    (void)boxes().settled("bash");
    ExecutionRequest request = bash("echo here; exec sleep 20");
    request.limits.timeout = std::chrono::milliseconds(301 + turn);
    request.limits.grace = std::chrono::milliseconds(200);
    const ExecutionResult result = sandbox.execute(request);
    EXPECT_EQ(result.meta.cause, Cause::timeout) << to_json(result);
    EXPECT_LT(result.duration, std::chrono::seconds(5));
    const auto row =
        std::ranges::find(result.meta.evidence, Control::timeout, &Evidence::control);
    EXPECT_EQ(row->requested, std::to_string(301 + turn) + " ms");
    ahead += result.meta.made_ahead ? 1 : 0;
  }
  EXPECT_EQ(ahead, 3);
}

TEST_P(Warm, ReplacesUnnoticedWhatIsKilledWhileItWaits) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const ExecutionRequest request = bash("echo here");
  for (int time = 0; time < 3; ++time) {
    const Ids waiting = await(sandbox, request);
    boxes().kill(waiting);
    EXPECT_TRUE(lose_all(waiting));
    const ExecutionResult next = sandbox.execute(request);
    EXPECT_EQ(next.stdout_text, "here\n") << to_json(next);
    EXPECT_TRUE(next.success() && next.meta.warnings.empty()) << to_json(next);
  }
}

TEST_P(Warm, ReplacesWhatIsKilledWhileNobodyAsks) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const Ids waiting = await(sandbox, bash("true"));
  boxes().kill(waiting);
  EXPECT_TRUE(lose_all(waiting));
  EXPECT_TRUE(becomes_true(30s, [&] { return !boxes().ids().empty(); }));
}

TEST_P(Warm, LeavesNothingWhenTheSandboxGoes) {
  std::vector<pid_t> processes;
  {
    const CodeSandbox sandbox = sandbox_on(GetParam());
    EXPECT_FALSE(await(sandbox, bash("true")).empty());
    processes = boxes().processes();
    EXPECT_FALSE(processes.empty());
  }
  EXPECT_EQ(boxes().ids(), Ids());
  EXPECT_EQ(boxes().on_the_engine(), std::vector<std::string>());
  EXPECT_TRUE(becomes_true(10s, [&] { return are_gone(processes); }));
}

using WarmOnAnEngine = Warm;
INSTANTIATE_TEST_SUITE_P(EachEngine, WarmOnAnEngine, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

// A name for an image that can be given to another one.
class Tag {
 public:
  explicit Tag(const engine::EngineClient& client) : client_(client) {}
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;
  ~Tag() { EXPECT_TRUE(engine::image::remove(client_, name(), within_seconds(20)).ok()); }

  [[nodiscard]] std::string name() const { return repository_ + ":latest"; }
  void give_to(const std::string& image) const {
    const auto given = client_.transact({.doing = "tagging",
                                         .method = "POST",
                                         .target = engine::Target("images")
                                                       .reference(image)
                                                       .word("tag")
                                                       .query("repo", repository_)
                                                       .query("tag", "latest")},
                                        within_seconds(20));
    EXPECT_TRUE(given.ok()) << given.error().message();
  }

 private:
  const engine::EngineClient& client_;
  const std::string repository_ = "localhost/lazaret-test/" + unique_marker();
};

// Docker's news of it may come a moment later than the next request, but not than two of them.
TEST_P(WarmOnAnEngine, UsesNoBoxOnceItsImageIsTaggedAnew) {
  const Tag tag(boxes().client());
  tag.give_to("lazaret/bash:latest");
  const CodeSandbox sandbox = sandbox_on(GetParam());
  ExecutionRequest request = bash("command -v python3 || echo none");
  request.image = tag.name();
  (void)sandbox.execute(request);
  Ids waiting;
  for (int turn = 0; turn < 20 && waiting.size() < 2; ++turn) waiting = await(sandbox, request);
  ASSERT_GE(waiting.size(), 2U);
  tag.give_to("lazaret/python:latest");
  std::size_t old = 0;
  while (old < waiting.size() && sandbox.execute(request).stdout_text == "none\n") ++old;
  EXPECT_LE(old, GetParam() == std::string("docker") ? 1U : 0U)
      << "of " << waiting.size() << " that waited";
}

// What an interpreter does while it waits for its program.
class WarmAtRest : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(EachBackend, WarmAtRest,
                         testing::Combine(testing::ValuesIn(kBackends),
                                          testing::Values("python", "javascript", "bash")),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" +
                                  std::get<1>(given.param);
                         });

TEST_P(WarmAtRest, BurnsNothing) {
  const auto& [backend, language] = GetParam();
  if (!options_for(backend)) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  const std::string program = language == std::string("javascript") ? "node" : language;
  const BoxesOf boxes(backend, ::getpid());
  const CodeSandbox sandbox = sandbox_on(backend);
  const ExecutionRequest request = code_request(language, is_ahead(language));
  for (int time = 0; time < 2; ++time) (void)sandbox.execute(request);
  // They may still be in the making at first.
  EXPECT_TRUE(becomes_true(40s, [&] { return rest([&] { return boxes.processes(); }, program); }));
}

}  // namespace
}  // namespace lazaret::test
