#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/call.hpp"
#include "os/handle.hpp"
#include "os/init.hpp"
#include "os/pipe.hpp"
#include "runner/frame.hpp"
#include "runner/message.hpp"
#include "runner/program/outbox.hpp"

namespace lazaret::runner {

/// The runner's life: says hello, reports, takes one job, carries its streams, says how it ended,
/// and stays until the host closes the wire.
class Supervisor {
 public:
  explicit Supervisor(os::InitHandles handles) : handles_(std::move(handles)) {}

  /// Returns when the host has closed the wire. Errors: protocol and those of the system.
  [[nodiscard]] Status run();

 private:
  struct Output {
    os::Handle handle;
    FrameType type;
  };

  [[nodiscard]] Status turn();
  [[nodiscard]] Deadline turn_deadline() const;
  [[nodiscard]] Status take_frames();
  [[nodiscard]] Status obey(const Frame& frame);
  [[nodiscard]] Status start(const Job& job);
  [[nodiscard]] Status launch(const Job& job);
  [[nodiscard]] Status take_stdin(Bytes bytes);
  void feed_stdin();
  [[nodiscard]] Status carry(Output& output);
  [[nodiscard]] Status end_drain();
  void collect_children();
  void main_ended(const os::Ended& ended);
  void finish();

  os::InitHandles handles_;
  std::uint64_t ignored_signals_ = os::kEverySignal;
  FrameReader reader_{Direction::to_runner};
  Outbox outbox_;
  std::vector<Output> outputs_;
  os::Handle stdin_;
  std::vector<std::byte> pending_stdin_;
  bool stdin_ended_ = false;
  bool had_job_ = false;
  bool host_gone_ = false;
  std::optional<std::int64_t> main_;
  std::optional<Exited> exited_;
  std::optional<Deadline> drain_until_;
};

}  // namespace lazaret::runner
