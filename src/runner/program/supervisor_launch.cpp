#include <chrono>
#include <utility>

#include "base/try.hpp"
#include "runner/program/supervisor.hpp"

// How a supervisor starts a program, and what it is connected to.
namespace lazaret::runner {
namespace {

constexpr std::chrono::milliseconds kBetweenEnds{100};

}  // namespace

Status Supervisor::write_files(const Job& job) {
  const auto existing = job.keeps_box ? os::Existing::replace : os::Existing::refuse;
  for (const Job::File& file : job.files)
    LAZARET_CHECK(os::write_file(file.path, file.content, existing));
  return {};
}

Status Supervisor::launch(const Job& job, Subprocess subprocess,
                          std::initializer_list<os::RawHandle> more) {
  LAZARET_CHECK(os::shut_off());
  LAZARET_CHECK(write_files(job));
  Ends ends;
  LAZARET_CHECK(job.terminal ? connect_terminal(*job.terminal, ends) : connect_pipes(ends));
  LAZARET_CHECK(connect_output(FrameType::value_data, ends));
  ends.handles.insert(ends.handles.end(), more);
  LAZARET_TRY(main_, os::spawn({.argv = job.argv,
                                .environment = job.environment,
                                .working_directory = job.working_directory,
                                .handles = std::move(ends.handles),
                                .cpu_seconds = job.cpu_seconds,
                                .ignored_signals = ignored_signals_,
                                .subprocess = subprocess,
                                .has_terminal = job.terminal.has_value()}));
  return {};
}

Status Supervisor::connect_pipes(Ends& ends) {
  LAZARET_TRY(auto input, os::make_pipe());
  LAZARET_CHECK(os::set_nonblocking(input.second.get()));
  ends.handles.push_back(input.first.get());
  ends.owned.push_back(std::move(input.first));
  stdin_ = std::move(input.second);
  LAZARET_CHECK(connect_output(FrameType::stdout_data, ends));
  return connect_output(FrameType::stderr_data, ends);
}

Status Supervisor::connect_output(FrameType type, Ends& ends) {
  LAZARET_TRY(auto pipe, os::make_pipe());
  LAZARET_CHECK(os::set_nonblocking(pipe.first.get()));
  outputs_.push_back({std::move(pipe.first), type});
  ends.handles.push_back(pipe.second.get());
  ends.owned.push_back(std::move(pipe.second));
  return {};
}

Status Supervisor::connect_terminal(const TerminalSize& size, Ends& ends) {
  LAZARET_TRY(auto made, os::make_terminal(size));
  outputs_.push_back({std::move(made.output), FrameType::stdout_data, true});
  stdin_ = std::move(made.input);
  theirs_ = std::move(made.theirs);
  ends.handles.assign(3, theirs_.get());
  return {};
}

// The program's, until that has ended.
os::RawHandle Supervisor::terminal() const noexcept {
  const bool is_there = !outputs_.empty() && outputs_.front().is_terminal;
  return is_there ? outputs_.front().handle.get() : os::kNoHandle;
}

// The program may have ended in the meantime, as with signals.
Status Supervisor::obey_size(Bytes payload) {
  LAZARET_TRY(const TerminalSize size, decode_terminal_size(payload));
  if (terminal() != os::kNoHandle) (void)os::resize_terminal(terminal(), size).ok();
  return {};
}

Status Supervisor::take_stdin(Bytes bytes) {
  if (pending_stdin_.size() + bytes.size() > kStdinWindow) {
    return Error(Errc::protocol, "more standard input than was asked for");
  }
  pending_stdin_.insert(pending_stdin_.end(), bytes.begin(), bytes.end());
  if (!bytes.empty()) is_line_open_ = bytes.back() != std::byte{'\n'};
  feed_stdin();
  return {};
}

void Supervisor::end_stdin() {
  stdin_ended_ = true;
  end_pause_ = kBetweenEnds;
  if (terminal() != os::kNoHandle) return type_end(is_line_open_ ? 2 : 1);
  feed_stdin();
}

// Ctrl-D, which a terminal takes for the end of its input at the beginning of a line, and for that
// of the line elsewhere (termios(3), VEOF). Said again, ever less often: it is lost on a program
// that takes its terminal out of that mode before it reads, as shells do when they start.
void Supervisor::type_end(std::size_t times) {
  constexpr std::byte kEndOfTransmission{4};
  pending_stdin_.insert(pending_stdin_.end(), times, kEndOfTransmission);
  feed_stdin();
  types_end_at_ = Deadline::after(end_pause_);
  end_pause_ *= 2;
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
  const bool is_over = stdin_ended_ && pending_stdin_.empty() && terminal() == os::kNoHandle;
  if (is_over) stdin_.reset();
}

}  // namespace lazaret::runner
