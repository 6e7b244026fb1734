#include "core/cause.hpp"

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

using runner::Exited;

constexpr std::uint32_t kAbort = 6, kKill = 9, kSegmentation = 11, kTerm = 15, kCpu = 24,
                        kFileSize = 25;

runner::Ending exit_with(std::uint32_t code) { return Exited{Exited::How::exit, code, 0, 0}; }
runner::Ending signal_by(std::uint32_t number) { return Exited{Exited::How::signal, number, 0, 0}; }

using Limit = std::optional<std::chrono::seconds>;

Cause cause(backend::Autopsy autopsy, std::optional<runner::Ending> ending, Limit cpu_limit = {}) {
  return cause_of({OwnDecision::none, std::move(autopsy), std::move(ending), cpu_limit, false});
}
Cause plain(runner::Ending ending) { return cause({}, std::move(ending)); }
backend::Autopsy seen(bool memory_kill, bool pids_refused) {
  backend::Autopsy autopsy;
  autopsy.usage.memory_kills = memory_kill;
  autopsy.usage.pids_refusals = pids_refused;
  return autopsy;
}
backend::Autopsy memory_kill() { return seen(true, false); }
backend::Autopsy pids_refused() { return seen(false, true); }
backend::Autopsy used(std::uint64_t cpu_ms) {
  backend::Autopsy autopsy;
  autopsy.usage.cpu_ms = cpu_ms;
  return autopsy;
}

TEST(Cause, IsExitedForStatusZero) { EXPECT_EQ(plain(exit_with(0)), Cause::exited); }

TEST(Cause, IsNonzeroExitForEveryOtherStatus_P17) {
  for (std::uint32_t code = 1; code <= 255; ++code)
    EXPECT_EQ(plain(exit_with(code)), Cause::nonzero_exit) << code;
}

TEST(Cause, ReadsNothingIntoAProgramsOwn124And137_P15_P17) {
  EXPECT_EQ(plain(exit_with(124)), Cause::nonzero_exit);
  EXPECT_EQ(plain(exit_with(137)), Cause::nonzero_exit);
  EXPECT_EQ(cause({}, exit_with(137), std::chrono::seconds(1)), Cause::nonzero_exit);
}

TEST(Cause, IsSignalledForSignalsThatWereNotOurs) {
  EXPECT_EQ(plain(signal_by(kSegmentation)), Cause::signalled);
  EXPECT_EQ(plain(signal_by(kAbort)), Cause::signalled);
  EXPECT_EQ(plain(signal_by(kTerm)), Cause::signalled);
  EXPECT_EQ(plain(signal_by(64)), Cause::signalled);
}

TEST(Cause, IsNoMemoryKillForSigkillWithoutACounter_P15) {
  EXPECT_EQ(plain(signal_by(kKill)), Cause::signalled);
}

TEST(Cause, IsOurOwnDecisionBeforeEverythingElse_P15) {
  for (const auto& ending : {exit_with(0), exit_with(137), signal_by(kKill), signal_by(kCpu)}) {
    EXPECT_EQ(cause_of({OwnDecision::timeout, memory_kill(), ending, {}, false}), Cause::timeout);
    EXPECT_EQ(cause_of({OwnDecision::cancelled, memory_kill(), ending, {}, false}),
              Cause::cancelled);
  }
  EXPECT_EQ(cause_of({OwnDecision::timeout, pids_refused(), std::nullopt, {}, false}),
            Cause::timeout);
  EXPECT_EQ(cause_of({OwnDecision::cancelled, {}, std::nullopt, {}, false}), Cause::cancelled);
}

TEST(Cause, IsOutputByOurOwnDecisionHoweverTheProgramEnded) {
  for (const auto& ending : {exit_with(0), exit_with(1), signal_by(kTerm)})
    EXPECT_EQ(cause_of({OwnDecision::output, {}, ending, {}, false}), Cause::output_limit);
  EXPECT_EQ(cause_of({OwnDecision::output, memory_kill(), {}, {}, false}), Cause::output_limit);
}

TEST(Cause, IsMemoryByTheKernelsCounter_P15_P16) {
  EXPECT_EQ(cause(memory_kill(), signal_by(kKill)), Cause::memory_limit);
  EXPECT_EQ(cause(memory_kill(), exit_with(137)), Cause::memory_limit);
  EXPECT_EQ(cause(memory_kill(), exit_with(1)), Cause::memory_limit);
}

TEST(Cause, IsMemoryWhenTheKillTookTheRunnerToo_P16) {
  EXPECT_EQ(cause(memory_kill(), std::nullopt), Cause::memory_limit);
}

TEST(Cause, IsExitedWhenTheProgramOutlivedAMemoryKillOfItsChild) {
  EXPECT_EQ(cause(memory_kill(), exit_with(0)), Cause::exited);
}

TEST(Cause, IsMemoryBeforePids_P15) {
  EXPECT_EQ(cause(seen(true, true), exit_with(1)), Cause::memory_limit);
}

TEST(Cause, IsPidsWhenATaskWasRefusedAndTheProgramFailed_P15) {
  EXPECT_EQ(cause(pids_refused(), exit_with(1)), Cause::pids_limit);
  EXPECT_EQ(cause(pids_refused(), signal_by(kAbort)), Cause::pids_limit);
}

TEST(Cause, IsExitedWhenTheProgramCopedWithARefusedTask) {
  EXPECT_EQ(cause(pids_refused(), exit_with(0)), Cause::exited);
}

TEST(Cause, IsCpuForSigxcpuOnceTheTimeIsUsedUp) {
  const std::chrono::seconds limit(2);
  EXPECT_EQ(cause(used(2000), signal_by(kCpu), limit), Cause::cpu_limit);
  EXPECT_EQ(cause(used(1000), signal_by(kCpu), limit), Cause::cpu_limit);  // by ticks it was all
}

TEST(Cause, IsSignalledForAForgedSigxcpu) {
  const std::chrono::seconds limit(2);
  EXPECT_EQ(cause(used(999), signal_by(kCpu), limit), Cause::signalled);
  EXPECT_EQ(cause(used(9999), signal_by(kCpu)), Cause::signalled);  // there is no limit
  EXPECT_EQ(cause({}, signal_by(kCpu), limit), Cause::signalled);   // nobody has measured
}

TEST(Cause, IsCpuForSigkillOnceTheTimeIsUsedUp) {
  const std::chrono::seconds limit(2);
  EXPECT_EQ(cause(used(2000), signal_by(kKill), limit), Cause::cpu_limit);
  EXPECT_EQ(cause(used(1999), signal_by(kKill), limit), Cause::signalled);
  EXPECT_EQ(cause(used(9999), signal_by(kKill)), Cause::signalled);
  EXPECT_EQ(cause({}, signal_by(kKill), limit), Cause::signalled);
}

TEST(Cause, IsFileSizeForSigxfszWhileFilesAreLimited) {
  Death death{OwnDecision::none, {}, signal_by(kFileSize), {}, true};
  EXPECT_EQ(cause_of(death), Cause::file_size_limit);
  death.file_size_limited = false;
  EXPECT_EQ(cause_of(death), Cause::signalled);
}

TEST(Cause, IsFileSizeWhereAProgramFailsAndAFileIsAsLargeAsOneMayBe) {
  using How = Exited::How;
  const auto cause_where = [](bool limited, const Exited& exited) {
    return cause_of(Death{OwnDecision::none, {}, exited, {}, limited});
  };
  constexpr auto kFile = Exited::Full::file;
  EXPECT_EQ(cause_where(true, {How::exit, 1, 0, 0, false, kFile}), Cause::file_size_limit);
  EXPECT_EQ(cause_where(false, {How::exit, 1, 0, 0, false, kFile}), Cause::nonzero_exit);
  EXPECT_EQ(cause_where(true, {How::exit, 0, 0, 0, false, kFile}), Cause::exited);
  EXPECT_EQ(cause_where(true, {How::signal, 6, 0, 0, false, kFile}), Cause::file_size_limit);
  EXPECT_EQ(cause_where(false, {How::signal, 6, 0, 0, false, kFile}), Cause::signalled);
  EXPECT_EQ(cause_where(true, {How::signal, 11, 0, 0, false, kFile}), Cause::signalled);
  EXPECT_EQ(cause_where(true, {How::signal, 7, 0, 0, false, kFile}), Cause::signalled);
}

TEST(Cause, IsDiskWhereAProgramFailsAndNothingIsFree) {
  using How = Exited::How;
  for (const auto full : {Exited::Full::bytes, Exited::Full::files}) {
    EXPECT_EQ(plain(Exited{How::exit, 1, 0, 0, false, full}), Cause::disk_limit);
    EXPECT_EQ(plain(Exited{How::signal, 7, 0, 0, false, full}), Cause::disk_limit);
    EXPECT_EQ(plain(Exited{How::signal, 6, 0, 0, false, full}), Cause::disk_limit);
    EXPECT_EQ(plain(Exited{How::signal, 11, 0, 0, false, full}), Cause::signalled);
    EXPECT_EQ(plain(Exited{How::exit, 0, 0, 0, false, full}), Cause::exited);
  }
  EXPECT_EQ(plain(Exited{How::exit, 1, 0, 0}), Cause::nonzero_exit);
  EXPECT_EQ(plain(signal_by(7)), Cause::signalled);
}

TEST(Cause, IsStartFailedWhenTheRunnerSaysSo) {
  EXPECT_EQ(plain(runner::Failed{"exec", 2}), Cause::start_failed);
  EXPECT_EQ(plain(runner::Failed{"file", 17}), Cause::start_failed);
}

TEST(Cause, IsInfrastructureLostWhenNobodyTold_P13_P20) {
  EXPECT_EQ(cause({}, std::nullopt), Cause::infrastructure_lost);
}

TEST(SignalName, IsLinuxsOwnAndANumberWhereThereIsNone) {
  EXPECT_EQ(signal_name(1), "SIGHUP");
  EXPECT_EQ(signal_name(9), "SIGKILL");
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(25), "SIGXFSZ");
  EXPECT_EQ(signal_name(31), "SIGSYS");
  EXPECT_EQ(signal_name(32), "signal 32");
  EXPECT_EQ(signal_name(0), "signal 0");
  EXPECT_EQ(signal_name(-1), "signal -1");
}

TEST(Cause, FindsASignalByItsNameInBothForms) {
  for (int number = 1; number <= 31; ++number) {
    EXPECT_EQ(signal_number(signal_name(number)), number);
    EXPECT_EQ(signal_number(signal_name(number).substr(3)), number);
  }
  for (const char* const name : {"", "SIG", "TER", "SIGSIGTERM", "term", "15", "signal 32"})
    EXPECT_EQ(signal_number(name), 0) << name;
}

}  // namespace
}  // namespace lazaret::core
