#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/files_bed.hpp"
#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"

namespace lazaret::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string every_byte() {
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST_P(FilesOn, GivesBackWhatAProgramMadeOfWhatItGot) {
  ExecutionRequest request = giving(
      "import subprocess\n"
      "data = open('deep/er/data.bin', 'rb').read()\n"
      "open('out/back.bin', 'wb').write(data[::-1])\n"
      "print(subprocess.run(['./tool'], capture_output=True, text=True).stdout, end='')\n");
  request.inputs = {{"deep/er/data.bin", every_byte(), {}, false},
                    {"tool", "#!/bin/sh\necho ran\n", {}, true}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.stdout_text, "ran\n") << to_json(result);
  const std::string bytes = every_byte();
  EXPECT_EQ(file_text(out() / "back.bin"), std::string(bytes.rbegin(), bytes.rend()));
  EXPECT_THAT(artifact_paths(result), ElementsAre("back.bin"));
}

TEST_P(FilesOn, PutsADirectoryWithWhatIsInIt) {
  fs::create_directories(folder_.path() + "/tree/package");
  (void)folder_.write("tree/package/helper.py", "NAME = 'helped'\n");
  (void)folder_.write("tree/main.py", "print('not this one')\n");
  (void)folder_.write("tree/tool", "#!/bin/sh\n", 0755);
  fs::create_symlink("package", folder_.path() + "/tree/short");
  ExecutionRequest request = python(
      "import os\nfrom short.helper import NAME\n"
      "print(NAME, os.readlink('short'), os.access('tool', os.X_OK), sorted(os.listdir()))\n");
  request.inputs = {{".", {}, folder_.path() + "/tree", false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.stdout_text, "helped package True ['main.py', 'package', 'short', 'tool']\n")
      << to_json(result);
}

TEST_P(FilesOn, GivesACompilerTheFilesToo) {
  ExecutionRequest request = code_request("c", "#include \"mine.h\"\nint main(void) { return N; }");
  request.inputs = {{"mine.h", "#define N 7\n", {}, false}};
  EXPECT_EQ(run(request).exit_code, 7);
}

TEST_P(FilesOn, ListsAndReturnsWhatWasLeft) {
  ExecutionRequest request =
      python("import os\nos.makedirs('out/sub')\nopen('out/sub/table.csv', 'w').write('a,b\\n')");
  EXPECT_FALSE(artifact_named(run(request), "sub/table.csv")->content);
  request.return_artifacts = true;
  const ExecutionResult result = run(request);
  EXPECT_THAT(artifact_paths(result), ElementsAre("sub", "sub/table.csv"));
  EXPECT_EQ(artifact_named(result, "sub")->kind, Artifact::Kind::directory);
  const Artifact* const table = artifact_named(result, "sub/table.csv");
  EXPECT_EQ(table->size, 4U);
  EXPECT_EQ(table->media_type, "text/csv");
  EXPECT_EQ(table->content, "a,b\n");
}

TEST_P(FilesOn, HandsOnWhatWasLeft) {
  ExecutionRequest request =
      python("import os\nos.mkdir('out/d')\nopen('out/d/f', 'w').write('x' * 100000)");
  std::string names, content;
  request.on_artifact = [&](const Artifact* begun, std::string_view bytes) {
    if (begun != nullptr) names += begun->path + " ";
    content += bytes;
    return true;
  };
  EXPECT_THAT(run(request).artifacts, testing::IsEmpty());
  EXPECT_EQ(names, ". d d/f ");
  EXPECT_EQ(content, std::string(100'000, 'x'));
  request.output_directory = out();
  EXPECT_THAT(run(request).error->message, HasSubstr("to a function"));
  request.output_directory.reset();
  request.on_artifact = [](const Artifact*, std::string_view) { return false; };
  EXPECT_THAT(run(request).meta.warnings, Contains(HasSubstr("wants no more")));
}

TEST_P(FilesOn, RunsNothingWhenThereIsNoRoom) {
  ExecutionRequest request = python("print('ran')");
  request.limits.disk_bytes = 1 << 20;
  request.inputs = {{"small", std::string(900 << 10, 'x'), {}, false}};
  EXPECT_EQ(run(request).stdout_text, "ran\n");
  request.inputs.push_back({"large", std::string(200 << 10, 'x'), {}, false});
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::start_failed);
  EXPECT_EQ(result.stdout_text, "");
  EXPECT_EQ(result.meta.start_errno, 28);
  EXPECT_THAT(result.error->message, HasSubstr("no room for /work/large"));
}

TEST_P(FilesOn, RunsNothingWhenOneIsLargerThanAFileMayBe) {
  ExecutionRequest request = python("print('ran')");
  request.limits.file_bytes = 1 << 20;
  request.inputs = {{"most", std::string(1 << 20, 'x'), {}, false}};
  EXPECT_EQ(run(request).stdout_text, "ran\n");
  request.inputs = {{"more", std::string((1 << 20) + 1, 'x'), {}, false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::start_failed) << to_json(result);
  EXPECT_THAT(result.error->message, HasSubstr("/work/more is larger than a file may be"));
}

TEST_P(FilesOn, RunsNothingWhenAFileIsPutTwice) {
  ExecutionRequest request = python("print('ran')");
  request.inputs = {{"same", "1", {}, false}, {"same", "2", {}, false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::start_failed);
  EXPECT_THAT(result.error->message, HasSubstr("/work/same was put twice"));
  EXPECT_EQ(result.stdout_text, "");
}

TEST_P(FilesOn, RunsNothingWhenASourceCannotBePut) {
  fs::create_directory(folder_.path() + "/tree");
  fs::create_symlink("/etc/passwd", folder_.path() + "/tree/users");
  ExecutionRequest request = python("print('ran')");
  request.inputs = {{"tree", {}, folder_.path() + "/tree", false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::start_failed);
  EXPECT_THAT(result.error->message, HasSubstr("leads out of its directory"));
}

TEST_P(FilesOn, CarriesManyAndLargeFiles) {
  ExecutionRequest request = giving(
      "import hashlib, os\nlarge = open('large', 'rb').read()\n"
      "for i in range(3000):\n    open(f'out/{i}', 'w').write(str(i))\n"
      "open('out/large', 'wb').write(large[::-1])\nprint(len(large))\n");
  std::string large(24 << 20, '\0');
  for (std::size_t at = 0; at < large.size(); ++at) large[at] = static_cast<char>(at * at >> 7);
  request.inputs = {{"large", large, {}, false}};
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.stdout_text, std::to_string(large.size()) + "\n") << result.stderr_text;
  EXPECT_EQ(result.artifacts.size(), 3001U);
  EXPECT_EQ(file_text(out() / "2999"), "2999");
  EXPECT_TRUE(file_text(out() / "large") == std::string(large.rbegin(), large.rend()));
}

TEST_P(FilesOn, TakesMoreThanItLists) {
  constexpr std::size_t kCount = 12'000;
  ExecutionRequest request = giving("for number in range(12000):\n"
                                    "    open(f'out/{number:05}', 'w').close()\n");
  request.limits.disk_files = 20'000;
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.artifacts.size(), 10'000U);
  EXPECT_EQ(result.artifacts.back().path, "09999");
  EXPECT_EQ(std::distance(fs::directory_iterator(out()), {}), kCount);
  EXPECT_THAT(result.meta.warnings,
              Contains("2000 artifacts were taken and not listed"));
}

TEST_P(FilesOn, TakesNothingOfAProgramThatWasEnded) {
  ExecutionRequest request = giving("open('out/x', 'w').write('x')\nwhile True: pass\n");
  request.limits.timeout = std::chrono::milliseconds(700);
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.meta.cause, Cause::timeout);
  EXPECT_THAT(result.meta.warnings, Contains("nothing was taken from /work/out"));
  EXPECT_FALSE(fs::exists(out()));
}

// A file that somebody still holds open for writing cannot be executed (execve(2), ETXTBSY).
TEST_P(FilesOn, ExecutesWhatHasJustBeenWritten_P56) {
  ExecutionRequest request = command({"/work/tool"});
  request.inputs = {{"tool", file_text("/bin/true"), {}, true}};
  const CodeSandbox sandbox = sandbox_on(GetParam());
  const int rounds = GetParam() == std::string("native") ? 40 : 6;
  for (int round = 0; round < rounds; ++round) {
    const ExecutionResult result = sandbox.execute(request);
    ASSERT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  }
}

TEST_P(FilesOn, GivesFilesToAnInterpreterThatHasWaited) {
  const WarmSandbox sandbox(GetParam());
  ExecutionRequest request = giving(
      "import sys, helper\nopen('out/seen', 'w').write(helper.NAME)\n"
      "print('ahead' if 'statistics' in sys.modules else '')");
  request.inputs = {{"helper.py", "NAME = 'helped'\n", {}, false}};
  const ExecutionResult result = sandbox.run(request, [this] { fs::remove_all(out()); });
  EXPECT_EQ(result.stdout_text, "ahead\n") << to_json(result);
  EXPECT_EQ(file_text(out() / "seen"), "helped");
}

INSTANTIATE_TEST_SUITE_P(EachBackend, FilesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

Ended run_with(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  return lazaret(std::move(words));
}

TEST(CliFiles, PutAndTakeFilesOfThisMachine) {
  Folder folder;
  const std::string in = folder.write("in.csv", "1,2\n"), taken = folder.path() + "/taken";
  const Ended ended = run_with({"--file", in, "--file", in + ":data/x", "--out", taken, "-c",
                                "open('out/both', 'w').write(open('in.csv').read() + "
                                "open('data/x').read())\nNone"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(file_text(taken + "/both"), "1,2\n1,2\n");
  EXPECT_THAT(ended.err, HasSubstr("1 file taken into " + taken));
}

TEST(CliFiles, SayWhatIsWrongBeforeAnythingRuns) {
  Folder folder;
  const std::string file = folder.write("file", "x");
  const auto refused = [](std::vector<std::string> words, const std::string& why) {
    words.insert(words.end(), {"-c", "print('ran')"});
    const Ended ended = run_with(std::move(words));
    EXPECT_EQ(ended.status, 2) << why;
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_EQ(ended.out, "");
  };
  refused({"--file", "/does/not/exist"}, "No such file");
  refused({"--file", folder.path()}, "is a directory");
  refused({"--dir", file}, "is no directory");
  refused({"--file", file + ":../x"}, "is no path below /work");
  refused({"--file", file + ":main.py"}, "is where the code itself lies");
  refused({"--out", folder.path()}, "is not empty");
  refused({"--out", file}, "is no directory");
  EXPECT_EQ(run_with({"--json", "--file", "/does/not/exist", "-c", "1"}).status, 2);
}

}  // namespace
}  // namespace lazaret::test
