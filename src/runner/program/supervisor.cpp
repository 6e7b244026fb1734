#include "runner/program/supervisor.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "os/landlock.hpp"

namespace lazaret::runner {
namespace {

constexpr std::uint32_t kKillSignal = 9;
// After the program's end its output is read to the end of the streams; should something that
// cannot be killed at once keep one open, this is how long it is waited for (P-13).
constexpr std::chrono::milliseconds kDrain{1000};
// The most that a pipe can hold for an ordinary user (pipe(7), pipe-max-size).
constexpr std::size_t kPipeBytes = 1UL << 20;

}  // namespace

Status Supervisor::run() {
  outbox_.put(FrameType::hello, encode(Hello{kProtocolVersion, os::process_id()}));
  // Before anything else is said of the box: what is denied here is denied to all that follows.
  const auto restricted = os::restrict_access();
  os::SelfReport report = os::self_report();
  report.text += "landlock=" + std::to_string(restricted.ok() ? *restricted : 0) + "\n";
  const Bytes text = bytes_of(report.text);
  outbox_.put(FrameType::report, text.first(std::min(text.size(), kReportBytes)));
  ignored_signals_ = report.ignored_signals;
  LAZARET_CHECK(outbox_.flush(handles_.wire_out.get()));
  while (!host_gone_) LAZARET_CHECK(turn());
  return {};
}

Deadline Supervisor::turn_deadline() const { return drain_until_.value_or(Deadline::never()); }

Status Supervisor::turn() {
  enum : std::size_t { kWireIn, kWireOut, kChildren, kStdin, kFirstOutput };
  std::array<os::Watch, kFirstOutput + 3> watches{};
  watches[kWireIn] = {handles_.wire_in.get(), true, false};
  watches[kWireOut] = {handles_.wire_out.get(), false, !outbox_.empty()};
  watches[kChildren] = {handles_.children.get(), true, false};
  watches[kStdin] = {stdin_.get(), false, !pending_stdin_.empty()};
  for (std::size_t index = 0; index < outputs_.size(); ++index) {
    watches[kFirstOutput + index] = {outputs_[index].handle.get(), outbox_.has_room(), false};
  }
  const Status waited = os::wait_ready(watches, Call{turn_deadline(), {}});
  if (!waited.ok() && waited.error().code() != Errc::timed_out) return waited.error();
  for (std::size_t index = 0; index < outputs_.size(); ++index) {
    if (watches[kFirstOutput + index].ready) LAZARET_CHECK(carry(outputs_[index]));
  }
  std::erase_if(outputs_, [](const Output& output) { return !output.handle.valid(); });
  if (drain_until_ && drain_until_->passed()) LAZARET_CHECK(end_drain());
  if (watches[kStdin].ready) feed_stdin();
  if (watches[kChildren].ready) collect_children();
  if (watches[kWireIn].ready) LAZARET_CHECK(take_frames());
  finish();
  return outbox_.flush(handles_.wire_out.get());
}

Status Supervisor::take_frames() {
  LAZARET_TRY(const auto count, os::read_now(handles_.wire_in.get(), reader_.space()));
  if (!count) return {};
  host_gone_ = *count == 0;
  reader_.commit(*count);
  for (;;) {
    LAZARET_TRY(const auto frame, reader_.next());
    if (!frame) return {};
    LAZARET_CHECK(obey(*frame));
  }
}

Status Supervisor::obey(const Frame& frame) {
  if (frame.type == FrameType::job) {
    LAZARET_TRY(const Job job, decode_job(frame.payload));
    return start(job);
  }
  if (frame.type == FrameType::stdin_data) return take_stdin(frame.payload);
  if (frame.type == FrameType::stdin_end) {
    stdin_ended_ = true;
    feed_stdin();
    return {};
  }
  LAZARET_TRY(const std::uint32_t signal, decode_number(frame.payload));
  if (signal == 0 || signal > 64) return Error(Errc::protocol, "no such signal");
  // The program may have ended in the meantime: not an error.
  if (main_) (void)os::signal_all(*main_, signal).ok();
  return {};
}

Status Supervisor::start(const Job& job) {
  if (std::exchange(had_job_, true)) return Error(Errc::protocol, "a box runs one job");
  const Status launched = launch(job);
  if (launched.ok()) return {};
  outputs_.clear();
  stdin_.reset();
  const Error& error = launched.error();
  const std::string step = error.code() == Errc::start_failed ? error.message() : "file";
  outbox_.put(FrameType::failed, encode(Failed{step, error.os_error()}));
  return {};
}

Status Supervisor::launch(const Job& job) {
  LAZARET_CHECK(os::shut_off());
  for (const Job::File& file : job.files) {
    LAZARET_CHECK(os::write_new_file(file.path, file.content));
  }
  LAZARET_TRY(auto input, os::make_pipe());
  LAZARET_CHECK(os::set_nonblocking(input.second.get()));
  std::vector<os::Handle> theirs;
  os::SpawnRequest request{.argv = job.argv,
                           .environment = job.environment,
                           .working_directory = job.working_directory,
                           .handles = {},
                           .cpu_seconds = job.cpu_seconds,
                           .ignored_signals = ignored_signals_};
  request.handles[0] = input.first.get();
  const FrameType types[] = {FrameType::stdout_data, FrameType::stderr_data, FrameType::value_data};
  for (std::size_t index = 0; index < std::size(types); ++index) {
    LAZARET_TRY(auto pipe, os::make_pipe());
    LAZARET_CHECK(os::set_nonblocking(pipe.first.get()));
    outputs_.push_back({std::move(pipe.first), types[index]});
    request.handles[index + 1] = pipe.second.get();
    theirs.push_back(std::move(pipe.second));
  }
  LAZARET_TRY(main_, os::spawn(request));
  stdin_ = std::move(input.second);
  outbox_.put(FrameType::started, encode(static_cast<std::uint32_t>(*main_)));
  return {};
}

Status Supervisor::take_stdin(Bytes bytes) {
  if (pending_stdin_.size() + bytes.size() > kStdinWindow) {
    return Error(Errc::protocol, "more standard input than was asked for");
  }
  pending_stdin_.insert(pending_stdin_.end(), bytes.begin(), bytes.end());
  feed_stdin();
  return {};
}

void Supervisor::feed_stdin() {
  std::size_t taken = pending_stdin_.size();
  if (stdin_.valid() && taken > 0) {
    const auto written = os::write_now(stdin_.get(), pending_stdin_);
    // Nobody reads any more: what comes is taken and dropped, so that the host never blocks.
    if (!written.ok()) stdin_.reset();
    if (written.ok()) taken = *written;
  }
  pending_stdin_.erase(pending_stdin_.begin(),
                       pending_stdin_.begin() + static_cast<std::ptrdiff_t>(taken));
  if (taken > 0) outbox_.put(FrameType::stdin_credit, encode(static_cast<std::uint32_t>(taken)));
  if (stdin_ended_ && pending_stdin_.empty()) stdin_.reset();
}

Status Supervisor::carry(Output& output) {
  const auto count = os::read_now(output.handle.get(), outbox_.reserve());
  outbox_.commit(output.type, count.ok() && *count ? **count : 0);
  if (!count.ok()) return count.error();
  if (*count && **count == 0) output.handle.reset();
  return {};
}

// However slow the host and however busy a survivor: what is in the pipes now is still carried.
Status Supervisor::end_drain() {
  for (Output& output : outputs_) {
    for (std::size_t taken = 0; taken < kPipeBytes && output.handle.valid();
         taken += kStreamBytes) {
      LAZARET_CHECK(carry(output));
    }
  }
  outputs_.clear();
  return {};
}

void Supervisor::collect_children() {
  while (const auto ended = os::reap(handles_.children.get())) {
    if (main_ && ended->pid == *main_) main_ended(*ended);
  }
}

void Supervisor::main_ended(const os::Ended& ended) {
  exited_ = Exited{ended.by_signal ? Exited::How::signal : Exited::How::exit, ended.code, 0, 0};
  // The program is over when its first process is; what it left behind goes with it (P-03).
  (void)os::signal_all(*main_, kKillSignal).ok();
  drain_until_ = Deadline::after(kDrain);
  stdin_.reset();
}

void Supervisor::finish() {
  if (!exited_ || !outputs_.empty()) return;
  collect_children();
  const os::TreeUsage usage = os::tree_usage();
  exited_->cpu_us = usage.cpu_us;
  exited_->peak_rss_kib = usage.peak_rss_kib;
  outbox_.put(FrameType::exited, encode(*exited_));
  exited_.reset();
  main_.reset();
  drain_until_.reset();
}

}  // namespace lazaret::runner
