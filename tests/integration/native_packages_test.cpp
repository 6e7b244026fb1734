#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "integration/made_ahead.hpp"
#include "integration/packages_bed.hpp"
#include "integration/support.hpp"

// Packages of a run, from files, asked for by root and by an ordinary user.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class NativePackages : public PackagesBed {
 protected:
  // With the packages of these files.
  [[nodiscard]] Json run(const std::string& code, const std::vector<std::string>& names,
                         Profile profile = Profile::standard) const {
    return run(python(code), names, profile);
  }
  [[nodiscard]] Json run(ExecutionRequest request, const std::vector<std::string>& names,
                         Profile profile = Profile::standard) const {
    for (const std::string& name : names) request.packages.push_back(file(name));
    request.profile = profile;
    return run_with(request);
  }
};

constexpr const char* kGreet = "greet-1.0-py3-none-any.whl";
constexpr const char* kTell = "tell-2.1-py3-none-any.whl";

INSTANTIATE_TEST_SUITE_P(AskedBy, NativePackages, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(NativePackages, AreImportedAndNamedInTheResult) {
  for (const Profile profile : {Profile::strict, Profile::standard, Profile::dev}) {
    Json result = run("import greet\ngreet.hello", {kGreet, kTell}, profile);
    EXPECT_EQ(result["value"], "hello there") << result;
    ASSERT_EQ(result["meta"]["packages"].size(), 2U) << result;
    const std::string digest = to_hex(sha256(bytes_of(file_text(file(kTell)))));
    EXPECT_EQ(result["meta"]["packages"][1],
              (Json{{"file", kTell}, {"name", "tell"}, {"version", "2.1"}, {"sha256", digest}}));
  }
  EXPECT_EQ(kept().size(), 1U);  // installed once
}

// Before what the system has for itself; none of it can be written to.
TEST_P(NativePackages, StandBehindTheLibraryAndCannotBeChanged) {
  Json result = run(kWherePackagesStand,
                          {"shadow-1.0-py3-none-any.whl"});
  EXPECT_EQ(result["value"], Json::parse("[1,[30,30],true,true]")) << result;
  EXPECT_EQ(result["meta"]["evidence"][1]["control"], "filesystem");
  EXPECT_THAT(result["meta"]["evidence"][1]["applied"].get<std::string>(),
              AllOf(HasSubstr("/mnt/packages is "), HasSubstr(", read-only")));
}

// A .pth file may do what a program may, but neither end the run nor move the rest.
TEST_P(NativePackages, WithPathFilesStayWhereTheyAre) {
  Json result = run(R"py(
import os, sys
place = sys.path.index
[place("/mnt/packages") > place(os.path.dirname(os.__file__)),
 place("/mnt/packages/over") > place(os.path.dirname(os.__file__)),
 all(place("/mnt/packages") < place(entry) for entry in sys.path if "dist-packages" in entry)]
)py",
                          {"paths-1.0-py3-none-any.whl"});
  EXPECT_EQ(result["value"], Json::parse("[true,true,true]")) << result;
}

TEST_P(NativePackages, AreInABoxThatWasMadeAheadWhereNoInterpreterWaits) {
  const auto text = in_child(GetParam(), [&] {
    ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    const CodeSandbox sandbox = sandbox_on("native");
    ExecutionRequest request = python("import tell, sys\n[tell.word, 'statistics' in sys.modules]");
    request.packages = {file("tell-2.1-py3-none-any.whl")};
    return run_ahead(sandbox, request).value.value_or("none");
  });
  EXPECT_EQ(text, R"(["hello",false])");
}

TEST_P(NativePackages, ThatLackOneSayWhich) {
  Json result = run("import greet", {kGreet});
  EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("found for tell"));
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("no index"));
  EXPECT_FALSE(result["meta"].contains("packages"));
  EXPECT_THAT(kept(), IsEmpty());
}

// Who builds them is as foreign as who uses them.
TEST_P(NativePackages, AreBuiltFromSourceInABox) {
  Json result = run("import made\nmade.seen", {"made-0.3.tar.gz"});
  EXPECT_EQ(result["value"], (Json{{"socket", EAFNOSUPPORT},
                                   {"interfaces", {"lo"}},
                                   {"root", EROFS},
                                   {"uid", 65534},
                                   {"home", false}}))
      << result;
}

// Wherever their files would go: here they come from the box as what a program has left there.
TEST_P(NativePackages, ThatAreBadStayInTheirBox) {
  for (const char* const name : {"climbs-1.0-py3-none-any.whl", "absolute-1.0-py3-none-any.whl",
                                 "broken-1.0-py3-none-any.whl"}) {
    Json result = run("1", {name});
    EXPECT_EQ(result["meta"]["cause"], "start_failed") << name << result;
  }
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_FALSE(fs::exists("/tmp/lazaret-climbed.py"));
  Json linked = run("import os\nos.path.islink('/mnt/packages/passwd.py')",
                          {"linked-1.0-py3-none-any.whl"});
  EXPECT_EQ(linked["value"], false) << linked;
}

// A link is not taken, so that not all has come; what lies beside the packages is none of them.
TEST_P(NativePackages, ThatLeaveWhatIsNoPackageAreNone) {
  Json result = run("1", {"leaves-1.0.tar.gz"});
  EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("not all of the packages"));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_P(NativePackages, LeaveNothingHalfMadeOfWhoIsCancelled) {
  ExecutionRequest request = python("import made");
  request.packages = {file("made-0.3.tar.gz")};
  std::stop_source stop;
  stop.request_stop();
  request.stop = stop.get_token();
  EXPECT_EQ(run_with(request)["meta"]["cause"], "cancelled");
  EXPECT_THAT(kept(), IsEmpty());
}

// Nothing of theirs is run before the program is.
TEST_P(NativePackages, OfJavascriptAreRequiredAndImported) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  const std::vector<std::string> both = {"greeting-1.0.0.tgz", "word-2.1.0.tgz"};
  for (const Profile profile : {Profile::strict, Profile::standard}) {
    Json result = run(code_request("javascript", R"js(
const fs = require('fs');
const { default: imported } = await import('greeting');
let error = '';
try { fs.writeFileSync('/mnt/packages/new', ''); } catch (problem) { error = problem.code; }
return [require('greeting'), imported, fs.existsSync('/mnt/packages/node_modules/word/ran'), error];
)js"),
                            both, profile);
    EXPECT_EQ(result["value"], Json::parse(R"(["hello there","hello there",false,"EROFS"])"))
        << result;
    EXPECT_EQ(result["meta"]["packages"][1]["version"], "2.1.0") << result;
  }
  EXPECT_EQ(kept().size(), 1U);
}

TEST_P(NativePackages, OfJavascriptThatAreNotThoseAskedForSayWhich) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"greeting-1.0.0.tgz"},
        std::vector<std::string>{"greeting-1.0.0.tgz", "word-3.0.0.tgz"}}) {
    Json result = run(code_request("javascript", "return 1"), names);
    EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
    EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("the word that is"));
  }
  Json bad = run(code_request("javascript", R"js(
const fs = require('fs');
return [fs.existsSync('/mnt/packages/node_modules/climber/passwd.js'),
        fs.existsSync('/mnt/packages/climbed.js'), fs.existsSync('/work/climbed.js')];
)js"),
                       {"climber-1.0.0.tgz"});
  EXPECT_TRUE(bad["value"] == Json::parse("[false,false,false]") ||
              bad["meta"]["cause"] == "start_failed")
      << bad;
  EXPECT_FALSE(fs::exists("/tmp/lazaret-climbed.js"));
}

// A directory of the caller's own at that place is none of ours.
TEST_P(NativePackages, AloneAreWhereNodeLooks) {
  const std::string look = "import os\nos.path.lexists('/node_modules')";
  EXPECT_EQ(run(look, {kTell})["value"], true);
  ExecutionRequest request = python(look);
  request.mounts = {{files_, "/mnt/packages"}};
  EXPECT_EQ(run(request, {})["value"], false);
}

// For programs of its language, in contexts too; others find the directory.
TEST_P(NativePackages, AreASessionsForAllItsRuns) {
  SessionRequest wanted;
  wanted.packages = {file(kGreet), file(kTell)};
  ExecutionRequest plain = python("import greet\ngreet.hello"), next = python("greet.hello");
  ExecutionRequest cell = plain;
  cell.context = next.context = "main";
  const Json results = in_session(wanted, {plain, cell, next, bash("ls /mnt/packages | wc -l")});
  ASSERT_EQ(results.size(), 4U) << results;
  EXPECT_EQ(results[0]["value"], "hello there") << results;
  EXPECT_EQ(results[0]["meta"]["packages"].size(), 2U);
  EXPECT_EQ(results[1]["value"], "hello there") << results;
  EXPECT_EQ(results[2]["meta"]["packages"].size(), 2U);
  EXPECT_NE(results[3]["stdout"], "0\n");
  EXPECT_EQ(results[3]["meta"]["packages"].size(), 2U) << "it could start a python";
  EXPECT_EQ(kept().size(), 1U);
}

TEST_P(NativePackages, AreTheSessionsAndNoRunsOfIt) {
  ExecutionRequest other = python("import tell\ntell.__name__");
  other.packages = {file(kTell)};
  const Json results = in_session({}, {other, python("1")});
  ASSERT_EQ(results.size(), 2U) << results;
  EXPECT_THAT(results[0]["error"]["message"].get<std::string>(), HasSubstr("is the session's"));
  EXPECT_EQ(results[1]["value"], 1) << results;
  SessionRequest wanted;
  wanted.packages = {file(kGreet)};  // needs what is not there
  EXPECT_THAT(in_session(wanted, {})["error"].get<std::string>(), HasSubstr("tell"));
  wanted.language = "bash";
  wanted.packages = {file(kTell)};
  EXPECT_THAT(in_session(wanted, {})["error"].get<std::string>(), HasSubstr("not for bash"));
}

TEST_P(NativePackages, OfJavascriptAreASessions) {
  if (!installs("javascript")) LAZARET_SKIP_OR_FAIL("npm", "boxes have no npm");
  SessionRequest wanted;
  wanted.language = "node";
  wanted.packages = {file("greeting-1.0.0.tgz"), file("word-2.1.0.tgz")};
  ExecutionRequest plain = code_request("javascript", "return require('greeting')"), cell = plain;
  cell.context = "main";
  const Json results = in_session(wanted, {plain, cell, python("1")});
  ASSERT_EQ(results.size(), 3U) << results;
  EXPECT_EQ(results[0]["value"], "hello there") << results;
  EXPECT_EQ(results[1]["value"], "hello there") << results;
  EXPECT_EQ(results[2]["value"], 1) << results;
}

TEST(PackagesInDoctor, AreWhatARunFinds) {
  const Json said = Json::parse(lazaret({"doctor", "--json"}).out);
  const Json& rows = said["backends"][0]["packages"];
  ASSERT_EQ(rows.size(), 2U) << said;
  EXPECT_EQ(rows[0]["language"], "python");
  EXPECT_EQ(rows[0]["present"], finds_installer("python")) << rows;
  EXPECT_EQ(rows[1]["present"], finds_installer("javascript")) << rows;
}

}  // namespace
}  // namespace lazaret::test
