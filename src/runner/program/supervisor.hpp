#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "lazaret/confinement.hpp"
#include "os/handle.hpp"
#include "os/init.hpp"
#include "os/tree_watch.hpp"
#include "os/pipe.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"
#include "runner/program/contexts.hpp"
#include "runner/program/exporter.hpp"
#include "runner/program/importer.hpp"
#include "runner/program/outbox.hpp"

namespace lazaret::runner {

/// The runner's life: says hello, reports, starts an interpreter ahead if it is told to, puts the
/// host's files, takes a job and perhaps a compile step before it, carries their streams, says
/// how each ended, gives what the job has left, takes another if the box is kept, and stays until
/// the host closes the wire.
class Supervisor {
 public:
  Supervisor(os::InitHandles handles, Subprocess subprocess, os::Known known)
      : handles_(std::move(handles)),
        subprocess_(subprocess),
        known_(known),
        may_move_(os::is_socket(handles_.wire_out.get())) {}

  /// Returns when the host has closed the wire. Errors: protocol and those of the system.
  [[nodiscard]] Status run();

 private:
  [[nodiscard]] Status turn();
  [[nodiscard]] Deadline turn_deadline() const;
  [[nodiscard]] Status take_frames();
  [[nodiscard]] Status obey(const Frame& frame);
  [[nodiscard]] Status obey_size(Bytes payload);
  [[nodiscard]] Status obey_files(const Frame& frame);
  void begin_to_watch();
  enum class Room { of_the_outbox, any };
  void tell_events(Room room);
  [[nodiscard]] Status give(Get get);
  [[nodiscard]] Status prepare(const Job& interpreter);
  [[nodiscard]] bool may_start(FrameType step, const Job& job) const;
  [[nodiscard]] Status start(FrameType step, const Job& job);
  [[nodiscard]] Status hand_over(const Job& job);
  [[nodiscard]] static Status write_files(const Job& job);
  [[nodiscard]] Status launch(const Job& job, Subprocess subprocess,
                              std::initializer_list<os::RawHandle> more);
  /// The program's descriptors from 0 on, and what of them is ours to close once it has them.
  struct Ends {
    std::vector<os::RawHandle> handles;
    std::vector<os::Handle> owned;
  };
  [[nodiscard]] Status connect_pipes(Ends& ends);
  [[nodiscard]] Status connect_output(FrameType type, Ends& ends);
  [[nodiscard]] Status connect_terminal(const TerminalSize& size, Ends& ends);
  [[nodiscard]] os::RawHandle terminal() const noexcept;
  [[nodiscard]] Status enter(const Job& job);
  [[nodiscard]] Result<std::unique_ptr<Context>> begin(const Job& job);
  [[nodiscard]] Status hear_cell();
  [[nodiscard]] Status send_signal(std::uint32_t number);
  void end_others(std::int64_t leader);
  [[nodiscard]] Status end_context(const std::string& name);
  void give_up(const Error& error);
  void say_prepared();
  [[nodiscard]] Status take_stdin(Bytes bytes);
  void end_stdin();
  void type_end(std::size_t times);
  void feed_stdin();
  [[nodiscard]] Status hear_waiting(Output& output);
  /// Whether there was something to carry.
  [[nodiscard]] Result<bool> carry(Output& output);
  [[nodiscard]] Result<bool> move(Output& output);
  [[nodiscard]] Status carry_rest();
  [[nodiscard]] bool may_wait_for_more() const;
  [[nodiscard]] Status tell_host();
  void collect_children();
  void main_ended(const os::Ended& ended);
  void take_leave();
  void end_leaver();
  void end_program(Exited exited, std::chrono::milliseconds drain);
  void finish();
  void begin_anew();

  os::InitHandles handles_;
  Subprocess subprocess_;
  os::Known known_;
  bool may_move_;  // what comes out, instead of copying it
  std::uint64_t ignored_signals_ = os::kEverySignal;
  FrameReader reader_{Direction::to_runner};
  Outbox outbox_;
  std::optional<Deadline> tells_at_;  // what is in it waits for more until then
  bool is_slow_ = false;              // the host: what is left has waited already
  Importer importer_;
  std::optional<Exporter> exporter_;
  std::optional<os::TreeWatch> watch_;
  std::vector<Output> outputs_;
  os::Handle stdin_;
  os::Handle theirs_;  // the program's side of its terminal, which stays as long as it runs
  std::vector<std::byte> pending_stdin_;
  bool stdin_ended_ = false;
  bool is_line_open_ = false;             // what was typed last did not end its line
  std::optional<Deadline> types_end_at_;  // again
  std::chrono::milliseconds end_pause_{};
  os::Handle word_;       // to an interpreter that was started ahead
  std::string awaited_;   // what it has still to say before it counts as waiting
  std::string farewell_;  // what it says last; empty: it says none
  bool had_job_ = false;
  bool had_compile_ = false;
  bool keeps_box_ = false;
  bool had_any_ = false;  // jobs and compile steps
  bool host_gone_ = false;
  Contexts contexts_;
  std::unique_ptr<Context> cell_;  // that runs the job, where it is a context's
  std::optional<std::int64_t> main_;
  std::optional<Exited> exited_;
  std::uint64_t cpu_us_before_ = 0;  // by the compile step, or while it waited
  os::ScratchState scratch_before_;
  bool had_files_ = false;  ///< that may be the host's, or another program's
  std::uint64_t peak_kib_before_ = 0;   // of earlier programs of a box that is kept
  std::uint64_t peak_kib_of_main_ = 0;  // as it took its leave
  os::Sight sight_;                     // of the program that waited
  std::string mark_;                    // … and its own
  std::optional<Deadline> drain_until_;
  bool has_left_ = false;  // has said its farewell
  std::int64_t leaver_ = 0;
  std::optional<Deadline> leaves_until_;  // and is killed then
};

}  // namespace lazaret::runner
