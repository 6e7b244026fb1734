#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "base/guarded.hpp"
#include "os/pipe.hpp"
#include "unit/runner/fake_wire.hpp"

namespace lazaret::core::test {

using runner::Exited;
using runner::FrameType;
using runner::test::FakeWire;
using runner::test::Heard;

/// What one box does, and what is seen of it. Shared by the test and the box, which the code under
/// test owns and destroys.
struct Script {
  FakeWire::Runner runner;
  std::vector<Evidence> evidence;
  std::vector<std::string> warnings;
  backend::Autopsy autopsy;
  std::optional<backend::Autopsy> counters;
  std::uint64_t burns_ms = 0;  ///< of processor time, from one look at the counters to the next
  std::function<backend::Currency(const Call&)> currency;  ///< of a waiting box; current without it
  std::uint64_t resting_bytes = 0;
  std::optional<std::uint32_t> others;                     ///< processes beside the runner
  bool kill_fails = false;
  bool dispose_fails = false;
  bool wire_outlives_kill = false;
  bool takes_stdin = true;
  bool has_way_out = false;

  std::atomic<int> opened{0}, killed{0}, examined{0}, destroyed{0}, disposed{0}, jobs{0};
  Guarded<std::vector<Heard>> last;  ///< what the box heard that was destroyed last

  std::vector<Heard> heard() {
    return last.with([](const std::vector<Heard>& frames) { return frames; });
  }
};

class FakeBox final : public backend::Box {
 public:
  explicit FakeBox(std::shared_ptr<Script> script)
      : script_(std::move(script)), wire_([this](FakeWire& wire, const Heard& frame) {
          if (frame.type == FrameType::job) ++script_->jobs;
          if (script_->runner) script_->runner(wire, frame);
        }) {
    if (!script_->takes_stdin) wire_.stall_on(FrameType::stdin_data);
  }
  ~FakeBox() override {
    script_->last.with([&](std::vector<Heard>& frames) { frames = wire_.heard(); });
    ++script_->destroyed;
  }
  Wire& wire() override { return wire_; }
  const std::vector<Evidence>& evidence() const override { return script_->evidence; }
  const std::vector<std::string>& warnings() const override { return script_->warnings; }
  Status kill(const Call&) override {
    ++script_->killed;
    if (script_->kill_fails) return Error(Errc::timed_out, "still there");
    if (!script_->wire_outlives_kill) wire_.hang_up();
    return {};
  }
  Status dispose(const Call&) override {
    ++script_->disposed;
    return script_->dispose_fails ? Status(Error(Errc::engine, "it will not go")) : Status();
  }
  backend::Autopsy autopsy(const Call&) override {
    ++script_->examined;
    return script_->autopsy;
  }
  std::optional<backend::Autopsy> counters() override {
    if (script_->burns_ms > 0) *script_->counters->usage.cpu_ms += script_->burns_ms;
    return script_->counters;
  }
  std::optional<std::uint32_t> others() override { return script_->others; }
  os::Handle take_way_out() override {
    return script_->has_way_out ? os::make_pipe().value().first : os::Handle();
  }
  std::uint64_t resting_bytes() const noexcept override { return script_->resting_bytes; }
  backend::Currency currency(const Call& call) const override {
    return script_->currency ? script_->currency(call) : backend::Currency::current;
  }

 private:
  std::shared_ptr<Script> script_;  // shared with the test, which reads it after the box is gone
  FakeWire wire_;
};

class FakeBackend final : public backend::Backend {
 public:
  explicit FakeBackend(std::shared_ptr<Script> script, std::string name = "native")
      : script_(std::move(script)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::string runtime() const override { return name_ + " 1.0"; }
  Result<std::unique_ptr<backend::Box>> open(const policy::Spec& spec, const Call& call) override {
    if (const Status status = call.check(); !status.ok()) return status.error();
    ++script_->opened;
    last_program.with([&spec](auto& program) { program = spec.program; });
    if (while_opening) while_opening(spec);
    if (refusal) return *refusal;
    return std::unique_ptr<backend::Box>(std::make_unique<FakeBox>(script_));
  }
  std::chrono::milliseconds default_grace() const override {
    return std::chrono::milliseconds(2000);
  }

  std::function<void(const policy::Spec&)> while_opening;  ///< in the thread that opens
  std::optional<Error> refusal;
  Guarded<policy::Program> last_program;  ///< that a box was opened for

 private:
  std::shared_ptr<Script> script_;  // shared with the test and each box
  std::string name_;
};

inline void say_exit(FakeWire& wire, std::uint32_t code) {
  wire.say(FrameType::exited, runner::encode(Exited{Exited::How::exit, code, 1000, 10}));
}
inline void say_signal(FakeWire& wire, std::uint32_t number) {
  wire.say(FrameType::exited, runner::encode(Exited{Exited::How::signal, number, 1000, 10}));
}

/// A runner that answers the job with `act` and takes all of standard input.
[[nodiscard]] inline FakeWire::Runner on_job(std::function<void(FakeWire&)> act) {
  return [act = std::move(act)](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::job) act(wire);
    if (frame.type == FrameType::stdin_data) {
      wire.say(FrameType::stdin_credit,
               runner::encode(static_cast<std::uint32_t>(frame.payload.size())));
    }
  };
}
[[nodiscard]] inline FakeWire::Runner exits_with(std::uint32_t code) {
  return on_job([code](FakeWire& wire) { say_exit(wire, code); });
}
/// Runs until it is told to end, and then does as it is told.
[[nodiscard]] inline FakeWire::Runner obeys_term(std::uint32_t code) {
  return [code](FakeWire& wire, const Heard& frame) {
    if (frame.type == FrameType::job) wire.say(FrameType::stdout_data, "working\n");
    if (frame.type != FrameType::signal) return;
    wire.say(FrameType::stdout_data, "tidied up\n");
    say_exit(wire, code);
  };
}

}  // namespace lazaret::core::test
