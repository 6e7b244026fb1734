#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/files_bed.hpp"

// A program that leaves what is no file, or changes it while it is taken: nothing of it is
// followed, and nothing is written outside of where it belongs.
namespace lazaret::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class HostileFilesOn : public FilesOn {};

// Links, fifos, names with newlines and what cannot be read; nothing of it is followed or opened.
TEST_P(HostileFilesOn, TakesNothingButFilesAndDirectories) {
  const ExecutionResult result = run(giving(
      "import os\nos.chdir('out')\n"
      "os.symlink('/etc/passwd', 'users'); os.symlink('/', 'root'); os.mkfifo('fifo')\n"
      "open('a\\nb', 'w').write('kept')\nopen('shut', 'w').write('x'); os.chmod('shut', 0)\n"));
  EXPECT_EQ(file_text(out() / "a\nb"), "kept") << to_json(result);
  EXPECT_FALSE(fs::exists(fs::symlink_status(out() / "users")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(out() / "fifo")));
  EXPECT_EQ(artifact_named(result, "users")->kind, Artifact::Kind::link);
  EXPECT_EQ(artifact_named(result, "fifo")->kind, Artifact::Kind::other);
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("1 artifacts were left out")));
}

// Threat 30: a directory and a link to one change places while they are read (renameat2(2)), by a
// thread of a context, which goes on between cells.
TEST_P(HostileFilesOn, FollowsNoLinkThatTakesTheNameOfADirectoryMeanwhile) {
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
TEST_P(HostileFilesOn, TakesOddFilesAsPlainOnes) {
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
  EXPECT_EQ(artifact_named(result, "socket")->kind, Artifact::Kind::other);
  EXPECT_EQ(artifact_named(result, "loop")->kind, Artifact::Kind::link);
}

// A terabyte cannot be asked for, and many a file without a content cannot become one here.
TEST_P(HostileFilesOn, TakesNoMoreOfSparseFilesThanTheBoxCanHold) {
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
TEST_P(HostileFilesOn, TakesNothingByALinkThatIsExchangedForADirectory) {
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

TEST_P(HostileFilesOn, FollowsNoLinkThatStandsForTheDirectory) {
  const ExecutionResult result =
      run(giving("import os\nos.rmdir('out')\nos.symlink('/etc', 'out')\n"));
  EXPECT_EQ(result.meta.cause, Cause::exited);
  EXPECT_TRUE(result.artifacts.empty()) << to_json(result);
  EXPECT_TRUE(fs::is_empty(out()));
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("/work/out cannot be read")));
}

TEST_P(HostileFilesOn, EndsInATreeOfAnyDepth) {
  const ExecutionResult result =
      run(giving("import os\nos.chdir('out')\n"
                 "for _ in range(200):\n    os.mkdir('d'); os.chdir('d')\n"));
  EXPECT_EQ(result.artifacts.size(), 64U);
  EXPECT_THAT(result.meta.warnings, Contains(HasSubstr("left out")));
}

INSTANTIATE_TEST_SUITE_P(EachBackend, HostileFilesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace lazaret::test
