#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "unit/runner_program/bench.hpp"

namespace lazaret::runner {
namespace {

using test::Bench;
using test::soon;
using Clock = std::chrono::steady_clock;

std::uint64_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  }
  return 0;
}

TEST(Supervisor, CarriesStandardInputToItsEnd) {
  Bench bench;
  ASSERT_TRUE(bench.start(bench.job({"cat"})).ok());
  ASSERT_TRUE(bench.client().send_stdin(bytes_of("input\n"), soon()).ok());
  ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, "input\n");
  EXPECT_EQ(bench.sink.credited, 6U);
}

TEST(Supervisor, CarriesMoreInputThanAnyBufferByCredit) {
  Bench bench;
  const std::string input(1 << 20, 'i');
  std::size_t sent = 0;
  const auto send = [&](std::uint32_t window) {
    const std::size_t size = std::min<std::size_t>(window, input.size() - sent);
    if (size == 0) return;
    ASSERT_TRUE(bench.client().send_stdin(bytes_of(input).subspan(sent, size), soon()).ok());
    sent += size;
    if (sent < input.size()) return;
    ASSERT_TRUE(bench.client().end_stdin(soon()).ok());
  };
  bench.sink.on_credit = send;
  ASSERT_TRUE(bench.start(bench.job({"wc", "-c"})).ok());
  send(kStdinWindow);
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out, std::to_string(input.size()) + "\n");
}

TEST(Supervisor, TakesInputThatNobodyReadsAndDropsIt) {
  Bench bench;
  ASSERT_TRUE(
      bench.start_shell("exec 0<&-; printf closed; read line <&3 2>/dev/null; sleep 0.3").ok());
  bench.sink.on_output = [&] {
    for (int index = 0; index < 4; ++index) {
      ASSERT_TRUE(bench.client().send_stdin(bytes_of(std::string(1000, 'x')), soon()).ok());
    }
  };
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.credited, 4000U);
}

TEST(Supervisor, BreaksOffWhenMoreInputComesThanTheWindow) {
  Bench bench;
  ASSERT_TRUE(bench.start(bench.job({"sleep", "30"})).ok());
  // The pipe takes 64 KiB, the window as much again; what is beyond both was never asked for.
  for (int index = 0; index < 4; ++index) {
    (void)bench.client().send_stdin(bytes_of(std::string(kStdinWindow, 'x')), soon()).ok();
  }
  EXPECT_FALSE(bench.await().ok());
  EXPECT_EQ(bench.process.finish(), 1);
}

// Not being init, the runner cannot reach what has left the group; it waits for it, but not for
// long.
TEST(Supervisor, WaitsABoundedTimeForAGrandchildThatHoldsTheStreams_P13) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("setsid sleep 4 & echo last; sleep 0.2; exit 2").code, 2U);
  EXPECT_EQ(bench.sink.out, "last\n");
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(3900));
}

TEST(Supervisor, WaitsABoundedTimeForAGrandchildThatNeverStopsWriting_P13) {
  Bench bench;
  const auto begin = Clock::now();
  EXPECT_EQ(bench.run_shell("setsid timeout 6 yes & sleep 0.2; exit 2").code, 2U);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(5500));
}

TEST(Supervisor, CarriesTenMegabytesToAHostThatReadsLateWithoutHoldingThem) {
  Bench bench;
  const std::string script =
      "head -c 10485760 /dev/urandom > data; sha256sum data | cut -c1-64 >&2; cat data";
  ASSERT_TRUE(bench.start_shell(script).ok());
  const std::uint64_t before = resident_kib(bench.process.pid());
  // A slow host: it does not look for a while, and then takes its time with each piece.
  EXPECT_EQ(
      bench.client().await(bench.sink, Call{}.within(std::chrono::milliseconds(0))).error().code(),
      Errc::timed_out);
  std::uint64_t most = 0;
  bench.sink.on_output = [&] { most = std::max(most, resident_kib(bench.process.pid())); };
  EXPECT_EQ(bench.exited().code, 0U);
  EXPECT_EQ(bench.sink.out.size(), 10'485'760U);
  EXPECT_EQ(to_hex(sha256(bytes_of(bench.sink.out))) + "\n", bench.sink.err);
  EXPECT_LT(most, before + 2048);
}

// Writes until everything between it and the host is full, notes how much that was, and ends.
constexpr const char* kFill = R"(
import os, time
os.set_blocking(1, False)
total, end = 0, time.monotonic() + 1
while time.monotonic() < end:
    try:
        total += os.write(1, b"x" * 4096)
    except BlockingIOError:
        time.sleep(0.01)
open("total", "w").write(str(total))
)";

TEST(Supervisor, LosesNothingOfAProgramThatEndedWhileTheHostWasSlow) {
  Bench bench;
  ASSERT_TRUE(bench.start(bench.job({"python3", "-c", kFill})).ok());
  bool waited = false;
  bench.sink.on_output = [&] {
    if (std::exchange(waited, true)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));  // WHY: being slow is the case
  };
  EXPECT_EQ(bench.exited().code, 0U);
  std::size_t total = 0;
  std::ifstream(bench.place.path("total")) >> total;
  EXPECT_GT(total, 300'000U);
  EXPECT_EQ(bench.sink.out.size(), total);
}

}  // namespace
}  // namespace lazaret::runner
