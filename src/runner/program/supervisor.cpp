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
// Who has taken his leave is gone by then, or does something else.
constexpr std::chrono::milliseconds kLeave{100};
// What a program says that was waited for is as a rule followed by its end, sooner than this.
constexpr std::chrono::milliseconds kMoment{1};
// The most that a pipe can hold for an ordinary user (pipe(7), pipe-max-size).
constexpr std::size_t kPipeBytes = 1UL << 20;

// What was full before is no news of this program.
Exited::Full full_now(const os::ScratchState& before) {
  const std::uint32_t since = os::scratch_state().shortage & ~before.shortage;
  if ((since & ~os::kOfFiles) != 0) return Exited::Full::bytes;
  if (since != 0) return Exited::Full::files;
  return os::largest_file_ns() > before.time_ns ? Exited::Full::file : Exited::Full::nothing;
}

// It reads until the end of the pipe, so that writing needs no patience.
Status tell(os::RawHandle pipe, std::string_view word) {
  for (Bytes left = bytes_of(word); !left.empty();) {
    const auto count = os::write_now(pipe, left);
    if (!count.ok())
      return Error(Errc::start_failed, std::string(kHandOver))
          .with_os_error(count.error().os_error());
    left = left.subspan(*count);
  }
  return {};
}

}  // namespace

Status Supervisor::run() {
  outbox_.put(FrameType::hello, encode(Hello{kProtocolVersion, os::process_id()}));
  // Before anything else is said of the box: what is denied here is denied to all that follows.
  const auto restricted = os::restrict_access();
  os::SelfReport report = os::self_report(subprocess_, known_);
  report.text += "landlock=" + std::to_string(restricted.ok() ? *restricted : 0) + "\n";
  const Bytes text = bytes_of(report.text);
  outbox_.put(FrameType::report, text.first(std::min(text.size(), kReportBytes)));
  ignored_signals_ = report.ignored_signals;
  LAZARET_CHECK(outbox_.flush(handles_.wire_out.get()));
  while (!host_gone_) LAZARET_CHECK(turn());
  return {};
}

Deadline Supervisor::turn_deadline() const {
  if (exporter_ && outbox_.has_room()) return Deadline::after({});
  if (tells_at_) return *tells_at_;
  if (drain_until_) return *drain_until_;
  return leaves_until_ ? *leaves_until_ : types_end_at_.value_or(Deadline::never());
}

Status Supervisor::turn() {
  enum : std::size_t {
    kWireIn,
    kWireOut,
    kChildren,
    kStdin,
    kWord,
    kFarewell,
    kEvents,
    kFirstOutput,
  };
  std::array<os::Watch, kFirstOutput + 3> watches{};
  watches[kWireIn] = {handles_.wire_in.get(), true, false};
  watches[kWireOut] = {handles_.wire_out.get(), false, !outbox_.empty() && !tells_at_};
  watches[kChildren] = {handles_.children.get(), true, false};
  watches[kStdin] = {stdin_.get(), false, !pending_stdin_.empty()};
  if (cell_) watches[kWord] = {cell_->words.get(), false, !cell_->word.empty()};
  if (cell_) watches[kFarewell] = {cell_->farewells.get(), true, false};
  if (watch_) watches[kEvents] = {watch_->handle(), outbox_.has_room(), false};
  for (std::size_t index = 0; index < outputs_.size(); ++index) {
    watches[kFirstOutput + index] = {outputs_[index].handle.get(), outbox_.has_room(), false};
  }
  const Status waited = os::wait_ready(watches, Call{turn_deadline(), {}});
  if (!waited.ok() && waited.error().code() != Errc::timed_out) return waited.error();
  for (std::size_t index = 0; index < outputs_.size(); ++index) {
    Output& output = outputs_[index];
    if (!watches[kFirstOutput + index].ready) continue;
    if (awaited_.empty()) {
      LAZARET_CHECK(carry(output));
    } else {
      LAZARET_CHECK(hear_waiting(output));
    }
  }
  std::erase_if(outputs_, [](const Output& output) { return !output.handle.valid(); });
  if (drain_until_ && drain_until_->passed()) {
    LAZARET_CHECK(carry_rest());
    outputs_.clear();
  }
  if (leaves_until_ && leaves_until_->passed()) end_leaver();
  if (types_end_at_ && types_end_at_->passed()) type_end(1);
  if (watches[kStdin].ready) feed_stdin();
  if (watches[kWord].ready) cell_->feed();
  if (watches[kFarewell].ready) LAZARET_CHECK(hear_cell());
  if (watches[kEvents].ready) tell_events(Room::of_the_outbox);
  if (watches[kChildren].ready) collect_children();
  if (watches[kWireIn].ready) LAZARET_CHECK(take_frames());
  while (exporter_ && outbox_.has_room()) {
    if (!exporter_->step(outbox_)) exporter_.reset();
  }
  finish();
  return tell_host();
}

// To wake the host three times costs more than most programs.
bool Supervisor::may_wait_for_more() const {
  const bool runs = !farewell_.empty() && main_ && !exited_;
  return runs && !is_slow_ && !stdin_.valid() && outbox_.has_little() &&
         !(tells_at_ && tells_at_->passed());
}

Status Supervisor::tell_host() {
  if (!outbox_.empty() && may_wait_for_more()) {
    if (!tells_at_) tells_at_ = Deadline::after(kMoment);
    return {};
  }
  tells_at_.reset();
  LAZARET_CHECK(outbox_.flush(handles_.wire_out.get()));
  is_slow_ = !outbox_.empty();
  return {};
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
  const bool is_input = frame.type == FrameType::stdin_data || frame.type == FrameType::stdin_end;
  if (is_input && had_any_ && !main_) return {};  // of a program that has ended meanwhile
  if (frame.type == FrameType::watch) {
    begin_to_watch();
    return {};
  }
  if (exporter_ && frame.type != FrameType::signal && frame.type != FrameType::resize)
    return Error(Errc::protocol, "something else before all files were given");
  if (frame.type == FrameType::job || frame.type == FrameType::compile) {
    LAZARET_TRY(const Job job, decode_job(frame.payload));
    return start(frame.type, job);
  }
  if (frame.type == FrameType::prepare) {
    LAZARET_TRY(const Job interpreter, decode_job(frame.payload));
    return prepare(interpreter);
  }
  if (frame.type == FrameType::stdin_data) return take_stdin(frame.payload);
  if (frame.type == FrameType::stdin_end) {
    end_stdin();
    return {};
  }
  if (frame.type == FrameType::resize) return obey_size(frame.payload);
  if (frame.type != FrameType::signal) return obey_files(frame);
  LAZARET_TRY(const std::uint32_t signal, decode_number(frame.payload));
  if (signal == 0 || signal > 64) return Error(Errc::protocol, "no such signal");
  // The program may have ended in the meantime: not an error.
  if (main_) (void)send_signal(signal).ok();
  return {};
}

// A compile step once, before the job; the job once, and not before the step is over. Who waits is
// told of a job, and only once he does.
bool Supervisor::may_start(FrameType step, const Job& job) const {
  const bool is_job = step == FrameType::job;
  if (had_job_) return false;
  if (word_.valid()) return is_job && awaited_.empty() && !job.word.empty();
  return !main_ && (is_job || !had_compile_);
}

Status Supervisor::start(FrameType step, const Job& job) {
  if (!may_start(step, job)) return Error(Errc::protocol, "a box runs one job");
  const bool is_job = step == FrameType::job;
  const bool waits = word_.valid();
  (is_job ? had_job_ : had_compile_) = true;
  keeps_box_ = job.keeps_box;
  had_any_ = true;
  cpu_us_before_ = waits ? os::cpu_us_of(*main_) : os::tree_usage().cpu_us;
  scratch_before_ = os::scratch_state();
  // Files are changed by a clock that stands still for milliseconds: where nothing was before,
  // nothing need be told apart.
  if (!had_files_) scratch_before_.time_ns = 0;
  had_files_ = true;
  peak_kib_before_ = keeps_box_ ? os::tree_usage().peak_rss_kib : 0;
  peak_kib_of_main_ = 0;
  // Compilers are several programs; what is denied is denied to what they make.
  const Subprocess subprocess = is_job ? subprocess_ : Subprocess::allow;
  const bool in_context = is_job && !job.context.empty();
  const Status started = waits        ? hand_over(job)
                         : in_context ? enter(job)
                                      : launch(job, subprocess, {});
  if (started.ok())
    outbox_.put(FrameType::started, encode(static_cast<std::uint32_t>(*main_)));
  else
    give_up(started.error());
  if (!started.ok() && keeps_box_) begin_anew();
  if (!is_job) stdin_.reset();
  return {};
}

void Supervisor::give_up(const Error& error) {
  outputs_.clear();
  stdin_.reset();
  theirs_.reset();
  const std::string step = error.code() == Errc::start_failed ? error.message() : "file";
  outbox_.put(FrameType::failed, encode(Failed{step, error.os_error()}));
}

Status Supervisor::prepare(const Job& interpreter) {
  if (main_ || had_job_) return Error(Errc::protocol, "an interpreter is started first, and once");
  LAZARET_TRY(auto word, os::make_pipe());
  const Status launched = launch(interpreter, subprocess_, {word.first.get()});
  if (!launched.ok()) {
    give_up(launched.error());
    return {};
  }
  word_ = std::move(word.second);
  awaited_ = interpreter.word;
  if (awaited_.empty()) say_prepared();
  return {};
}

void Supervisor::say_prepared() {
  sight_ = os::Sight(*main_);
  mark_ = sight_.program_mark();
  outbox_.put(FrameType::prepared, encode(os::resident_kib_of(*main_)));
}

Status Supervisor::hand_over(const Job& job) {
  LAZARET_CHECK(write_files(job));
  LAZARET_CHECK(tell(word_.get(), job.word));
  word_.reset();
  if (!job.keeps_box) farewell_ = job.farewell;
  return {};
}

// Anything else than the word it has to say is what the host hears of it, and takes offence at.
Status Supervisor::hear_waiting(Output& output) {
  if (output.type != FrameType::value_data) {
    LAZARET_CHECK(carry(output));
    return {};
  }
  std::array<std::byte, 64> said;
  LAZARET_TRY(const auto count, os::read_now(output.handle.get(), said));
  const std::string_view text = text_of(Bytes(said).first(count.value_or(0)));
  if (!count) return {};
  if (text.empty() || !awaited_.starts_with(text))
    return Error(Errc::protocol, "the interpreter does not wait");
  awaited_.erase(0, text.size());
  if (awaited_.empty()) say_prepared();
  return {};
}

// Who writes as much as a pipe holds. What an interpreter says of a value is looked at.
Result<bool> Supervisor::move(Output& output) {
  const auto count = outbox_.move(output.type, output.handle.get());
  may_move_ = count.ok();
  if (!may_move_) return carry(output);
  if (*count && **count == 0) output.handle.reset();
  return count->value_or(0) > 0;
}

Result<bool> Supervisor::carry(Output& output) {
  if (may_move_ && output.is_wide && output.type != FrameType::value_data) return move(output);
  const std::span<std::byte> space = outbox_.reserve();
  const auto count = os::read_now(output.handle.get(), space);
  std::size_t size = count.ok() && *count ? **count : 0;
  if (size == space.size() && !output.is_terminal && !std::exchange(output.is_wide, true))
    os::widen(output.handle.get());
  const bool leaves = output.type == FrameType::value_data && !farewell_.empty() &&
                      text_of(Bytes(space).first(size)).ends_with(farewell_);
  if (leaves) size -= farewell_.size();
  outbox_.commit(output.type, size);
  if (!count.ok() && !output.is_terminal) return count.error();
  if (!count.ok() || (*count && **count == 0)) output.handle.reset();
  if (leaves) take_leave();
  return count.ok() && count->value_or(0) > 0;
}

// All that is left of it is to free its memory, which takes longer than most programs: it is over
// as if it had done that. The host ends it with the box, once it has answered; one that goes on is
// killed. Where there is or was anybody else all are killed now, and counted when they are gone.
void Supervisor::take_leave() {
  farewell_.clear();
  if (!main_ || exited_) return;
  has_left_ = true;
  peak_kib_of_main_ = sight_.peak_kib();
  const bool is_all = sight_.is_all(mark_);  // it is alive: nobody is told what its children took
  sight_ = {};
  if (!is_all) {
    (void)os::signal_all(*main_, kKillSignal).ok();
    return;
  }
  leaver_ = *main_;
  leaves_until_ = Deadline::after(kLeave);
  end_program({}, std::chrono::milliseconds(0));
}

void Supervisor::end_leaver() {
  (void)os::signal_all(leaver_, kKillSignal).ok();
  leaves_until_.reset();
}

// However slow the host and however busy a survivor: what is in the pipes now is still carried.
Status Supervisor::carry_rest() {
  for (Output& output : outputs_) {
    bool is_empty = !output.handle.valid();
    for (std::size_t taken = 0; taken < kPipeBytes && !is_empty; taken += kStreamBytes) {
      LAZARET_TRY(const bool got_some, carry(output));
      is_empty = !got_some;
    }
  }
  return {};
}

// The next program has nothing of what was sent for the last one.
void Supervisor::begin_anew() {
  had_job_ = false;
  had_compile_ = false;
  stdin_ended_ = false;
  is_line_open_ = false;
  pending_stdin_.clear();
}

void Supervisor::collect_children() {
  while (const auto ended = os::reap(handles_.children.get())) {
    const bool waited = contexts_.forget(ended->pid);
    if (waited && !main_) end_others(ended->pid);
    if (!waited && main_ && ended->pid == *main_) main_ended(*ended);
  }
}

void Supervisor::main_ended(const os::Ended& ended) {
  if (word_.valid()) {  // while it waited: nobody can use this box any more
    host_gone_ = true;
    return;
  }
  if (exited_) return;
  // The program is over when its first process is; what it left behind goes with it (P-03).
  end_others(*main_);
  const auto how = ended.by_signal ? Exited::How::signal : Exited::How::exit;
  end_program(has_left_ ? Exited{} : Exited{how, ended.code, 0, 0}, kDrain);
}

void Supervisor::end_program(Exited exited, std::chrono::milliseconds drain) {
  exited_ = exited;
  drain_until_ = Deadline::after(drain);
  stdin_.reset();
  theirs_.reset();
  types_end_at_.reset();
}

void Supervisor::finish() {
  if (!exited_ || !outputs_.empty()) return;
  collect_children();
  os::TreeUsage usage = os::tree_usage();
  usage.cpu_us += os::cpu_us_of(*main_);  // of one that has taken its leave and is not reaped yet
  usage.peak_rss_kib = std::max(usage.peak_rss_kib, peak_kib_of_main_);
  exited_->cpu_us = usage.cpu_us - std::min(usage.cpu_us, cpu_us_before_);
  // Of all that were ever reaped: what has not grown was another's.
  exited_->peak_rss_kib = usage.peak_rss_kib > peak_kib_before_ ? usage.peak_rss_kib : 0;
  exited_->keeps_context = contexts_.has(*main_);
  exited_->has_artifacts = had_job_ && has_something_in(std::string(kArtifacts));
  if (exited_->code != 0) exited_->full = full_now(scratch_before_);  // a signal is never 0
  tell_events(Room::any);  // what a program has done is told before its end
  outbox_.put(FrameType::exited, encode(*exited_));
  exited_.reset();
  main_.reset();
  cell_.reset();
  drain_until_.reset();
  if (keeps_box_) begin_anew();
}

}  // namespace lazaret::runner
