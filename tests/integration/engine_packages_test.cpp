#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "engine/volume.hpp"
#include "integration/docker_bed.hpp"
#include "integration/index_server.hpp"
#include "integration/made_ahead.hpp"
#include "integration/packages_bed.hpp"
#include "integration/support.hpp"

// Packages of runs in containers: installed in one of the same image, and shown by a volume.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class EnginePackages : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto options = options_for(GetParam());
    if (!options) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    // Tests run beside each other: none has what another has.
    ExecutionRequest make = python(guest("package_files.py") +
                                   "\nwheel('own', '1.0', {'own.py': '# " + files_ + "'})\n");
    make.output_directory = files_;
    ASSERT_EQ(run_on(GetParam(), make)["exit_code"], 0);
    ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  // What these tests have made goes with them; it would stay for its user.
  void TearDown() override {
    ::unsetenv("XDG_CACHE_HOME");
    if (!options_for(GetParam())) return;
    for (const std::string& name : made()) remove(name);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return files_ + "/" + name; }
  [[nodiscard]] static engine::EngineClient client() {
    const bool is_docker = GetParam() == std::string("docker");
    return client_on(variable(is_docker ? "LAZARET_TEST_DOCKER" : "LAZARET_TEST_PODMAN"));
  }
  // What this test's store has on the engine.
  [[nodiscard]] std::vector<std::string> made() const {
    const backend::docker::Instance us = backend::docker::this_process();
    const std::string whose =
        us.machine + "\n" + std::to_string(us.user) + "\n" + cache_ + "/lazaret/packages";
    const auto all = engine::volume::list(
        client(), {"dev.lazaret.packages-store=" + to_hex(sha256(bytes_of(whose)))},
        within_seconds(10));
    std::vector<std::string> names;
    for (const auto& volume : all.ok() ? *all : std::vector<engine::volume::Volume>())
      names.push_back(volume.name);
    return names;
  }
  // Boxes that have answered may still be on their way out.
  static void remove(const std::string& volume) {
    EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [&volume] {
      return engine::volume::remove(client(), volume, within_seconds(10)).ok();
    }));
  }
  [[nodiscard]] Json run(ExecutionRequest request, std::vector<std::string> packages) const {
    request.packages = std::move(packages);
    request.packages.push_back(own_);
    return run_on(GetParam(), request);
  }
  [[nodiscard]] std::vector<std::string> both() const {
    return {file("greet-1.0-py3-none-any.whl"), file("tell-2.1-py3-none-any.whl")};
  }

  const Folder folder_;
  const std::string files_ = folder_.path() + "/files", cache_ = folder_.path() + "/cache";
  const std::string own_ = file("own-1.0-py3-none-any.whl");
};

INSTANTIATE_TEST_SUITE_P(Each, EnginePackages, testing::Values("docker", "podman"),
                         [](const auto& given) { return given.param; });

TEST_P(EnginePackages, AreImportedAndNamedInTheResult) {
  for (int count = 0; count < 2; ++count) {
    Json result = run(python("import greet\ngreet.hello"), both());
    EXPECT_EQ(result["value"], "hello there") << result;
    EXPECT_EQ(result["meta"]["packages"].size(), 3U) << result;
    EXPECT_EQ(result["meta"]["isolation"], "full") << result;
  }
  EXPECT_EQ(made().size(), 1U);  // filled once
}

// An interpreter would run what they have in .pth files before there is a program.
TEST_P(EnginePackages, AreInABoxThatWasMadeAheadWhereNoInterpreterWaits) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  ExecutionRequest request =
      python("import greet, sys\n[greet.hello, 'statistics' in sys.modules]");
  request.packages = both();
  request.packages.push_back(own_);
  EXPECT_EQ(run_ahead(sandbox, request).value, R"(["hello there",false])");
}

TEST_P(EnginePackages, StandBehindTheLibraryAndCannotBeChanged) {
  Json result = run(python(kWherePackagesStand),
                    {file("shadow-1.0-py3-none-any.whl")});
  EXPECT_EQ(result["value"], Json::parse("[1,[30,30],true,true]")) << result;
}

TEST_P(EnginePackages, AreBuiltFromSourceInABox) {
  Json result = run(python("import made\nmade.seen"), {file("made-0.3.tar.gz")});
  EXPECT_EQ(result["value"]["root"], EROFS) << result;
  EXPECT_EQ(result["value"]["uid"], 65534) << result;
  EXPECT_EQ(result["value"]["interfaces"], Json::parse(R"(["lo"])")) << result;
}

TEST_P(EnginePackages, ThatLackOneSayWhichAndLeaveNothing) {
  Json result = run(python("import greet"), {file("greet-1.0-py3-none-any.whl")});
  EXPECT_EQ(result["meta"]["cause"], "start_failed") << result;
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("found for tell"));
  EXPECT_THAT(made(), IsEmpty());
}

TEST_P(EnginePackages, AreFetchedOfAnIndex) {
  const IndexServer index(files_);
  ::setenv("PIP_INDEX_URL", index.address("/simple/").c_str(), 1);
  Json result = run(python("import greet\ngreet.hello"), {"greet==1.0"});
  ::unsetenv("PIP_INDEX_URL");
  EXPECT_EQ(result["value"], "hello there") << result;
  EXPECT_EQ(result["meta"]["packages"].size(), 3U) << result;
}

TEST_P(EnginePackages, AreASessionsForAllItsRuns) {
  SessionRequest wanted;
  wanted.packages = both();
  wanted.packages.push_back(own_);
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const auto session = sandbox.open_session(wanted);
  ASSERT_TRUE(session.ok()) << session.error().message();
  ExecutionRequest plain = python("import greet\ngreet.hello"), cell = plain;
  cell.context = "main";
  for (const ExecutionRequest& request : {plain, cell})
    EXPECT_EQ(Json::parse(to_json(session->execute(request)))["value"], "hello there");
}

// By whom it may be: an engine makes an empty one in its place.
TEST_P(EnginePackages, AreThereAgainWhenTheirVolumeWasRemoved) {
  (void)run(python("1"), both());
  ASSERT_EQ(made().size(), 1U);
  remove(made().front());
  Json result = run(python("import greet\ngreet.hello"), both());
  EXPECT_EQ(result["value"], "hello there") << result;
}

TEST_P(EnginePackages, GoWhenTheyAreNotKeptAnyMoreAndOthersCome) {
  (void)run(python("1"), both());
  const std::vector<std::string> first = made();
  ASSERT_EQ(first.size(), 1U);
  const std::string store = cache_ + "/lazaret/packages";
  for (const auto& layer : fs::directory_iterator(store)) fs::remove_all(layer.path());
  (void)run(python("1"), {file("tell-2.1-py3-none-any.whl")});  // others
  const std::vector<std::string> others = made();
  ASSERT_EQ(others.size(), 1U);
  EXPECT_NE(others, first);
}

TEST_P(EnginePackages, OfJavascriptAreRefusedInWords) {
  ExecutionRequest request = code_request("javascript", "return 1");
  request.packages = {file("word-2.1.0.tgz")};
  Json result = run_on(GetParam(), request);
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("for python only"));
  EXPECT_FALSE(result.contains("value"));
}

}  // namespace
}  // namespace lazaret::test
