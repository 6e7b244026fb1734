#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.hpp"
#include "base/call.hpp"
#include "base/turn.hpp"
#include "base/wire.hpp"
#include "lazaret/request.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"

namespace lazaret::runner {

/// What the runner says about itself before any foreign code has run.
struct Greeting {
  Hello hello;
  std::string report;  ///< `key=value` lines, see docs/runner-protocol.md
};

/// Where a job's bytes go while it runs. Called on the thread that awaits; a refusal of output ends
/// the awaiting.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  [[nodiscard]] virtual Status output(Stream stream, Bytes bytes) = 0;
  virtual void value(Bytes bytes) = 0;
  /// The program has taken this many bytes of standard input.
  virtual void credit(std::uint32_t bytes) = 0;
};

/// Where the files that a box gives go. A refusal ends the giving.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;
  [[nodiscard]] virtual Status entry(const Entry& entry) = 0;
  /// Of the file that came last; nothing at its end.
  [[nodiscard]] virtual Status content(Bytes bytes) = 0;
};

using Ending = std::variant<Exited, Failed>;

/// The host's side of the runner's protocol over a wire that it borrows. One thread at a time
/// greets, awaits, puts and gets; any thread may start, send and signal, and waits for another's
/// frame no longer than its own call allows. Once a frame was cut by an error nothing more is sent:
/// connection_lost.
class Client {
 public:
  explicit Client(Wire& wire) : wire_(wire) {}
  /// The same, and hears what changes below /work, whoever awaits what; `hear` is called on that
  /// thread.
  using Hear = std::function<void(Event)>;
  Client(Wire& wire, Hear hear) : wire_(wire), hear_(std::move(hear)) {}

  /// Errors: protocol (another version, or not a runner at all), connection_lost, timed_out.
  [[nodiscard]] Result<Greeting> greet(const Call& call);
  /// Has an interpreter started ahead of its job, which must have the same environment, limits and
  /// working directory, and waits until it waits. Gives the KiB that it has resident. Errors:
  /// start_failed, where the box still takes a job; connection_lost where the interpreter has
  /// ended, and the box with it; others as above.
  [[nodiscard]] Result<std::uint32_t> prepare(const Job& interpreter, const Call& call);
  [[nodiscard]] Status start(const Job& job, const Call& call);
  /// What is done before the job and has an ending of its own, with no standard input: once, and
  /// the job may follow when it has ended. It may start processes even where the job may not.
  [[nodiscard]] Status compile(const Job& step, const Call& call);
  /// Has something put below /work, before the compile step and the job; of a file exactly as many
  /// bytes must follow as it has.
  [[nodiscard]] Status put(const Entry& entry, const Call& call);
  [[nodiscard]] Status put_content(Bytes bytes, const Call& call);
  /// What became of all that.
  [[nodiscard]] Result<Placed> end_put(const Call& call);
  /// Has a name below /work changed, while no job runs.
  [[nodiscard]] Result<Placed> change(const Change& change, const Call& call);
  /// Ends a context while no job runs, and what it has left running. Errors as above; not_found.
  [[nodiscard]] Status end_context(const std::string& name, const Call& call);
  /// Takes a file of the box, or what lies below a directory, once the job has ended. Errors: those
  /// of the receiver, protocol, connection_lost, timed_out, cancelled.
  [[nodiscard]] Result<Got> get(const Get& wish, Receiver& receiver, const Call& call);
  /// At most kStdinWindow bytes may be on their way; Sink::credit says what was taken.
  [[nodiscard]] Status send_stdin(Bytes bytes, const Call& call);
  [[nodiscard]] Status end_stdin(const Call& call);
  [[nodiscard]] Status signal(std::uint32_t number, const Call& call);
  /// Of the job's terminal; without one nothing happens.
  [[nodiscard]] Status resize(const TerminalSize& size, const Call& call);
  /// Carries the job's streams until it ends. May be called again after timed_out or cancelled.
  /// Errors: timed_out, cancelled, connection_lost, protocol.
  [[nodiscard]] Result<Ending> await(Sink& sink, const Call& call);
  /// Asks to be told what changes below /work; the answer is an event as well. Any thread may.
  [[nodiscard]] Status watch(const Call& call);
  /// Hears what has changed, as long as the call lasts, where nothing else is awaited. Errors:
  /// protocol, connection_lost, cancelled.
  [[nodiscard]] Status listen(const Call& call);
  /// Whether all that was asked for has been answered, and nothing else was heard but events: what
  /// is asked for next is not mistaken for it. To be called by the thread that awaits, when no
  /// other one asks for anything but to watch.
  [[nodiscard]] bool is_in_step();
  /// Whether await() has heard anything of the job: that it was started, failed or wrote.
  [[nodiscard]] bool has_heard_of_the_job() const noexcept { return heard_; }

 private:
  [[nodiscard]] Result<Placed> placed(const Call& call);
  [[nodiscard]] Result<Frame> next_frame(const Call& call);
  [[nodiscard]] Result<std::optional<Frame>> next_of_what_came();
  [[nodiscard]] Status send(FrameType type, Bytes payload, const Call& call);
  [[nodiscard]] Status send_job(FrameType type, const Job& job, const Call& call);

  Wire& wire_;
  const Hear hear_;
  std::atomic<bool> watches_ = false;
  FrameReader reader_{Direction::to_host};
  bool heard_ = false;
  bool asked_ = false;  // and not answered
  // A frame must not be cut by another thread's. WHY no lock around the write: it can wait for as
  // long as its own call allows, which may be much longer than a signal can.
  Turn sending_;
  std::atomic<bool> cut_ = false;  // written by those who have their turn
};

}  // namespace lazaret::runner
