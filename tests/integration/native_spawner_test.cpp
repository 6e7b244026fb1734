#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/spawners.hpp"
#include "integration/support.hpp"
#include "os/user.hpp"

// The spawner and Lazaret themselves ended, stopped or starved in the middle of a run.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using Clock = std::chrono::steady_clock;

ExecutionRequest endless(const std::string& marker) {
  ExecutionRequest request = bash("echo early; setsid sleep 300 & exec -a \"$1\" sleep 300");
  request.arguments = {marker};
  request.limits.timeout = 60s;
  return request;
}

class NativeSpawner : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  // Fails where `body`, run as the caller in a child of ours, says anything.
  static void expect_silence(const std::function<std::string()>& body) {
    EXPECT_EQ(in_child(GetParam(), body), "");
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeSpawner, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

// P-12, P-20, P-44
TEST_P(NativeSpawner, TakesItsBoxesAlongWhenItIsKilledAndIsReplacedByTheNextRun) {
  const std::string marker = unique_marker();
  const auto body = [&marker]() -> std::string {
    CodeSandbox sandbox = sandbox_on("native");
    std::vector<ExecutionResult> results(3);
    std::atomic<unsigned> talking = 0;
    std::vector<std::jthread> threads;
    for (ExecutionResult& result : results) {
      threads.emplace_back([&] {
        ExecutionRequest request = endless(marker);
        request.on_output = [&talking](Stream, std::string_view) { ++talking; };
        result = sandbox.execute(request);
      });
    }
    if (!becomes_true(10s, [&] { return talking == results.size(); })) return "they did not start";
    const auto killed = Clock::now();
    signal_all(spawners_of(::getpid()), SIGKILL);
    threads.clear();
    if (Clock::now() - killed > 3s) return "it took too long";
    for (const ExecutionResult& result : results) {
      const Json seen = Json::parse(to_json(result));
      if (seen["meta"]["cause"] != "infrastructure_lost" || seen["stdout"] != "early\n" ||
          !seen["error"].is_object())
        return seen.dump();
    }
    if (!processes_marked(marker).empty()) return "a box has outlived the spawner";
    const Json next = Json::parse(to_json(sandbox.execute(bash("echo next"))));
    return next["stdout"] == "next\n" ? "" : next.dump();
  };
  expect_silence(body);
  EXPECT_THAT(processes_marked(marker), IsEmpty());
}

TEST_P(NativeSpawner, HoldsNobodyUpWhenItIsStopped) {
  const auto body = []() -> std::string {
    ::setenv("LAZARET_POOL_MOST", "0", 1);  // who makes ahead would find it out before us
    CodeSandbox sandbox = sandbox_on("native");
    if (sandbox.execute(bash("echo first")).stdout_text != "first\n") return "no first run";
    const std::vector<pid_t> stopped = spawners_of(::getpid());
    if (stopped.size() != 2) return "not two processes";
    signal_all(stopped, SIGSTOP);
    const auto begun = Clock::now();
    const Json refused = Json::parse(to_json(sandbox.execute(bash("echo second"))));
    if (Clock::now() - begun > 7s) return "it took too long";
    if (refused["meta"]["cause"] != "infrastructure_lost" || refused["stdout"] != "" ||
        !refused["error"].is_object())
      return refused.dump();
    const Json next = Json::parse(to_json(sandbox.execute(bash("echo third"))));
    if (next["stdout"] != "third\n") return next.dump();
    const bool gone = becomes_true(10s, [&stopped] { return are_gone(stopped); });
    return gone ? "" : "the stopped spawner is still there";
  };
  expect_silence(body);
}

TEST_P(NativeSpawner, IsNotNeededForTheEndOfARunThatItHasStarted) {
  const auto body = []() -> std::string {
    CodeSandbox sandbox = sandbox_on("native");
    ExecutionRequest request = bash("echo ready; sleep 0.3; echo done");
    std::vector<pid_t> stopped;
    request.on_output = [&stopped](Stream, std::string_view) {
      if (!stopped.empty()) return;
      stopped = spawners_of(::getpid());
      signal_all(stopped, SIGSTOP);
    };
    const auto begun = Clock::now();
    const Json seen = Json::parse(to_json(sandbox.execute(request)));
    const auto took = Clock::now() - begun;
    signal_all(stopped, SIGKILL);
    if (took > 4s) return "it took too long";
    return seen["stdout"] == "ready\ndone\n" && seen["exit_code"] == 0 ? "" : seen.dump();
  };
  expect_silence(body);
}

// Says which processors it may use, and then waits to be ended.
ExecutionRequest where(const std::stop_token& stop) {
  ExecutionRequest request = bash("grep -o 'list:.*' /proc/self/status | head -1; sleep 60");
  request.limits.timeout = 120s;
  request.stop = stop;
  return request;
}

// So many at once; what is done when all have said something, before they are ended. It says how
// many end by it: those are waited for, or the end that we ask for would be sooner.
std::vector<ExecutionResult> at_once(unsigned count, const std::function<std::size_t()>& then) {
  ::setenv("LAZARET_POOL_MOST", "0", 1);
  const CodeSandbox sandbox = sandbox_on("native");
  std::vector<ExecutionResult> results(count);
  std::atomic<unsigned> talking = 0, over = 0;
  std::stop_source end;
  std::vector<std::jthread> threads;
  for (ExecutionResult& result : results) {
    threads.emplace_back([&] {
      ExecutionRequest request = where(end.get_token());
      request.on_output = [&talking](Stream, std::string_view) { ++talking; };
      result = sandbox.execute(request);
      ++over;
    });
  }
  if (becomes_true(60s, [&] { return talking == results.size(); })) {
    const std::size_t ended = then();
    (void)becomes_true(10s, [&] { return over >= ended; });
  }
  end.request_stop();
  threads.clear();
  return results;
}

std::string complaint_of_places(const std::vector<ExecutionResult>& results, int of_each) {
  std::map<std::string, int> places;
  for (const ExecutionResult& result : results) ++places[result.stdout_text];
  for (const auto& [place, count] : places) {
    const bool is_one = place.find_first_of(",-") == std::string::npos;
    if (count != of_each || !is_one) return std::to_string(count) + " on " + place;
  }
  return "";
}

// P-53
TEST_P(NativeSpawner, HasBoxesOnAllProcessorsBeforeAnyHasTwo) {
  expect_silence([]() -> std::string {
    return complaint_of_places(at_once(os::processors(), [] { return std::size_t{0}; }), 1);
  });
}

TEST_P(NativeSpawner, IsOneForEachProcessorWhereManyRunAtOnce) {
  const unsigned processors = std::min(os::processors(), 16U);
  expect_silence([processors]() -> std::string {
    std::size_t spawners = 0;
    const auto results = at_once(3 * os::processors(), [&spawners] {
      spawners = spawners_of(::getpid()).size();
      return std::size_t{0};
    });
    if (spawners != 2 * processors) return std::to_string(spawners) + " processes";
    return complaint_of_places(results, 3);
  });
}

TEST_P(NativeSpawner, TakesNobodyAlongButItsOwnBoxes) {
  if (os::processors() < 2) GTEST_SKIP() << "there is but one spawner";
  expect_silence([]() -> std::string {
    std::size_t own = 0;
    const auto results = at_once(3 * os::processors(), [&own] {
      const std::vector<pid_t> all = spawners_of(::getpid());
      const auto one = std::ranges::find(all, ::getpid(), parent_of);
      if (one == all.end()) return own;
      const auto inner = std::ranges::find(all, *one, parent_of);
      if (inner != all.end()) own = children_of(*inner);
      signal_all({*one}, SIGKILL);
      (void)becomes_true(10s, [&] { return are_gone({*one, *inner}); });
      return own;
    });
    const auto lost = static_cast<std::size_t>(std::ranges::count_if(
        results,
        [](const auto& result) { return result.meta.cause == Cause::infrastructure_lost; }));
    if (own > 0 && own < results.size() && lost == own) return "";
    return std::to_string(lost) + " runs were lost with " + std::to_string(own) + " boxes";
  });
}

// P-04
TEST_P(NativeSpawner, GoesWithLazaretAndSoDoItsBoxes) {
  const std::string marker = unique_marker();
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t watcher = ::fork();
  if (watcher == 0) {
    (void)in_child(GetParam(), [&] {
      const pid_t self = ::getpid();
      (void)!::write(told[1], &self, sizeof self);
      return to_json(sandbox_on("native").execute(endless(marker)));
    });
    ::_exit(0);
  }
  pid_t lazaret = -1;
  ASSERT_EQ(::read(told[0], &lazaret, sizeof lazaret), static_cast<ssize_t>(sizeof lazaret));
  EXPECT_TRUE(becomes_true(10s, [&] { return !processes_marked(marker).empty(); }));
  const std::vector<pid_t> spawners = spawners_of(lazaret);
  EXPECT_EQ(spawners.size(), 2U);
  ::kill(lazaret, SIGKILL);
  EXPECT_TRUE(
      becomes_true(10s, [&] { return are_gone(spawners) && processes_marked(marker).empty(); }));
  ::waitpid(watcher, nullptr, 0);
  ::close(told[0]), ::close(told[1]);
}

// P-55: what a fork has of a sandbox is a copy, and the boxes of neither are the other's.
TEST_P(NativeSpawner, ServesAForkOfItsCallerWithBoxesOfHisOwn) {
  expect_silence([]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    const auto failures = [&sandbox] {
      int count = 0;
      for (int run = 0; run < 20; ++run) count += sandbox.execute(bash("true")).success() ? 0 : 1;
      return count;
    };
    if (failures() != 0) return "it does not work at all";
    const pid_t fork = ::fork();
    if (fork == 0) ::_exit(failures());
    const int ours = failures();
    int status = -1;
    ::waitpid(fork, &status, 0);
    if (ours == 0 && status == 0 && failures() == 0) return "";
    return std::to_string(ours) + " runs failed here, status there " + std::to_string(status);
  });
}

// P-04: a fork that lives on keeps sockets open, not boxes.
TEST_P(NativeSpawner, OutlivesNoCallerWhoseForkLivesOn) {
  const std::string marker = unique_marker();
  expect_silence([&marker]() -> std::string {
    int forked[2], held[2];
    if (::pipe(forked) != 0 || ::pipe(held) != 0) return "pipe";
    const pid_t caller = ::fork();
    if (caller == 0) {
      ::close(held[1]);
      ExecutionRequest request = endless(marker);
      request.on_output = [&forked, &held](Stream, std::string_view) {
        char byte = 'f';
        if (::fork() != 0) return;
        (void)!::write(forked[1], &byte, 1);
        (void)!::read(held[0], &byte, 1);  // until this test is over
        ::_exit(0);
      };
      (void)sandbox_on("native").execute(request);
      ::_exit(0);
    }
    char byte = 0;
    const bool runs = ::read(forked[0], &byte, 1) == 1 &&
                      becomes_true(10s, [&] { return !processes_marked(marker).empty(); });
    ::kill(caller, SIGKILL);
    ::waitpid(caller, nullptr, 0);
    const bool gone = becomes_true(5s, [&] { return processes_marked(marker).empty(); });
    ::close(held[1]);
    if (!runs) return "it did not start";
    return gone ? "" : "the box lives on";
  });
}

// EMFILE at each descriptor that a run takes, with a new spawner and with an old one.
TEST_P(NativeSpawner, RefusesClearlyForWantOfDescriptorsAndLeaksNone) {
  const auto body = []() -> std::string {
    ::setenv("LAZARET_POOL_MOST", "0", 1);  // its threads would want descriptors meanwhile
    unsigned refused = 0, done = 0;
    for (const bool is_started : {false, true}) {
      for (rlim_t more = 0; more < 40; ++more) {
        CodeSandbox sandbox = sandbox_on("native");
        if (is_started && sandbox.execute(bash("echo warm")).exit_code != 0) return "no first run";
        const std::size_t before = descriptors_of(::getpid());
        rlimit whole{};
        ::getrlimit(RLIMIT_NOFILE, &whole);
        const rlimit scarce{before - 1 + more, whole.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &scarce);
        const Json seen = Json::parse(to_json(sandbox.execute(bash("echo here"))));
        ::setrlimit(RLIMIT_NOFILE, &whole);
        const std::string what = std::to_string(more) + " more descriptors: " + seen.dump();
        if (seen["stdout"] == "here\n" && seen["exit_code"] == 0) {
          ++done;
        } else if (seen["stdout"] == "" && seen["error"].is_object()) {
          ++refused;
        } else {
          return what;
        }
        const std::size_t spawner = is_started ? 0 : 2;  // its socket and its pidfd stay
        if (descriptors_of(::getpid()) > before + spawner) return "leaked with " + what;
        if (sandbox.execute(bash("echo again")).exit_code != 0) return "no run after " + what;
      }
    }
    return refused >= 10 && done >= 10
               ? ""
               : std::to_string(refused) + " refused, " + std::to_string(done) + " done";
  };
  expect_silence(body);
}

}  // namespace
}  // namespace lazaret::test
