#include "core/request_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ExecutionRequest complete() {
  ExecutionRequest request;
  request.language = "bash";
  request.code = "echo $1";
  request.context = "main";
  request.arguments = {"one", "two"};
  request.stdin_data = "typed";
  request.environment = {{"NAME", "value"}};
  request.limits.timeout = std::chrono::milliseconds(1500);
  request.limits.cpu_time = std::chrono::seconds(2);
  request.limits.cpus = 0.5;
  request.limits.memory_bytes = 1ULL << 32;
  request.limits.value_bytes = 7;
  request.limits.disk_rate_bytes = 1 << 20;
  request.subprocess = Subprocess::deny;
  request.profile = Profile::strict;
  request.loopback = Loopback::up;
  request.hosts = {"a.org", "*.b.org:8443"};
  request.packages = {"numpy==2.1", "@scope/name@1"};
  request.mounts = {{"/srv/data", "/mnt/data", MountAccess::read_only},
                    {"/srv/out", "/mnt/out", MountAccess::read_write}};
  request.image = "lazaret/bash:latest";
  request.inputs = {{"data/a.txt", "text", {}, false},
                    {"bytes", std::string("\xFF\0", 2), {}, true},
                    {"empty", "", {}, false},
                    {".", "tar", {}, false, true}};
  request.return_artifacts = true;
  request.deterministic = true;
  request.working_directory = "data";
  request.terminal = TerminalSize{1, 65535};
  request.required_controls = {Control::network, Control::memory};
  return request;
}

TEST(RequestJson, KnowsTheSizeOfATerminal) {
  EXPECT_EQ(request_of({{"terminal", json::object()}})->terminal, (TerminalSize{24, 80}));
  for (const char* const text :
       {R"({"rows": 0, "columns": 80})", R"({"rows": 24, "columns": 65536})", R"({"rows": 24})",
        R"({"rows": 24, "columns": 80, "more": 1})", R"({"rows": 1.5, "columns": 80})",
        R"({"rows": "24", "columns": 80})", R"({"rows": -1, "columns": 80})", "true", "[24, 80]"}) {
    SCOPED_TRACE(text);
    const auto request = request_of({{"terminal", json::parse(text)}});
    ASSERT_FALSE(request.ok());
    EXPECT_THAT(request.error().message(), HasSubstr("terminal"));
  }
}

// Files are of who asks, who may be somewhere else.
// Whoever is asked knows better, such as a session.
TEST(RequestJson, SaysNoLanguageWhereThereIsNone) {
  ExecutionRequest request;
  EXPECT_EQ(json_of(request)["language"], "python");
  request.language.clear();
  EXPECT_FALSE(json_of(request).contains("language"));
}

TEST(RequestJson, HasNoFilesOfPackages) {
  for (const char* const word : {"a-1-py3-none-any.whl", "a-1.tar.gz", "a-1.zip", "a-1.0.0.tgz",
                                 "/srv/a-1.zip", "./a", "@a/../b-1.0.0.tgz",
                                 "@a/x-1-py3-none-any.whl", "@a/x-1.zip", "@a/../x-1.zip", "-r"})
    EXPECT_FALSE(request_of({{"code", "1"}, {"packages", {word}}}).ok()) << word;
  EXPECT_FALSE(request_of({{"code", "1"}, {"packages", "six"}}).ok());
  EXPECT_FALSE(request_of({{"code", "1"}, {"packages", {1}}}).ok());
}

TEST(RequestJson, BringsBackEveryMember) {
  const json object = json_of(complete());
  const auto request = request_of(object);
  ASSERT_TRUE(request.ok()) << request.error().message();
  EXPECT_EQ(json_of(*request), object);
  EXPECT_EQ(request->context, "main");
  EXPECT_EQ(request->hosts, complete().hosts);
  EXPECT_EQ(request->packages, complete().packages);
  EXPECT_EQ(request->limits.cpus, 0.5);
  EXPECT_EQ(request->limits.disk_rate_bytes, 1U << 20);
  EXPECT_EQ(request->subprocess, Subprocess::deny);
  EXPECT_EQ(request->profile, Profile::strict);
  EXPECT_EQ(request->loopback, Loopback::up);
  ASSERT_EQ(request->mounts.size(), 2U);
  EXPECT_EQ(request->mounts[0].access, MountAccess::read_only);
  EXPECT_EQ(request->mounts[1].access, MountAccess::read_write);
  EXPECT_EQ(request->limits.memory_bytes, 1ULL << 32);
  EXPECT_EQ(request->required_controls, complete().required_controls);
  EXPECT_TRUE(request->return_artifacts);
  EXPECT_TRUE(request->deterministic);
  EXPECT_EQ(request->working_directory, "data");
  EXPECT_EQ(request->terminal, complete().terminal);
}

TEST(RequestJson, BringsBackEveryFile) {
  const auto request = request_of(json_of(complete()));
  ASSERT_TRUE(request.ok()) << request.error().message();
  const std::vector<Input> wanted = complete().inputs;
  ASSERT_EQ(request->inputs.size(), wanted.size());
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    EXPECT_EQ(request->inputs[index].path, wanted[index].path);
    EXPECT_EQ(request->inputs[index].content, wanted[index].content);
    EXPECT_EQ(request->inputs[index].executable, wanted[index].executable);
    EXPECT_EQ(request->inputs[index].is_archive, wanted[index].is_archive);
    EXPECT_FALSE(request->inputs[index].source);
  }
}

TEST(RequestJson, HasTextsAsTheyAreAndBytesInBase64) {
  const json files = json_of(complete())["files"];
  EXPECT_EQ(files[0], json::parse(R"({"path":"data/a.txt","content":"text"})"));
  EXPECT_EQ(files[1], json::parse(R"({"path":"bytes","base64":"/wA=","executable":true})"));
  EXPECT_EQ(files[2], json::parse(R"({"path":"empty","content":""})"));
  EXPECT_EQ(files[3], json::parse(R"({"path":".","archive":"dGFy"})"));
}

TEST(RequestJson, KeepsTheOrderOfTheFiles) {
  json files = json::array();
  for (const char* const path : {"b", "a", "b"}) files.push_back({{"path", path}, {"content", ""}});
  const auto request = request_of({{"files", files}});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->inputs[0].path, "b");
  EXPECT_EQ(request->inputs[1].path, "a");
  EXPECT_EQ(request->inputs[2].path, "b");
}

TEST(RequestJson, LeavesOutFilesAndArtifactsThatNobodyWants) {
  const json object = json_of(ExecutionRequest{});
  EXPECT_FALSE(object.contains("files"));
  EXPECT_FALSE(object.contains("return_artifacts"));
  EXPECT_FALSE(request_of(json::object())->return_artifacts);
  EXPECT_FALSE(request_of({{"return_artifacts", false}})->return_artifacts);
  EXPECT_TRUE(request_of({{"files", json::array()}})->inputs.empty());
}

// A daemon must neither read nor write the host's files for a client, who may not be allowed to.
TEST(RequestJson, NeverNamesFilesOfTheHost) {
  for (const char* const text :
       {R"({"output_directory":"/tmp/out"})", R"({"output_directory":null})",
        R"({"out":"/tmp/out"})", R"({"source":"/etc/passwd"})", R"({"inputs":[]})",
        R"({"files":[{"path":"a","source":"/etc/passwd"}]})",
        R"({"files":[{"path":"a","content":"x","source":"/etc/passwd"}]})",
        R"({"files":[{"path":"a","base64":"eA==","source":"/etc/passwd"}]})",
        R"({"files":[{"path":"a","content":"","source":null}]})"}) {
    const auto request = request_of(json::parse(text));
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_EQ(request.error().code(), Errc::invalid_argument) << text;
  }
  ExecutionRequest request = complete();
  request.output_directory = "/tmp/out";
  EXPECT_EQ(json_of(request), json_of(complete()));
}

TEST(RequestJson, KeepsAnEmptyListOfControlsApartFromNone) {
  EXPECT_FALSE(request_of(json::object())->required_controls);
  const auto request = request_of({{"required_controls", json::array()}});
  ASSERT_TRUE(request->required_controls);
  EXPECT_TRUE(request->required_controls->empty());
  EXPECT_TRUE(json_of(*request).contains("required_controls"));
}

TEST(RequestJson, TakesALimitOfZeroAndNothingBelow) {
  EXPECT_EQ(request_of({{"limits", {{"pids", 0}}}})->limits.pids, 0U);
  EXPECT_FALSE(request_of({{"limits", {{"pids", -1}}}}).ok());
}

TEST(RequestJson, TakesWholeNumbersUpToTwoToThe53) {
  EXPECT_EQ(request_of({{"limits", {{"pids", 9007199254740992U}}}})->limits.pids,
            9007199254740992U);
  EXPECT_FALSE(request_of({{"limits", {{"pids", 9007199254740994U}}}}).ok());
}

struct BadRow {
  const char* name;
  const char* text;
  const char* named;  ///< what the error must name
};

class BadRequestJson : public testing::TestWithParam<BadRow> {};

TEST_P(BadRequestJson, IsRefusedAndTheMemberNamed) {
  const auto request = request_of(json::parse(GetParam().text));
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(request.error().code(), Errc::invalid_argument);
  EXPECT_THAT(request.error().message(), HasSubstr(GetParam().named));
}

INSTANTIATE_TEST_SUITE_P(
    With, BadRequestJson,
    testing::Values(
        BadRow{"AList", "[]", "object"}, BadRow{"AnUnknownMember", R"({"c":1})", "c"},
        BadRow{"ANumberAsCode", R"({"code":1})", "code"},
        BadRow{"ANullLanguage", R"({"language":null})", "language"},
        BadRow{"ATextAsCommand", R"({"command":"ls"})", "command"},
        BadRow{"ANumberAmongTheArguments", R"({"arguments":["a",1]})", "arguments"},
        BadRow{"AListAsEnvironment", R"({"environment":["A=B"]})", "environment"},
        BadRow{"ANumberInTheEnvironment", R"({"environment":{"A":1}})", "environment"},
        BadRow{"AListAsLimits", R"({"limits":[]})", "limits"},
        BadRow{"AnUnknownLimit", R"({"limits":{"time":1}})", "time"},
        BadRow{"HalfATask", R"({"limits":{"pids":1.5}})", "limits.pids"},
        BadRow{"ATextAsLimit", R"({"limits":{"cpus":"1"}})", "limits.cpus"},
        BadRow{"AnUnknownControl", R"({"required_controls":["luck"]})", "controls"},
        BadRow{"ANumberAsControl", R"({"required_controls":[1]})", "controls"},
        BadRow{"ANumberAsImage", R"({"image":1})", "image"},
        BadRow{"AnObjectAsFiles", R"({"files":{}})", "files"},
        BadRow{"NoFiles", R"({"files":null})", "files"},
        BadRow{"ATextAmongTheFiles", R"({"files":["a"]})", "files"},
        BadRow{"AFileWithoutContent", R"({"files":[{"path":"a"}]})", "files"},
        BadRow{"AFileOfTwoContents", R"({"files":[{"path":"a","content":"","base64":""}]})",
               "files"},
        BadRow{"ANumberAsPath", R"({"files":[{"path":1,"content":""}]})", "files.path"},
        BadRow{"ANullContent", R"({"files":[{"path":"a","content":null}]})", "files.content"},
        BadRow{"AFileAndAnArchive", R"({"files":[{"path":"a","content":"","archive":""}]})",
               "files"},
        BadRow{"AnArchiveThatIsNoBase64", R"({"files":[{"path":"a","archive":"?"}]})",
               "files.archive"},
        BadRow{"ANumberAsBytes", R"({"files":[{"path":"a","base64":1}]})", "files.base64"},
        BadRow{"BytesThatAreNoBase64", R"({"files":[{"path":"a","base64":"A"}]})", "files.base64"},
        BadRow{"BytesInAnotherSpelling", R"({"files":[{"path":"a","base64":"Zh=="}]})",
               "files.base64"},
        BadRow{"ANumberAsExecutable", R"({"files":[{"path":"a","content":"","executable":1}]})",
               "files"},
        BadRow{"AnUnknownMemberOfAFile", R"({"files":[{"path":"a","content":"","mode":420}]})",
               "files"},
        BadRow{"ANumberAsReturn", R"({"return_artifacts":1})", "return_artifacts"},
        BadRow{"ANumberAsWorkingDirectory", R"({"working_directory":1})", "working_directory"},
        BadRow{"ANumberAsDeterministic", R"({"deterministic":1})", "deterministic"},
        BadRow{"ATextAsReturn", R"({"return_artifacts":"true"})", "return_artifacts"}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace lazaret::core
