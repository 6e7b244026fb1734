#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/call.hpp"
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

/// Where a job's bytes go while it runs. Called on the thread that awaits.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void output(Stream stream, Bytes bytes) = 0;
  virtual void value(Bytes bytes) = 0;
  /// The program has taken this many bytes of standard input.
  virtual void credit(std::uint32_t bytes) = 0;
};

using Ending = std::variant<Exited, Failed>;

/// The host's side of the runner's protocol over a wire that it borrows. One thread greets and
/// awaits; any thread may start, send and signal, and waits for another's frame no longer than its
/// own call allows. Once a frame was cut by an error nothing more is sent: connection_lost.
class Client {
 public:
  explicit Client(Wire& wire) : wire_(wire) {}

  /// Errors: protocol (another version, or not a runner at all), connection_lost, timed_out.
  [[nodiscard]] Result<Greeting> greet(const Call& call);
  [[nodiscard]] Status start(const Job& job, const Call& call);
  /// At most kStdinWindow bytes may be on their way; Sink::credit says what was taken.
  [[nodiscard]] Status send_stdin(Bytes bytes, const Call& call);
  [[nodiscard]] Status end_stdin(const Call& call);
  [[nodiscard]] Status signal(std::uint32_t number, const Call& call);
  /// Carries the job's streams until it ends. May be called again after timed_out or cancelled.
  /// Errors: timed_out, cancelled, connection_lost, protocol.
  [[nodiscard]] Result<Ending> await(Sink& sink, const Call& call);

 private:
  [[nodiscard]] Result<Frame> next_frame(const Call& call);
  [[nodiscard]] Status send(FrameType type, Bytes payload, const Call& call);

  [[nodiscard]] Status take_turn(const Call& call);
  void give_turn(const Status& written);

  Wire& wire_;
  FrameReader reader_{Direction::to_host};
  // A frame must not be cut by another thread's. WHY no lock around the write: it can wait for as
  // long as its own call allows, which may be much longer than a signal can.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool sending_ = false;
  bool cut_ = false;
};

}  // namespace lazaret::runner
