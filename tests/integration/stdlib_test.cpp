#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "places.hpp"

// CPython's own regression tests, as code that expects a complete system: what they need, a box
// has.
namespace lazaret::test {
namespace {

constexpr int kChunks = 4;

std::string corpus_folder() {
  const std::string given = variable("LAZARET_CORPUS_DIR");
  return given.empty() ? in_checkout("tests/corpus") : given;
}

// Every fourth module: no chunk comes near the time limit.
std::vector<std::string> modules_of(int chunk) {
  const Json all = Json::parse(file_text(corpus_folder() + "/stdlib.json"));
  std::vector<std::string> modules;
  for (std::size_t index = static_cast<std::size_t>(chunk); index < all.size(); index += kChunks) {
    modules.push_back(all[index].get<std::string>());
  }
  return modules;
}

// WHY not this one: a walk along a path that has to be begun again because somebody mounts
// something meanwhile counts its symbolic links twice (namei.c, total_link_count), so that one of
// 21 may fail with ELOOP, whoever asks: a box, or a process without one beside another's start.
constexpr const char* kDisturbedByMounts = "test_selflink";

class Stdlib : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Stdlib, PassesItsOwnTestsInABox) {
  const auto& [backend, chunk] = GetParam();
  if (!options_for(backend)) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
  // `exec` has no language from which an image would follow.
  const auto in_python_image = [on = std::string(backend)](ExecutionRequest request) {
    if (on != "native") request.image = "lazaret/python:latest";
    return request;
  };
  const Json probe =
      run_on(backend, in_python_image(command({"python3", "-c", "import test.test_json"})));
  if (probe["exit_code"] != 0)
    LAZARET_SKIP_OR_FAIL("stdlib", "libpython3.11-testsuite is not installed in the box");
  std::vector<std::string> argv = {"python3", "-m", "test", "--ignore", kDisturbedByMounts};
  const auto modules = modules_of(chunk);
  argv.insert(argv.end(), modules.begin(), modules.end());
  ExecutionRequest request = in_python_image(command(argv));
  request.limits.timeout = std::chrono::minutes(4);
  // Each module is content with the default; in one process they add up.
  request.limits.memory_bytes = 1ULL << 30;
  Json result = run_on(backend, request);
  EXPECT_EQ(result["meta"]["cause"], "exited")
      << result["stdout"].get<std::string>() << result["stderr"].get<std::string>();
  EXPECT_THAT(result["stdout"].get<std::string>(), testing::HasSubstr("SUCCESS"));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, Stdlib,
                         testing::Combine(testing::ValuesIn(kBackends), testing::Range(0, kChunks)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
}  // namespace lazaret::test
