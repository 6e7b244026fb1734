#include "integration/made_ahead.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/boxes.hpp"

// Boxes of every kind are made ahead: of sessions, with a terminal, with directories of the host's.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class MadeAhead : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
  }
  // A session whose box was there before it was asked for.
  [[nodiscard]] std::optional<Session> session() const {
    std::optional<Session> found;
    EXPECT_TRUE(becomes_true(60s, [&] {
      std::this_thread::sleep_for(200ms);
      auto opened = sandbox_->open_session({});
      if (!opened.ok() || !opened->execute(bash(":")).meta.made_ahead) return false;
      found.emplace(std::move(opened).value());
      return true;
    }));
    return found;
  }

  std::optional<CodeSandbox> sandbox_;
};

INSTANTIATE_TEST_SUITE_P(EachBackend, MadeAhead, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(MadeAhead, AreBoxesOfSessionsAndEachIsOneSessionsOwn) {
  for (int time = 0; time < 2; ++time) {
    const auto one = session();
    ASSERT_TRUE(one);
    const ExecutionResult first = one->execute(bash("ls -A /work /tmp; echo 1 > kept > /tmp/kept"));
    EXPECT_EQ(first.stdout_text, "/tmp:\n\n/work:\nmain.sh\n") << to_json(first);
    ExecutionRequest cell = python("kept = open('kept').read(); kept");
    cell.context = "one";
    EXPECT_EQ(one->execute(cell).value, R"("")");
    cell.code = "len(kept)";
    EXPECT_EQ(one->execute(cell).value, "0");
  }
}

TEST_P(MadeAhead, AreBoxesForTerminalsOfAnySize) {
  ExecutionRequest request = bash("[ -t 0 ] && [ -t 1 ] && stty size; echo $TERM");
  request.terminal = TerminalSize{24, 80};
  EXPECT_EQ(run_ahead(*sandbox_, request).stdout_text, "24 80\r\nxterm\r\n");
  request.terminal = TerminalSize{30, 100};
  EXPECT_EQ(run_ahead(*sandbox_, request).stdout_text, "30 100\r\nxterm\r\n");
}

class MadeAheadWithADirectory : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
    ::chmod(folder_.path().c_str(), 0777);
  }
  // What he sees there with one that was made, and with another once it was changed.
  [[nodiscard]] Json before_and_after(const std::function<void()>& change) const {
    const auto text = in_child(GetParam(), [&] {
      make(place_, "as it was");
      ExecutionRequest request = bash("cat /mnt/data/file 2>&1");
      request.mounts = {{place_, "/mnt/data"}};
      const CodeSandbox sandbox = sandbox_on("native");
      const ExecutionResult before = run_ahead(sandbox, request);
      (void)BoxesOf("native", ::getpid()).settled("bash");  // the next one waits
      change();
      return "[" + to_json(before) + "," + to_json(sandbox.execute(request)) + "]";
    });
    return text ? Json::parse(*text) : Json({Json::object(), Json::object()});
  }
  static void make(const std::string& path, const std::string& content) {
    std::filesystem::create_directory(path);
    std::ofstream(path + "/file") << content;
    ::chmod(path.c_str(), 0755);
  }
  const Folder folder_;
  const std::string place_ = folder_.path() + "/place", other_ = folder_.path() + "/other";
};

INSTANTIATE_TEST_SUITE_P(AskedBy, MadeAheadWithADirectory,
                         testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(MadeAheadWithADirectory, ShowsWhatIsThereNow) {
  const Json seen = before_and_after([&] { std::ofstream(place_ + "/file") << "as it is"; });
  EXPECT_EQ(seen[0]["stdout"], "as it was") << seen.dump();
  EXPECT_EQ(seen[1]["stdout"], "as it is") << seen.dump();
  EXPECT_EQ(seen[1]["meta"]["made_ahead"], true);
}

// An interpreter that is found there is a program like any other, and runs when it is asked for.
TEST_P(MadeAheadWithADirectory, IsMetByNoInterpreterBeforeThereIsARun) {
  constexpr int kRuns = 4;
  make(place_, "");
  ::chmod(place_.c_str(), 0777);
  std::ofstream(place_ + "/bash") << "#!/bin/sh\necho started >> /mnt/data/log\n"
                                     "exec /bin/bash \"$@\"\n";
  ::chmod((place_ + "/bash").c_str(), 0755);
  const auto ahead = in_child(GetParam(), [&] {
    ExecutionRequest request = bash("cat /mnt/data/log");
    request.mounts = {{place_, "/mnt/data", MountAccess::read_write}};
    request.environment["PATH"] = "/mnt/data:/usr/bin:/bin";
    const CodeSandbox sandbox = sandbox_on("native");
    int found = 0;
    for (int run = 0; run < kRuns; ++run) {
      found += sandbox.execute(request).meta.made_ahead ? 1 : 0;
      std::this_thread::sleep_for(500ms);
    }
    return std::to_string(found);
  });
  EXPECT_GT(std::stoi(ahead.value_or("0")), 0);
  std::string wanted;
  for (int run = 0; run < kRuns; ++run) wanted += "started\n";
  EXPECT_EQ(file_text(place_ + "/log"), wanted);
}

TEST_P(MadeAheadWithADirectory, IsNotUsedWhereAnotherStandsThere) {
  const Json seen = before_and_after([&] {
    std::filesystem::rename(place_, other_);
    make(place_, "another");
  });
  EXPECT_EQ(seen[1]["stdout"], "another") << seen.dump();
  EXPECT_EQ(seen[1]["meta"]["made_ahead"], false);
}

TEST_P(MadeAheadWithADirectory, IsNotUsedWhereOthersMayNoLongerLook) {
  const Json seen = before_and_after([&] { ::chmod(place_.c_str(), 0700); });
  EXPECT_THAT(seen[0]["meta"]["warnings"], IsEmpty());
  EXPECT_EQ(seen[1]["meta"]["made_ahead"], false) << seen.dump();
  const bool says = seen[1]["meta"]["warnings"].dump().find("may not read") != std::string::npos;
  EXPECT_EQ(says, GetParam() == Caller::root) << seen.dump();
}

// Of the same directory: that it is read-only now is its mount's, and a box has a copy of that.
TEST_P(MadeAheadWithADirectory, IsNotUsedWhereItsMountWasChanged) {
  if (GetParam() != Caller::root) GTEST_SKIP() << "root alone mounts";
  const auto text = in_child(Caller::root, [&] {
    make(place_, "as it was");
    ::chmod(place_.c_str(), 0777);
    const char* const place = place_.c_str();
    const bool is_mounted = ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            ::mount(place, place, nullptr, MS_BIND, nullptr) == 0;
    ExecutionRequest request = bash("echo > /mnt/data/new");
    request.mounts = {{place_, "/mnt/data", MountAccess::read_write}};
    const CodeSandbox sandbox = sandbox_on("native");
    const bool wrote = is_mounted && run_ahead(sandbox, request).success();
    (void)BoxesOf("native", ::getpid()).settled("bash");
    const bool is_changed =
        ::mount(nullptr, place, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    const bool writes = sandbox.execute(request).success();
    return std::string(wrote ? "wrote" : "") + (is_changed && !writes ? ", writes no more" : "");
  });
  EXPECT_EQ(text, "wrote, writes no more");
}

TEST_P(MadeAheadWithADirectory, IsNotUsedWhereThereIsNoneAnyMore) {
  const Json seen = before_and_after([&] { std::filesystem::rename(place_, other_); });
  EXPECT_THAT(seen[1]["error"]["message"].dump(), HasSubstr("No such file")) << seen.dump();
}

}  // namespace
}  // namespace lazaret::test
