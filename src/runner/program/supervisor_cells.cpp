#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "runner/program/supervisor.hpp"

// What of a supervisor's life has to do with contexts.
namespace lazaret::runner {
namespace {

constexpr std::uint32_t kInterrupt = 2, kHardest = 9;  // SIGINT, SIGKILL
// Who makes processes faster than they are ended has no part of a box to himself any more.
constexpr std::chrono::milliseconds kStrays{500};
constexpr int kNoSuchProcess = 3, kIsThere = 17;  // ESRCH, EEXIST

// What was said when no cell ran is of none of them: as much as a pipe can hold.
void drop_values(const std::vector<Output>& outputs) {
  std::byte part[16UL << 10];
  for (const Output& output : outputs) {
    if (output.type != FrameType::value_data) continue;
    for (int left = 64; left > 0; --left) {
      const auto count = os::read_now(output.handle.get(), part);
      if (!count.ok() || count->value_or(0) == 0) break;
    }
  }
}

}  // namespace

Status Supervisor::enter(const Job& job) {
  auto context = contexts_.take(job.context);
  const bool is_there = context != nullptr;
  if (is_there == job.begins_context) {
    if (is_there) contexts_.put(std::move(context));
    return Error(Errc::start_failed, std::string(kFindContext))
        .with_os_error(is_there ? kIsThere : kNoSuchProcess);
  }
  if (!is_there) {
    LAZARET_TRY(context, begin(job));
  } else {
    main_ = context->process;
    outputs_ = std::move(context->outputs);
    drop_values(outputs_);
    cpu_us_before_ += os::cpu_us_of(*main_);
    peak_kib_before_ = std::max<std::uint64_t>(peak_kib_before_, os::peak_kib_of(*main_));
  }
  cell_ = std::move(context);
  cell_->tell(job.word, job.farewell);
  return {};
}

// Its standard input is at its end.
Result<std::unique_ptr<Context>> Supervisor::begin(const Job& job) {
  LAZARET_TRY(auto words, os::make_pipe());
  LAZARET_TRY(auto farewells, os::make_pipe());
  LAZARET_TRY(auto alarms, os::make_pipe());
  for (const os::Handle* const ours : {&words.second, &farewells.first, &alarms.second})
    LAZARET_CHECK(os::set_nonblocking(ours->get()));
  LAZARET_CHECK(launch(job, subprocess_,
                       {words.first.get(), farewells.second.get(), alarms.first.get()}));
  stdin_.reset();
  auto context = std::make_unique<Context>();
  context->name = job.context;
  context->process = *main_;
  context->words = std::move(words.second);
  context->farewells = std::move(farewells.first);
  context->alarms = std::move(alarms.second);
  return context;
}

// What it has written until then is still carried; what it writes later is the next job's, but for
// values.
Status Supervisor::hear_cell() {
  const auto status = cell_->hear();
  if (!status || exited_) return {};
  LAZARET_CHECK(carry_rest());
  cell_->outputs = std::exchange(outputs_, {});
  contexts_.put(std::move(cell_));
  exited_ = Exited{Exited::How::exit, *status, 0, 0};
  peak_kib_of_main_ = os::peak_kib_of(*main_);
  return {};
}

// While contexts wait, nothing but the program's own group is meant.
Status Supervisor::send_signal(std::uint32_t number) {
  if (number == kHardest && cell_) contexts_.clear();
  if (number == kInterrupt && cell_) cell_->alarm();
  const bool alone = contexts_.empty() && (!cell_ || number == kHardest);
  return alone ? os::signal_all(*main_, number) : os::signal_group(*main_, number);
}

// What a program leaves behind goes with it, and is gone then; contexts, and what descends from
// them, stay. Whatever loses its parent becomes our own child.
void Supervisor::end_others(std::int64_t leader) {
  for (const Deadline soon = Deadline::after(kStrays);;) {
    if (contexts_.empty() && !os::signal_all(leader, kHardest).ok()) return;  // nobody is left
    auto strays = os::children();
    if (!strays || soon.passed()) break;
    std::erase_if(*strays, [this](std::int64_t child) { return contexts_.has(child); });
    if (strays->empty()) return;
    for (const std::int64_t stray : *strays) (void)os::signal_one(stray, kHardest).ok();
    os::Watch ended{handles_.children.get(), true, false};
    (void)os::wait_ready({&ended, 1}, Call{}.within(std::chrono::milliseconds(5))).ok();
    collect_children();
  }
  contexts_.clear();
  (void)os::signal_all(leader, kHardest).ok();
}

Status Supervisor::end_context(const std::string& name) {
  if (main_) return Error(Errc::protocol, "a context is ended between jobs");
  const auto context = contexts_.take(name);
  if (context) {
    (void)os::signal_group(context->process, kHardest).ok();
    end_others(context->process);
  }
  outbox_.put(FrameType::placed, encode(Placed{{}, context ? 0 : kNoSuchProcess}));
  return {};
}

}  // namespace lazaret::runner
