#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"

// What a caller puts into a box, and what he gets out of it.
namespace lazaret::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string every_byte() {
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

std::vector<std::string> paths_of(const ExecutionResult& result) {
  std::vector<std::string> paths;
  for (const Artifact& artifact : result.artifacts) paths.push_back(artifact.path);
  return paths;
}

const Artifact* named(const ExecutionResult& result, const std::string& path) {
  for (const Artifact& artifact : result.artifacts) {
    if (artifact.path == path) return &artifact;
  }
  return nullptr;
}

class FilesOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  }
  static ExecutionResult run(const ExecutionRequest& request) {
    return sandbox_on(GetParam()).execute(request);
  }
  [[nodiscard]] fs::path out() const { return fs::path(folder_.path()) / "taken"; }
  [[nodiscard]] ExecutionRequest giving(std::string code) const {
    ExecutionRequest request = python(std::move(code));
    request.output_directory = out();
    return request;
  }

  static std::error_code& ignored() {
    static std::error_code error;
    return error;
  }

  Folder folder_;
};

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
  EXPECT_THAT(paths_of(result), ElementsAre("back.bin"));
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
  EXPECT_FALSE(named(run(request), "sub/table.csv")->content);
  request.return_artifacts = true;
  const ExecutionResult result = run(request);
  EXPECT_THAT(paths_of(result), ElementsAre("sub", "sub/table.csv"));
  EXPECT_EQ(named(result, "sub")->kind, Artifact::Kind::directory);
  const Artifact* const table = named(result, "sub/table.csv");
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

// Links, fifos, names with newlines and what cannot be read; nothing of it is followed or opened.
TEST_P(FilesOn, TakesNothingButFilesAndDirectories) {
  const ExecutionResult result = run(giving(
      "import os\nos.chdir('out')\n"
      "os.symlink('/etc/passwd', 'users'); os.symlink('/', 'root'); os.mkfifo('fifo')\n"
      "open('a\\nb', 'w').write('kept')\nopen('shut', 'w').write('x'); os.chmod('shut', 0)\n"));
  EXPECT_EQ(file_text(out() / "a\nb"), "kept") << to_json(result);
  EXPECT_FALSE(fs::exists(fs::symlink_status(out() / "users")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(out() / "fifo")));
  EXPECT_EQ(named(result, "users")->kind, Artifact::Kind::link);
  EXPECT_EQ(named(result, "fifo")->kind, Artifact::Kind::other);
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("1 artifacts were left out")));
}

// Threat 30: a directory and a link to one change places while they are read (renameat2(2)), by a
// thread of a context, which goes on between cells.
TEST_P(FilesOn, FollowsNoLinkThatTakesTheNameOfADirectoryMeanwhile) {
  auto session = sandbox_on(GetParam()).open_session({});
  ASSERT_TRUE(session.ok()) << session.error().message();
  ExecutionRequest request = python(
      "import ctypes, os, threading, time\n"
      "os.makedirs('out/a'); open('out/a/own', 'w').write('own'); os.symlink('/etc', 'out/b')\n"
      "turns, libc = [0], ctypes.CDLL(None)\n"
      "def exchange():\n"
      "  while True: turns[0] += libc.renameat2(-100, b'out/a', -100, b'out/b', 2) == 0\n"
      "threading.Thread(target=exchange, daemon=True).start()\n");
  request.context = "exchanging";
  ASSERT_EQ(session->execute(request).meta.cause, Cause::exited);
  std::set<std::string> names;
  std::size_t disturbed = 0;
  for (int round = 0; round < 400 && (round < 40 || disturbed == 0); ++round) {
    const fs::path place = out() / std::to_string(round);
    const bool is_whole = session->get("out", place).ok() && fs::exists(place / "a" / "own");
    if (!is_whole) ++disturbed;
    for (const auto& entry : fs::recursive_directory_iterator(place, ignored()))
      names.insert(entry.path().filename());
  }
  request.code = "turns[0]";
  EXPECT_GT(std::stoul(session->execute(request).value.value_or("0")), 1000U);
  EXPECT_THAT(names, testing::IsSubsetOf({"a", "b", "own"}));
  EXPECT_GT(disturbed, 0U) << "nothing changed places";
  EXPECT_THAT(names, Contains("own"));
}

// Hard links, sockets, names that are no text, and rights that are nobody's to give.
TEST_P(FilesOn, TakesOddFilesAsPlainOnes) {
  const ExecutionResult result = run(giving(
      "import os, socket\nos.chdir('out')\n"
      "open('real', 'w').write('content'); os.link('real', 'same'); os.chmod('real', 0o6755)\n"
      "open(b'\\xff\\xfe', 'w').write('no text')\n"
      "socket.socket(socket.AF_UNIX).bind('socket')\nos.symlink('loop', 'loop')\n"));
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  EXPECT_EQ(file_text(out() / "same"), "content");
  EXPECT_EQ(file_text(out() / "\xff\xfe"), "no text");
  struct stat facts {};
  ASSERT_EQ(::stat((out() / "real").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 1U);
  EXPECT_EQ(facts.st_mode & 06000U, 0U);
  EXPECT_EQ(named(result, "socket")->kind, Artifact::Kind::other);
  EXPECT_EQ(named(result, "loop")->kind, Artifact::Kind::link);
}

// A terabyte cannot be asked for, and many a file without a content cannot become one here.
TEST_P(FilesOn, TakesNoMoreOfSparseFilesThanTheBoxCanHold) {
  ExecutionRequest request = giving(
      "import errno\n"
      "try:\n    open('out/hole', 'wb').truncate(1 << 40)\n"
      "except OSError as error:\n    print(errno.errorcode[error.errno])\n"
      "for i in range(40):\n    open(f'out/{i}', 'wb').truncate(1 << 20)\n");
  request.limits.disk_bytes = 16ULL << 20;
  const ExecutionResult result = run(request);
  EXPECT_EQ(result.stdout_text, "EFBIG\n") << to_json(result);
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("what is sparse or linked counts in full")));
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(out()))
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  EXPECT_LE(bytes, 16ULL << 20);
  EXPECT_GE(bytes, 15ULL << 20);
}

// By a thread that a context has left running while its files are taken (renameat2(2)).
TEST_P(FilesOn, TakesNothingByALinkThatIsExchangedForADirectory) {
  ExecutionRequest cell = python(
      "import ctypes, os, threading\nos.makedirs('tree/a')\n"
      "open('tree/a/passwd', 'w').write('its own')\nos.symlink('/etc', 'tree/b')\n"
      "libc = ctypes.CDLL(None)\n"
      "def exchange():\n"
      "    while True: libc.renameat2(-100, b'tree/a', -100, b'tree/b', 2)\n"
      "threading.Thread(target=exchange, daemon=True).start()\n");
  cell.context = "main";
  const auto session = sandbox_on(GetParam()).open_session({});
  ASSERT_TRUE(session.ok()) << session.error().message();
  ASSERT_TRUE(session->execute(cell).success());
  int taken = 0;
  for (int count = 0; count < 100; ++count) {
    const auto all = session->get("tree", std::nullopt);
    if (!all.ok()) continue;  // what changes while it is read may be an error
    for (const Artifact& file : *all) {
      if (!file.content) continue;
      ++taken;
      EXPECT_EQ(*file.content, "its own") << file.path;
    }
  }
  EXPECT_GT(taken, 0);
}

TEST_P(FilesOn, FollowsNoLinkThatStandsForTheDirectory) {
  const ExecutionResult result =
      run(giving("import os\nos.rmdir('out')\nos.symlink('/etc', 'out')\n"));
  EXPECT_EQ(result.meta.cause, Cause::exited);
  EXPECT_TRUE(result.artifacts.empty()) << to_json(result);
  EXPECT_TRUE(fs::is_empty(out()));
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("/work/out cannot be read")));
}

TEST_P(FilesOn, EndsInATreeOfAnyDepth) {
  const ExecutionResult result =
      run(giving("import os\nos.chdir('out')\n"
                 "for _ in range(200):\n    os.mkdir('d'); os.chdir('d')\n"));
  EXPECT_EQ(result.artifacts.size(), 64U);
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("left out")));
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
