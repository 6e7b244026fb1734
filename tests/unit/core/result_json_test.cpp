#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json_members.hpp"
#include "core/report_json.hpp"
#include "core/result_reading.hpp"

#include "lazaret/execution_result.hpp"
#include "policy/limit_table.hpp"

namespace lazaret {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

ExecutionResult complete() {
  ExecutionResult result;
  result.stdout_text = "out\n";
  result.stderr_text = "err";
  result.exit_code = 3;
  result.duration = std::chrono::duration<double>(1.5);
  result.timed_out = true;
  result.truncated = true;
  result.value = R"({"z":1,"a":[null]})";
  result.rich = {{RichResult::Source::display,
                  {{"application/json", R"({"y":1,"a":["\"value\":null"]})"},
                   {"image/png", std::string("\0\xFFz", 3)}}},
                 {RichResult::Source::value, {{"text/html", "<b>\"value\":null</b>"}}}};
  result.error = ResultError{ErrorType::TimeoutError, "late", "stack", "hint", "Late", 3};
  result.compile =
      Compilation{std::chrono::duration<double>(0.5), 1, 11, true, "main.c:1: no", true};
  result.artifacts = {
      {"d", Artifact::Kind::directory, 0, "", {}},
      {"d/plot.png", Artifact::Kind::file, 3, "image/png", std::string("\0\xFFz", 3)},
      {"empty", Artifact::Kind::file, 0, "application/octet-stream", ""},
      {"fifo", Artifact::Kind::other, 0, "", {}},
      {"large.csv", Artifact::Kind::file, 1ULL << 40, "text/csv", {}},
      {"link", Artifact::Kind::link, 0, "", {}}};
  Meta& meta = result.meta;
  meta = {.run_id = "0123",
          .backend = "docker",
          .runtime = "Docker 1",
          .version = "0.1.0",
          .image = "i:1",
          .made_ahead = true,
          .language = "python",
          .fixed = {"time_zone"},
          .packages = {{"a-1-py3-none-any.whl", "a", "1", std::string(64, 'f')}},
          .connections = {{"a.org", 443, Connection::Outcome::made, "", 5, 6},
                          {"10.0.0.1", 80, Connection::Outcome::denied, "not public", 0, 0}},
          .limits = {},
          .cause = Cause::timeout,
          .signal = 9,
          .start_errno = 2,
          .usage = {1, 2, 3, 4, 5, "bytes", "cgroup"},
          .output = {4, 5, true, false},
          .kill = Kill{"kill", std::chrono::milliseconds(7), 1},
          .isolation = Isolation::partial,
          .evidence = {{Control::network, EvidenceStatus::enforced, "none", "lo only", "report"}},
          .context = ContextNote{"main", 3, true},
          .fallback = Fallback{"podman", "no socket"},
          .warnings = {"w"}};
  meta.limits.cpu_time = std::chrono::seconds(8);
  return result;
}

TEST(ResultJson, HasTheKeysOfTheSchemaInOrder) {
  const auto result = nlohmann::ordered_json::parse(to_json(complete()));
  EXPECT_THAT(keys_of(result),
              ElementsAre("stdout", "stderr", "exit_code", "duration", "timed_out", "truncated",
                          "value", "rich", "error", "compile", "artifacts", "meta"));
  EXPECT_THAT(keys_of(result["compile"]), ElementsAre("duration", "exit_code", "signal",
                                                      "timed_out", "diagnostics", "truncated"));
  EXPECT_THAT(keys_of(result["error"]),
              ElementsAre("type", "message", "name", "line", "stack", "hint"));
  EXPECT_THAT(keys_of(result["meta"]),
              ElementsAre("run_id", "backend", "runtime", "version", "image", "made_ahead",
                          "language", "fixed", "packages", "connections", "limits", "cause",
                          "signal", "start_errno", "usage", "output", "kill", "isolation",
                          "evidence", "context", "fallback", "warnings"));
  EXPECT_THAT(keys_of(result["meta"]["packages"][0]),
              ElementsAre("file", "name", "version", "sha256"));
  EXPECT_THAT(keys_of(result["meta"]["connections"][0]),
              ElementsAre("host", "port", "outcome", "sent_bytes", "received_bytes"));
  EXPECT_THAT(keys_of(result["meta"]["connections"][1]),
              ElementsAre("host", "port", "outcome", "reason", "sent_bytes", "received_bytes"));
  EXPECT_THAT(keys_of(result["meta"]["context"]), ElementsAre("name", "cell", "lost"));
  EXPECT_THAT(keys_of(result["meta"]["usage"]),
              ElementsAre("cpu_ms", "peak_memory_bytes", "peak_pids", "memory_kills",
                          "pids_refusals", "disk_full", "source"));
  EXPECT_THAT(keys_of(result["meta"]["output"]),
              ElementsAre("stdout_bytes", "stderr_bytes", "stdout_truncated", "stderr_truncated"));
  EXPECT_THAT(keys_of(result["meta"]["kill"]), ElementsAre("path", "latency_ms", "survivors"));
  EXPECT_THAT(keys_of(result["meta"]["evidence"][0]),
              ElementsAre("control", "status", "requested", "applied", "verified_by"));
  EXPECT_THAT(keys_of(result["meta"]["fallback"]), ElementsAre("wanted", "reason"));
  EXPECT_THAT(
      keys_of(result["meta"]["limits"]),
      ElementsAre("timeout_ms", "grace_ms", "compile_timeout_ms", "cpu_time_s", "memory_bytes",
                  "cpus", "pids", "open_files", "file_bytes", "disk_bytes", "disk_files",
                  "disk_rate_bytes", "stdout_bytes", "stderr_bytes", "value_bytes"));
}

TEST(ResultJson, LeavesOutWhatIsNotThere) {
  const auto result = nlohmann::ordered_json::parse(to_json(ExecutionResult{}));
  EXPECT_THAT(keys_of(result), ElementsAre("stdout", "stderr", "exit_code", "duration", "timed_out",
                                           "truncated", "meta"));
  EXPECT_THAT(
      keys_of(result["meta"]),
      ElementsAre("run_id", "backend", "runtime", "version", "made_ahead", "language", "limits",
                  "cause", "usage", "output", "isolation", "evidence", "warnings"));
  EXPECT_THAT(keys_of(result["meta"]["usage"]), ElementsAre("source"));
  EXPECT_TRUE(result["meta"]["evidence"].is_array());
  EXPECT_TRUE(result["meta"]["warnings"].is_array());
  EXPECT_FALSE(result["meta"]["limits"].contains("cpu_time_s"));
}

TEST(ResultJson, HasTheValuesOfTheResult) {
  const json result = json::parse(to_json(complete()));
  EXPECT_EQ(result["stdout"], "out\n");
  EXPECT_EQ(result["exit_code"], 3);
  EXPECT_EQ(result["duration"], 1.5);
  EXPECT_EQ(result["timed_out"], true);
  EXPECT_EQ(result["value"], json::parse(R"({"a":[null],"z":1})"));
  EXPECT_EQ(result["error"]["type"], "TimeoutError");
  EXPECT_EQ(result["meta"]["cause"], "timeout");
  EXPECT_EQ(result["meta"]["isolation"], "partial");
  EXPECT_EQ(result["meta"]["kill"]["latency_ms"], 7);
  EXPECT_EQ(result["meta"]["evidence"][0]["control"], "network");
  EXPECT_EQ(result["meta"]["limits"]["cpu_time_s"], 8);
  EXPECT_EQ(result["meta"]["limits"]["timeout_ms"], 30'000);
}

TEST(ResultJson, HasWhatWasShownByMediaType) {
  const auto rich = nlohmann::ordered_json::parse(to_json(complete()))["rich"];
  ASSERT_EQ(rich.size(), 2U);
  EXPECT_THAT(keys_of(rich[0]), ElementsAre("source", "data"));
  EXPECT_EQ(rich[0]["source"], "display");
  EXPECT_EQ(rich[0]["data"]["application/json"].dump(), R"({"y":1,"a":["\"value\":null"]})");
  EXPECT_EQ(rich[0]["data"]["image/png"], "AP96");
  EXPECT_EQ(rich[1]["source"], "value");
  EXPECT_EQ(rich[1]["data"]["text/html"], "<b>\"value\":null</b>");
}

TEST(ResultJson, IsNotReadWithRichResultsThatAreNone) {
  auto tree = nlohmann::ordered_json::parse(to_json(complete()));
  for (const char* const rich :
       {"{}", "[1]", "null", R"([{"data":{}}])", R"([{"source":"value"}])"}) {
    tree["rich"] = nlohmann::ordered_json::parse(rich);
    EXPECT_EQ(core::result_of(tree.dump()).error().code(), Errc::protocol) << rich;
  }
}

TEST(ResultJson, ReadAgainHasRichResultsOfTheMostDepth) {
  ExecutionResult result;
  const std::string deepest = std::string(125, '[') + std::string(125, ']');
  result.rich = {{RichResult::Source::display, {{"application/json", deepest}}}};
  const auto again = core::result_of(to_json(result));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->rich[0].data, result.rich[0].data);
}

TEST(ResultJson, SaysOfArtifactsWhatTheirKindHas) {
  const auto artifacts = nlohmann::ordered_json::parse(to_json(complete()))["artifacts"];
  EXPECT_THAT(keys_of(artifacts[0]), ElementsAre("path", "type"));
  EXPECT_THAT(keys_of(artifacts[1]), ElementsAre("path", "type", "size", "media_type", "content"));
  EXPECT_THAT(keys_of(artifacts[4]), ElementsAre("path", "type", "size", "media_type"));
  EXPECT_THAT(keys_of(artifacts[5]), ElementsAre("path", "type"));
  EXPECT_EQ(artifacts[1]["path"], "d/plot.png");
  EXPECT_EQ(artifacts[1]["content"], "AP96");
  EXPECT_EQ(artifacts[2]["content"], "");
  EXPECT_EQ(artifacts[4]["size"], 1ULL << 40);
}

TEST(ResultJson, KeepsTheOrderOfTheProgramsOwnKeys) {
  EXPECT_THAT(to_json(complete()), testing::HasSubstr(R"("value":{"z":1,"a":[null]})"));
}

TEST(ResultJson, TakesTheValueAsItIsWhateverItSays) {
  ExecutionResult result = complete();
  result.stdout_text = R"("value":null)";
  result.value = R"({"value":null,"value":[1]})";
  for (const int indent : {-1, 2}) {
    const json document = json::parse(to_json(result, indent));
    EXPECT_EQ(document["stdout"], result.stdout_text);
    EXPECT_EQ(document["value"], json::parse(R"({"value":[1]})"));
    EXPECT_EQ(document["error"]["message"], "late");
    EXPECT_THAT(to_json(result, indent), testing::HasSubstr(*result.value));
  }
}

TEST(ResultJson, KeepsANullValueApartFromNoValue_P26) {
  ExecutionResult result;
  result.value = "null";
  const json document = json::parse(to_json(result));
  ASSERT_TRUE(document.contains("value"));
  EXPECT_TRUE(document["value"].is_null());
}

TEST(ResultJson, ReadAgainIsTheSameText) {
  for (const ExecutionResult& result : {complete(), ExecutionResult{}}) {
    const auto again = core::result_of(to_json(result));
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(to_json(*again), to_json(result));
  }
}

TEST(ResultJson, ReadAgainHasEachArtifact) {
  const ExecutionResult result = complete();
  const auto again = core::result_of(to_json(result));
  ASSERT_TRUE(again.ok()) << again.error().message();
  ASSERT_EQ(again->artifacts.size(), result.artifacts.size());
  for (std::size_t index = 0; index < result.artifacts.size(); ++index) {
    const Artifact& wanted = result.artifacts[index];
    SCOPED_TRACE(wanted.path);
    EXPECT_EQ(again->artifacts[index].path, wanted.path);
    EXPECT_EQ(again->artifacts[index].kind, wanted.kind);
    EXPECT_EQ(again->artifacts[index].size, wanted.size);
    EXPECT_EQ(again->artifacts[index].media_type, wanted.media_type);
    EXPECT_EQ(again->artifacts[index].content, wanted.content);
  }
}

TEST(ResultJson, IsNotReadWithAnArtifactThatIsNone) {
  for (const char* const text :
       {R"({"type":"file"})", R"({"path":"a"})", R"({"path":1,"type":"file"})",
        R"({"path":"a","type":"socket"})", R"({"path":"a","type":1})",
        R"({"path":"a","type":"file","size":"1"})", R"({"path":"a","type":"file","media_type":1})",
        R"({"path":"a","type":"file","content":"A"})",
        R"({"path":"a","type":"file","content":"Zh=="})",
        R"({"path":"a","type":"file","content":null})", R"("a")", "1", "null", "[]"}) {
    auto tree = nlohmann::ordered_json::parse(to_json(complete()));
    tree["artifacts"] = nlohmann::ordered_json::array({nlohmann::ordered_json::parse(text)});
    const auto result = core::result_of(tree.dump());
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code(), Errc::protocol) << text;
  }
}

TEST(ResultJson, StaysJsonWhenANameIsNoUtf8) {
  ExecutionResult result;
  result.artifacts = {{"\xFF", Artifact::Kind::file, 1, "text/plain", "x"}};
  const json document = json::parse(to_json(result));
  EXPECT_EQ(document["artifacts"][0]["path"], "\xEF\xBF\xBD");
}

TEST(ResultJson, ReadAgainHasAValueOfTheMostDepth) {
  ExecutionResult result;
  result.value = std::string(core::kMostDepth, '[') + std::string(core::kMostDepth, ']');
  const std::string event = R"({"event":"result","result":)" + to_json(result) + "}";
  const auto members = core::members_of(event, {"result"}, core::kMostDepth + 1);
  ASSERT_TRUE(members);
  EXPECT_EQ(core::result_of(members->at("result"))->value, result.value);
}

TEST(ResultJson, ReadAgainTakesNoLongerWithManyKeys) {
  ExecutionResult result;
  result.value = R"({"a":0)";
  for (int key = 0; key < 500'000; ++key) *result.value += ",\"" + std::to_string(key) + "\":0";
  *result.value += "}";
  EXPECT_EQ(core::result_of(to_json(result))->value, result.value);
}

// Each at what it is not by default.
TEST(ResultJson, ReadAgainHasEachLimit) {
  for (const policy::LimitRow& row : policy::limit_rows()) {
    ExecutionResult result;
    row.set(result.meta.limits, row.least + 1);
    const auto again = core::result_of(to_json(result));
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(row.get(again->meta.limits), row.least + 1) << row.member;
  }
}

TEST(ResultJson, IsNotReadWithoutALimit) {
  auto tree = nlohmann::ordered_json::parse(to_json(complete()));
  tree["meta"]["limits"].erase("pids");
  EXPECT_EQ(core::result_of(tree.dump()).error().code(), Errc::protocol);
}

TEST(ResultJson, IsNotReadFromAnythingElse) {
  auto tree = nlohmann::ordered_json::parse(to_json(complete()));
  tree["meta"]["cause"] = "luck";
  EXPECT_EQ(core::result_of(tree.dump()).error().code(), Errc::protocol);
  EXPECT_EQ(core::result_of("[]").error().code(), Errc::protocol);
}

TEST(ResultJson, IsOneLineUnlessIndented) {
  EXPECT_EQ(to_json(complete()).find('\n'), std::string::npos);
  EXPECT_NE(to_json(complete(), 2).find("\n  \"stdout\""), std::string::npos);
}

TEST(ResultJson, StaysJsonWhenATextIsNoUtf8) {
  ExecutionResult result;
  result.meta.runtime = "Docker \xFF";
  result.stdout_text = std::string("a\0\x1b\"\\", 5);
  const json document = json::parse(to_json(result));
  EXPECT_EQ(document["meta"]["runtime"], "Docker \xEF\xBF\xBD");
  EXPECT_EQ(document["stdout"], std::string("a\0\x1b\"\\", 5));
}

TEST(ResultSummary, HasWhatAnAgentKeeps_R48) {
  const auto summary = nlohmann::ordered_json::parse(core::summary_of(complete()));
  EXPECT_THAT(keys_of(summary),
              ElementsAre("role", "name", "run_id", "language", "backend", "isolation", "cause",
                          "exit_code", "duration", "value", "stdout", "stderr", "error",
                          "artifacts"));
  EXPECT_EQ(summary["role"], "tool");
  EXPECT_EQ(summary["value"], R"({"z":1,"a":[null]})");
  EXPECT_EQ(summary["stdout"], "out\n");
  EXPECT_EQ(summary["error"].dump(),
            R"({"type":"TimeoutError","message":"late","line":3,"hint":"hint"})");
  EXPECT_EQ(summary["artifacts"], 6);
  EXPECT_THAT(keys_of(nlohmann::ordered_json::parse(core::summary_of(ExecutionResult{}))),
              ElementsAre("role", "name", "run_id", "language", "backend", "isolation", "cause",
                          "exit_code", "duration"));
}

TEST(ResultSummary, KeepsAKibibyteOfEachTextAndNoByteMore_R48) {
  ExecutionResult result = complete();
  result.stdout_text = std::string(1024, 'a');
  result.stderr_text = "b" + std::string(1024, 'a') + "c";
  result.value = '"' + std::string(100'000, 'v') + '"';
  result.error->message = std::string(100'000, 'm');
  const std::string text = core::summary_of(result);
  const json summary = json::parse(text);
  EXPECT_EQ(summary["stdout"], result.stdout_text);
  const std::string half(511, 'a');
  EXPECT_EQ(summary["stderr"], "b" + half + "\n[... 2 bytes omitted ...]\n" + half + "c");
  EXPECT_LT(text.size(), 6U << 10);
  EXPECT_EQ(text.find('\n'), text.npos);
}

}  // namespace
}  // namespace lazaret
