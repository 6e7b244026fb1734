#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "integration/spawners.hpp"
#include "integration/support.hpp"

// What boxes are shown of the host's /etc, and that it is what the host has there now.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

/// An /etc for the calling process alone, with what boxes are shown: files that are copied into
/// their root, and a directory that is bound there.
bool has_own_etc(const Folder& folder) {
  (void)folder.write("passwd", "root:x:0:0::/:/bin/sh\n");
  (void)folder.write("mime.types", "first\n");
  (void)folder.write("services", "not for everybody\n");
  (void)::chmod((folder.path() + "/services").c_str(), 0640);
  std::filesystem::create_directory(folder.path() + "/alternatives");
  (void)folder.write("alternatives/editor", "first\n");
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(folder.path().c_str(), "/etc", nullptr, MS_BIND, nullptr) == 0;
}

/// What the host does to its /etc, and the file of it that boxes are asked for.
struct HostChange {
  const char* name;
  const char* shown;
  void (*make)();
};

class NativeEtc : public testing::TestWithParam<HostChange> {};

// ldconfig(8) and package managers rename a new file into the old one's place.
TEST_P(NativeEtc, ShowsWhatTheHostHasNow) {
  if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  const Folder folder;
  const auto seen = in_child(Caller::root, [&folder]() -> std::string {
    if (!has_own_etc(folder)) return "no /etc of its own";
    CodeSandbox sandbox = sandbox_on("native");
    const auto shown = [&sandbox] {
      return sandbox.execute(bash(std::string("cat ") + GetParam().shown)).stdout_text;
    };
    std::string text = shown();
    GetParam().make();
    std::this_thread::sleep_for(25ms);  // the host is not looked at more often
    text += shown();
    // The old one ends with the last of its boxes, of which one may have been made ahead.
    const auto is_alone = [] { return spawners_of(::getpid()).size() == 2; };
    if (!becomes_true(10s, is_alone)) return "the old one stays";
    const auto before = spawners_of(::getpid());
    text += shown();
    return text + (before == spawners_of(::getpid()) ? "" : "it is started anew for nothing");
  });
  EXPECT_EQ(seen.value_or("nothing"), "first\nsecond\nsecond\n");
}

INSTANTIATE_TEST_SUITE_P(
    , NativeEtc,
    testing::Values(HostChange{"another_file", "/etc/mime.types",
                               [] {
                                 std::ofstream("/etc/new") << "second\n";
                                 std::filesystem::rename("/etc/new", "/etc/mime.types");
                               }},
                    HostChange{"the_same_file_with_other_content", "/etc/mime.types",
                               [] { std::ofstream("/etc/mime.types") << "second\n"; }},
                    HostChange{"another_directory", "/etc/alternatives/editor",
                               [] {
                                 std::filesystem::create_directory("/etc/new");
                                 std::ofstream("/etc/new/editor") << "second\n";
                                 std::filesystem::rename("/etc/alternatives", "/etc/old");
                                 std::filesystem::rename("/etc/new", "/etc/alternatives");
                               }}),
    [](const auto& of) { return of.param.name; });

// A copy of root's would be everybody's.
TEST(NativeEtcAlone, CopiesNothingThatNotEverybodyMayRead) {
  if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  const Folder folder;
  const auto seen = in_child(Caller::root, [&folder]() -> std::string {
    if (!has_own_etc(folder)) return "no /etc of its own";
    return sandbox_on("native").execute(bash("cat /etc/services 2>&1; cat /etc/mime.types"))
        .stdout_text;
  });
  EXPECT_EQ(seen.value_or("nothing"), "cat: /etc/services: Permission denied\nfirst\n");
}

/// A /usr/local for the calling process alone.
bool has_own_usr_local(const Folder& folder) {
  std::filesystem::create_directory(folder.path() + "/bin");
  std::filesystem::create_directory(folder.path() + "/etc");
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(folder.path().c_str(), "/usr/local", nullptr, MS_BIND, nullptr) == 0;
}

// Of /usr/local a box sees programs and what they read, those that have come since the last one
// too; nothing else that lies there.
TEST(NativeUsr, ShowsThePartsThatThereAreNowAndNothingElse) {
  if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  const auto body = []() -> std::string {
    const Folder folder;
    if (!has_own_usr_local(folder)) return "no mounts of its own";
    const CodeSandbox sandbox = sandbox_on("native");
    const ExecutionRequest list = bash("ls /usr/local");
    const std::string before = sandbox.execute(list).stdout_text;
    std::filesystem::create_directory(folder.path() + "/go");
    std::filesystem::create_directory(folder.path() + "/src");
    return before + "then\n" + sandbox.execute(list).stdout_text;
  };
  EXPECT_EQ(in_child(Caller::root, body), "bin\nthen\nbin\ngo\n");
}

}  // namespace
}  // namespace lazaret::test
