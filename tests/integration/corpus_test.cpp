#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "integration/runtimes.hpp"
#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"
#include "places.hpp"

// Programs as a model writes them, and what must become of each on every backend; the format of a
// case is described in tests/corpus/README.md.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;

std::string corpus_folder() {
  const std::string given = variable("LAZARET_CORPUS_DIR");
  return given.empty() ? in_checkout("tests/corpus") : given;
}

// "python/abort", sorted, so that every run has the same order.
std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& language : fs::directory_iterator(corpus_folder(), ignored)) {
    if (!language.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(language)) {
      if (!fs::exists(entry.path() / "case.json")) continue;
      names.push_back(language.path().filename().string() + "/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

struct Case {
  ExecutionRequest request;
  Json expect;
};

std::string program_of(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().stem() == "main") return file_text(entry.path());
  }
  return {};
}

std::string stdin_of(const Json& json) {
  std::string text = json.value("stdin", "");
  if (!json.contains("stdin_repeat")) return text;
  const Json& repeat = json["stdin_repeat"];
  const auto piece = repeat["text"].get<std::string>();
  for (int count = repeat["count"].get<int>(); count > 0; --count) text += piece;
  return text;
}

Case read_case(const std::string& name) {
  const fs::path folder = fs::path(corpus_folder()) / name;
  Json json = Json::parse(file_text(folder / "case.json"));
  Case read;
  read.request = code_request(name.substr(0, name.find('/')), program_of(folder));
  read.request.arguments = json.value("arguments", std::vector<std::string>{});
  read.request.environment = json.value("environment", std::map<std::string, std::string>{});
  read.request.stdin_data = stdin_of(json);
  read.request.limits.compile_timeout = std::chrono::minutes(4);
  if (json.contains("timeout_ms"))
    read.request.limits.timeout = std::chrono::milliseconds(json["timeout_ms"]);
  if (json.contains("grace_ms"))
    read.request.limits.grace = std::chrono::milliseconds(json["grace_ms"]);
  read.expect = json["expect"];
  return read;
}

void expect_stream(const Json& expect, const Json& result, const std::string& stream) {
  const auto text = result[stream].get<std::string>();
  if (expect.contains(stream)) {
    EXPECT_EQ(text, expect[stream].get<std::string>());
  }
  for (const auto& piece : expect.value(stream + "_contains", std::vector<std::string>{})) {
    EXPECT_THAT(text, testing::HasSubstr(piece));
  }
}

void expect_output(const Json& expect, const Json& result) {
  expect_stream(expect, result, "stdout");
  expect_stream(expect, result, "stderr");
  const auto text = result["stdout"].get<std::string>();
  if (expect.contains("stdout_starts_with")) {
    EXPECT_THAT(text, testing::StartsWith(expect["stdout_starts_with"].get<std::string>()));
  }
  if (expect.contains("stdout_sha256")) {
    EXPECT_EQ(to_hex(sha256(bytes_of(text))), expect["stdout_sha256"].get<std::string>());
  }
  if (expect.contains("stdout_bytes")) {
    EXPECT_EQ(result["meta"]["output"]["stdout_bytes"], expect["stdout_bytes"]);
  }
}

void expect_value_and_error(const Json& expect, const Json& result) {
  EXPECT_EQ(result.contains("value"), expect.contains("value"));
  if (expect.contains("value") && result.contains("value")) {
    EXPECT_EQ(result["value"], expect["value"]);
  }
  ASSERT_EQ(result.contains("error"), expect.contains("error_type"));
  if (!expect.contains("error_type")) return;
  EXPECT_EQ(result["error"]["type"], expect["error_type"]);
  EXPECT_EQ(result["error"].value("name", ""), expect.value("error_name", ""));
  EXPECT_EQ(result["error"].value("line", 0), expect.value("error_line", 0));
  for (const auto& piece : expect.value("error_message_contains", std::vector<std::string>{})) {
    EXPECT_THAT(result["error"]["message"].get<std::string>(), testing::HasSubstr(piece));
  }
}

void expect_ending(const Json& expect, const Json& result) {
  EXPECT_EQ(result["exit_code"], expect["exit_code"]);
  EXPECT_EQ(result["meta"]["cause"], expect["cause"]);
  EXPECT_EQ(result["timed_out"], expect["timed_out"]);
  EXPECT_EQ(result["truncated"], expect["truncated"]);
  if (expect.contains("signal")) {
    EXPECT_EQ(result["meta"]["signal"], expect["signal"]);
  }
}

// The interpreter's own frames and version, and how long a test suite took: no fate of the program.
std::string without_interpreter(const std::string& text) {
  static const std::regex own(
      "(^|\\n)(    at [^\\n]*node:[^\\n]*|node:[^\\n]*|Node\\.js v[^\\n]*)");
  static const std::regex took("( tests? in )[0-9.]+s");
  return std::regex_replace(std::regex_replace(text, own, ""), took, "$1");
}

// What is the same everywhere: everything but how long it took and the facts about the backend.
Json comparable(Json result) {
  const auto stderr_text = result["stderr"].get<std::string>();
  result["stderr"] = without_interpreter(stderr_text);
  if (result["stderr"] != stderr_text) result["meta"]["output"].erase("stderr_bytes");
  if (result.contains("error") && result["error"].contains("stack")) {
    result["error"]["stack"] = without_interpreter(result["error"]["stack"].get<std::string>());
  }
  result["cause"] = result["meta"]["cause"];
  result["output"] = result["meta"]["output"];
  result["signal"] = result["meta"].value("signal", 0);
  result.erase("meta");
  result.erase("duration");
  if (result.contains("compile")) result["compile"].erase("duration");
  return result;
}

void expect_stated(const Json& expect, const Json& result) {
  expect_ending(expect, result);
  expect_output(expect, result);
  expect_value_and_error(expect, result);
}

bool is_started_ahead(const std::string& language) {
  return language == "python" || language == "bash" || language == "javascript" ||
         language == "typescript";
}

// With an interpreter that has waited for the program.
void expect_ahead(const ExecutionRequest& request, const Json& expected) {
  SCOPED_TRACE("native, started ahead");
  const WarmSandbox warm("native");
  EXPECT_EQ(comparable(Json::parse(to_json(warm.run(request)))), expected);
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, GivesTheStatedResultOnEveryBackend) {
  const Case stated = read_case(GetParam());
  std::optional<Json> first;
  std::string lacking;
  for (const char* const backend : kBackends) {
    const auto result = result_on(backend, stated.request);
    if (!result) lacking += std::string(" ") + backend;
    if (!result) continue;
    SCOPED_TRACE(backend + (": " + result->dump().substr(0, 4000)));
    expect_stated(stated.expect, *result);
    if (!first) first = comparable(*result);
    EXPECT_EQ(comparable(*result), *first);
  }
  if (first && is_started_ahead(stated.request.language)) expect_ahead(stated.request, *first);
  if (!lacking.empty()) GTEST_SKIP() << "no " << stated.request.language << " on" << lacking;
}

INSTANTIATE_TEST_SUITE_P(Case, Corpus, testing::ValuesIn(all_cases()),
                         [](const auto& given) { return test_name(given.param); });

TEST(CorpusFolder, HoldsCasesInEveryLanguage) {
  const auto cases = all_cases();
  EXPECT_GE(cases.size(), 250U);
  for (const char* const language : {"python/", "bash/", "sh/", "javascript/", "typescript/", "c/",
                                     "cpp/", "rust/", "go/", "java/"}) {
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [language](const std::string& name) {
      return name.starts_with(language);
    })) << language;
  }
}

}  // namespace
}  // namespace lazaret::test
