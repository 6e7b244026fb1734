#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/orchestrator.hpp"
#include "integration/docker_bed.hpp"
#include "integration/engine_fault_cases.hpp"

// A real engine, and between it and us something that goes wrong once. Section J of the threats.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// The sum of all bounds that one request can run into, on a busy machine.
constexpr std::chrono::seconds kEndOfPatience{30};

std::size_t entries_of(const char* directory) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    (void)entry;
    ++count;
  }
  return count;
}

std::string marker() {
  std::random_device source;
  std::string word = "mark";
  while (word.size() < kMarkerBytes) word += static_cast<char>('a' + source() % 26);
  return word;
}

// Makes boxes in less time than a run gives its backend.
class Hasty final : public backend::Backend {
 public:
  Hasty(backend::Backend& inside, std::chrono::milliseconds most) : inside_(inside), most_(most) {}
  std::string name() const override { return inside_.name(); }
  std::string runtime() const override { return inside_.runtime(); }
  Result<std::unique_ptr<backend::Box>> open(const policy::Spec& spec, const Call& call) override {
    return inside_.open(spec, call.within(most_));
  }
  std::chrono::milliseconds default_grace() const override { return inside_.default_grace(); }

 private:
  backend::Backend& inside_;
  std::chrono::milliseconds most_;
};

std::unique_ptr<backend::Backend> backend_at(const std::string& endpoint) {
  backend::docker::DockerBackendOptions options;
  options.host = endpoint;
  auto made = backend::docker::connect(std::move(options), within_seconds(20));
  if (made.backend.ok()) return std::move(made.backend).value();
  ADD_FAILURE() << made.backend.error().message();
  return nullptr;
}

policy::Spec spec_for(const FaultCase& given, const std::string& marker) {
  policy::Spec spec = test::spec_of({"sh", "-c", given.code, marker});
  for (const Control control : all_controls()) spec.required.insert(control);
  spec.limits.timeout = given.timeout;
  spec.limits.grace = 200ms;
  return spec;
}

std::string whole_output(const FaultCase& given, const std::string& marker) {
  const bool ends = given.code.find("end-") != std::string::npos;
  return "begin-" + marker + "\n" + (ends ? "end-" + marker + "\n" : "");
}

void expect_not_run(const ExecutionResult& result, EngineProxy& proxy, const std::string& marker) {
  EXPECT_FALSE(proxy.has_passed(marker)) << "it was handed over";
  EXPECT_EQ(result.stdout_text, "");
  const std::optional<std::string> hint = result.error ? result.error->hint : std::nullopt;
  EXPECT_THAT(hint.value_or(""), Not(HasSubstr("may have run")));
}

void expect_lost(const ExecutionResult& result, const std::string& whole) {
  EXPECT_TRUE(result.truncated) << "cut output is presented as complete";
  EXPECT_THAT(whole, StartsWith(result.stdout_text));
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("may be cut")));
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_FALSE(result.meta.evidence.empty());
}

void expect_complete(const ExecutionResult& result, const std::string& whole) {
  EXPECT_EQ(result.stdout_text, whole);
  EXPECT_FALSE(result.truncated);
  EXPECT_EQ(result.exit_code, result.meta.cause == Cause::exited ? 0 : -1);
}

void expect_clear(const ExecutionResult& result, const FaultCase& given) {
  EXPECT_EQ(result.meta.cause, given.cause) << to_json(result, 1);
  if (given.cause == Cause::exited) {
    EXPECT_FALSE(result.error.has_value()) << to_json(result, 1);
  } else {
    ASSERT_TRUE(result.error.has_value());
    EXPECT_THAT(result.error->message, HasSubstr(given.said));
    EXPECT_FALSE(result.error->hint.value_or("").empty()) << result.error->message;
  }
  EXPECT_THAT(result.meta.warnings, Not(Contains(HasSubstr("could not be ended"))));
  if (!given.warning.empty()) {
    EXPECT_THAT(result.meta.warnings, Contains(HasSubstr(given.warning)));
  }
}

class EngineFault : public testing::TestWithParam<FaultCase> {
 protected:
  static void expect_one_clear_end(const std::string& engine, const FaultCase& given);
};

void EngineFault::expect_one_clear_end(const std::string& engine, const FaultCase& given) {
  const std::size_t descriptors = entries_of("/proc/self/fd");
  const std::size_t threads = entries_of("/proc/self/task");
  const std::string word = marker();
  std::vector<std::string> dialogue;
  {
    EngineProxy proxy(engine);
    auto backend = backend_at(proxy.endpoint());
    ASSERT_NE(backend, nullptr);
    Hasty hasty(*backend, given.open_within);
    const policy::Spec spec = spec_for(given, word);

    proxy.meet(given.fault);
    const auto started = std::chrono::steady_clock::now();
    const ExecutionResult result = core::run(hasty, {}, spec).result;
    EXPECT_LT(std::chrono::steady_clock::now() - started, kEndOfPatience);
    EXPECT_GE(proxy.met(), 1) << "the fault was not met";
    expect_clear(result, given);
    if (given.program == Program::not_run) expect_not_run(result, proxy, word);
    if (given.program == Program::lost) expect_lost(result, whole_output(given, word));
    if (given.program == Program::complete) expect_complete(result, whole_output(given, word));
    EXPECT_THAT(processes_marked(word), IsEmpty());
    EXPECT_THAT(proxy.requests(), Not(Contains(HasSubstr("evil"))));

    proxy.heal();
    const ExecutionResult next = core::run(*backend, {}, test::spec_of({"echo", "again"})).result;
    EXPECT_EQ(next.stdout_text, "again\n") << to_json(next, 1);
    EXPECT_EQ(next.meta.cause, Cause::exited);
    backend.reset();  // which takes what could not be removed before
    dialogue = proxy.dialogue();
  }
  EXPECT_THAT(left_behind(engine), IsEmpty()) << testing::PrintToString(dialogue);
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
}

std::string case_name(const testing::TestParamInfo<FaultCase>& info) { return info.param.name; }

class DockerFault : public EngineFault {};

TEST_P(DockerFault, HasOneClearEndAndLeavesNothing) {
  const std::string engine = variable("LAZARET_TEST_DOCKER");
  if (engine.empty()) LAZARET_SKIP_OR_FAIL("docker", "no endpoint is given");
  expect_one_clear_end(engine, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Making, DockerFault, testing::ValuesIn(faults_while_making()), case_name);
INSTANTIATE_TEST_SUITE_P(Answer, DockerFault, testing::ValuesIn(wrong_answers()), case_name);
INSTANTIATE_TEST_SUITE_P(Stream, DockerFault, testing::ValuesIn(faults_of_the_stream()), case_name);
INSTANTIATE_TEST_SUITE_P(Ending, DockerFault, testing::ValuesIn(faults_while_ending()), case_name);
INSTANTIATE_TEST_SUITE_P(Lost, DockerFault, testing::ValuesIn(lost_sockets()), case_name);

// Takes the runner away from the engine, so that it has to be brought there again.
void remove_runner(const std::string& engine) {
  const engine::EngineClient client = client_on(engine);
  const auto volumes = engine::volume::list(client, {"dev.lazaret.runner"}, within_seconds(10));
  ASSERT_TRUE(volumes.ok());
  for (const auto& volume : *volumes) {
    const Status removed = engine::volume::remove(client, volume.name, within_seconds(10));
    ASSERT_TRUE(removed.ok()) << removed.error().message();
  }
}

class FillingFault : public EngineFault {};

TEST_P(FillingFault, HasOneClearEndAndLeavesNothing) {
  const std::string engine = variable("LAZARET_TEST_DOCKER");
  if (engine.empty()) LAZARET_SKIP_OR_FAIL("docker", "no endpoint is given");
  remove_runner(engine);
  expect_one_clear_end(engine, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Docker, FillingFault, testing::ValuesIn(faults_while_filling()),
                         case_name);

class PodmanFault : public EngineFault {};

TEST_P(PodmanFault, HasOneClearEndAndLeavesNothing) {
  const std::string engine = variable("LAZARET_TEST_PODMAN");
  if (engine.empty()) LAZARET_SKIP_OR_FAIL("podman", "no endpoint is given");
  expect_one_clear_end(engine, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Chosen, PodmanFault, testing::ValuesIn(faults_of_podman()), case_name);

}  // namespace
}  // namespace lazaret::test
