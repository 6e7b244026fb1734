#include "core/one_run.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "backend/verdict.hpp"
#include "core/bounds.hpp"
#include "core/cause.hpp"
#include "core/compile_step.hpp"
#include "core/counters.hpp"
#include "core/cpu_budget.hpp"
#include "core/inputs.hpp"
#include "core/job.hpp"
#include "core/last_words.hpp"
#include "core/program_port.hpp"
#include "core/run_error.hpp"
#include "core/run_sink.hpp"
#include "core/stdin_feed.hpp"
#include "core/transfer.hpp"
#include "core/value.hpp"
#include "runner/client.hpp"

namespace lazaret::core {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kShortestLook{20};
constexpr std::uint32_t kSigHup = 1, kSigInt = 2, kSigKill = 9, kSigTerm = 15;
constexpr const char* kMayHaveRun = "the program may have run, even to its end";
constexpr int kNotFound = 2;  // ENOENT on Linux, whatever we run on

std::chrono::milliseconds elapsed(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

// One program in one box.
class Run {
 public:
  Run(backend::Box& box, runner::Client& client, const ExecutionRequest& request,
      const policy::Spec& spec)
      : box_(box), request_(request), spec_(spec), client_(client), sink_(request, spec),
        cpu_(box, spec.limits) {}

  ExecutionResult execute() {
    if (spec_.keeps_box) earlier_ = box_.counters();
    if (spec_.beside_contexts) others_before_ = box_.others().value_or(0);
    death_.cpu_limit = spec_.limits.cpu_time;
    death_.file_size_limited = backend::is_enforced(box_.evidence(), Control::file_size);
    if (put_files() && (spec_.program.compiler.empty() || compile())) {
      started_ = Clock::now();
      carry();
      duration_ = Clock::now() - started_;
      take_artifacts();
    }
    sink_.pass_rest();
    death_.autopsy = of_program(examine());
    if (kill_) kill_->survivors = death_.autopsy.survivors;
    return result();
  }
  // Whether the box was gone before all of the job was taken. The runner obeys whole frames only,
  // so nothing of the program has run then.
  [[nodiscard]] bool died_unused() const { return died_unused_; }
  // Whether the box can take another program: this one is over, and nothing of it is left.
  [[nodiscard]] bool is_cell() const { return spec_.program.cell.has_value(); }
  [[nodiscard]] bool was_handed_over() const { return was_handed_over_; }
  [[nodiscard]] bool ended_contexts() const { return ended_contexts_; }
  [[nodiscard]] bool keeps_context() const {
    const auto* const exited = own_ending();
    return exited != nullptr && exited->keeps_context && can_go_on();
  }
  [[nodiscard]] bool can_go_on() const {
    return death_.ending && !is_box_ended_ && !trouble_ && client_.is_in_step();
  }

 private:
  // What the runner says of the program's end; nothing of one that it has not seen.
  [[nodiscard]] const runner::Exited* own_ending() const {
    return death_.ending ? std::get_if<runner::Exited>(&*death_.ending) : nullptr;
  }

  // Whether everything is in the box that the program shall find there.
  bool put_files() {
    if (request_.inputs.empty() && !wants_artifacts(request_)) return true;
    const auto placed = put_files_of(request_, spec_, client_);
    if (placed.ok() && placed->os_error == 0) return true;
    if (placed.ok() || !is_of_box(placed.error().code())) {
      death_.ending = runner::Failed{"file", placed.ok() ? placed->os_error : 0};
      misplaced_ = input_error(placed.ok() ? place_error(*placed, spec_.limits) : placed.error());
    } else {
      unstarted(placed.error());
    }
    return false;
  }

  // Who was ended from outside has nothing to give any more.
  void take_artifacts() {
    const auto* const exited = own_ending();
    if (exited == nullptr || kill_) {
      if (wants_artifacts(request_)) warnings_.push_back("nothing was taken from /work/out");
    } else if (exited->has_artifacts || is_carried_out(request_)) {
      artifacts_ = take_artifacts_of(request_, spec_, client_, warnings_);
    }
  }

  // Whether there is something to run now.
  bool compile() {
    const Compiled compiled = compile_in(client_, spec_, box_.image_variables(), request_.stop);
    const bool began = client_.has_heard_of_the_job();
    if (compiled.was_started() || (began && !compiled.ending.ok())) compile_ = compiled.part;
    compilers_ = box_.counters();
    if (compiled.well()) return true;
    death_.compiling = true;
    if (compiled.ending.ok()) {
      death_.ending = *compiled.ending;
    } else if (compiled.part.timed_out || compiled.ending.error().code() == Errc::cancelled) {
      death_.decision = compiled.part.timed_out ? OwnDecision::timeout : OwnDecision::cancelled;
      give_up(compiled.stopped);
    } else if (began) {  // and took the box with it: that is not done twice
      trouble_ = compiled.ending.error();
    } else {
      unstarted(compiled.ending.error());
    }
    return false;
  }

  void give_up(const std::optional<StoppedCompiler>& compiler) {
    if (compiler) death_.ending = compiler->ending;
    if (compiler && is_alone(others_before_))
      kill_ = Kill{compiler->path, compiler->latency, 0};
    else
      kill_box("kill");
  }

  void carry() {
    cpu_.begin();
    if (const char* const lack = cpu_.lack(is_cell())) warnings_.emplace_back(lack);
    const Call call{Deadline::after(spec_.limits.timeout), request_.stop};
    const runner::Job job = job_of(spec_, box_.has_interpreter(), box_.image_variables());
    if (const Status status = client_.start(job, call); !status.ok())
      return unstarted(status.error());
    was_handed_over_ = true;
    const ProgramPort port(client_, request_);
    StdinFeed feed(client_, request_,
                   {Deadline::after(spec_.limits.timeout + spec_.limits.grace), {}},
                   spec_.streams);
    sink_.feed = &feed;
    const auto ending = await_ending(call);
    if (ending.ok()) {
      death_.ending = *ending;
      const auto* const failed = std::get_if<runner::Failed>(&*ending);
      // What a source has given is gone, and so is its beginning for a second attempt.
      died_unused_ =
          failed != nullptr && failed->step == runner::kHandOver && !request_.stdin_source;
    } else if (is_spent_) {
      end_it(OwnDecision::cpu_time);
    } else if (sink_.is_over()) {
      end_it(OwnDecision::output);
    } else if (ending.error().code() == Errc::timed_out) {
      end_it(OwnDecision::timeout);
    } else if (ending.error().code() == Errc::cancelled) {
      end_it(OwnDecision::cancelled);
    } else {
      trouble_ = ending.error();
      warnings_.push_back("the box was lost: what the program wrote may be cut");
      cut_ = true;
    }
    sink_.value_channel.drop_farewell(job.farewell);
    if (auto trouble = feed.trouble(); !trouble.empty()) warnings_.push_back(std::move(trouble));
    sink_.feed = nullptr;
  }

  // The kernel bounds the processor time of each process; that of all together is watched (L-09).
  Result<runner::Ending> await_ending(const Call& call) {
    for (;;) {
      const auto rest = cpu_.until_spent();
      is_spent_ = rest && rest->count() <= 0;
      if (is_spent_) return Error(Errc::timed_out, "the processor time is used up");
      auto ending = client_.await(sink_, rest ? call.within(std::max(*rest, kShortestLook)) : call);
      const bool looks_again = rest && !ending.ok() && ending.error().code() == Errc::timed_out;
      if (!looks_again || call.deadline.passed()) return ending;
    }
  }

  // TERM, grace, then KILL from outside; what the program wrote until then is kept (P-08, P-12).
  void end_it(OwnDecision decision) {
    const auto decided = Clock::now();
    death_.decision = decision;
    sink_.lift_limit();
    const bool obeyed = is_told_to_end();
    if (obeyed && is_cell())
      kill_ = Kill{"int", {}, 0};
    else if (obeyed && spec_.keeps_box && is_alone(others_before_))
      kill_ = Kill{"term", {}, 0};
    else if (obeyed || !is_cell() || !end_contexts())
      kill_box(obeyed ? "term" : "kill");
    kill_->latency = elapsed(decided);
    if (!obeyed && is_box_ended_) drain();
    if (!client_.has_heard_of_the_job())
      warnings_.push_back("the box never said that it had started the program");
  }

  // An interrupt that came before the interpreter had begun with the cell was not heard. An
  // interactive shell does not hear TERM, and goes with its terminal.
  bool is_told_to_end() {
    const auto grace = spec_.limits.grace;
    if (is_cell()) {
      const bool is_early = elapsed(started_) < kBeginning;
      if (is_early && ends_by(kSigInt, std::min(kBeginning / 4, grace))) return true;
      return ends_by(kSigInt, grace);
    }
    const auto first = spec_.terminal ? std::min(kBeginning, grace / 2) : grace;
    return ends_by(kSigTerm, first) || (spec_.terminal && ends_by(kSigHup, grace - first));
  }

  bool ends_by(std::uint32_t signal, std::chrono::milliseconds patience) {
    const Call call = Call{}.within(patience);
    if (!client_.signal(signal, call).ok()) return false;
    const auto ending = client_.await(sink_, call);
    if (ending.ok()) death_.ending = *ending;
    return ending.ok();
  }

  // An interpreter that cannot be interrupted goes, and all others with it: that nothing else is
  // left then can be seen from outside.
  bool end_contexts() {
    ended_contexts_ = ends_by(kSigKill, kKillBound) && is_alone(0);
    if (ended_contexts_) kill_ = Kill{"kill", {}, 0};
    return ended_contexts_;
  }

  // Whether nothing but the runner, and what was there before the program, is seen in the box from
  // outside; what it has killed may take a moment to go.
  bool is_alone(std::uint32_t before) {
    for (const Deadline soon = Deadline::after(kAloneBound);;) {
      const auto others = box_.others();
      if (!others || *others <= before || soon.passed()) return others && *others <= before;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void kill_box(const char* path) {
    is_box_ended_ = true;
    const auto decided = Clock::now();
    const Status ended = box_.kill(Call{}.within(kEndBound));
    if (!ended.ok()) warnings_.push_back("the box could not be ended: " + ended.error().message());
    kill_ = Kill{path, elapsed(decided), 0};
  }

  // The stream ends with the box; a complete ending in it cannot be newer than our decision.
  void drain() {
    const auto ending = client_.await(sink_, Call{}.within(kDrainBound));
    if (ending.ok() || ending.error().code() != Errc::timed_out) return;
    warnings_.push_back("the box's stream does not end: what the program wrote may be cut");
    cut_ = true;
  }

  // A program that has ended by itself is answered for before its box is gone, where somebody else
  // sees to that; what only the box's end could tell is then the runner's own word.
  backend::Autopsy examine() {
    const auto* const exited = own_ending();
    const bool goes_on = exited != nullptr && !is_box_ended_;
    auto seen = goes_on && (box_.ends_later() || spec_.keeps_box) ? box_.counters() : std::nullopt;
    if (!seen && can_go_on() && spec_.keeps_box) seen.emplace();
    if (!seen) return box_.autopsy(Call{}.within(kEndBound));
    if (seen->usage.source == "none" && exited != nullptr) put_own_word(*seen, *exited);
    return *seen;
  }

  // The box's counters know nothing of steps, nor of earlier programs.
  [[nodiscard]] backend::Autopsy of_program(backend::Autopsy seen) const {
    if (compilers_ && !death_.compiling) return since(std::move(seen), *compilers_, Before::step);
    return earlier_ ? since(std::move(seen), *earlier_, Before::run) : seen;
  }

  // A job that could not be handed over in time is our trouble; one that nobody wants any more is
  // not.
  void unstarted(const Error& error) {
    if (error.code() == Errc::cancelled) death_.decision = OwnDecision::cancelled;
    died_unused_ = error.code() == Errc::connection_lost;
    trouble_ = error;
  }

  ExecutionResult result() {
    ExecutionResult result;
    result.duration = duration_;
    result.meta.cause = cause_of(death_);
    result.timed_out = result.meta.cause == Cause::timeout;
    result.meta.usage = death_.autopsy.usage;
    result.meta.kill = kill_;
    result.compile = compile_;
    result.artifacts = std::move(artifacts_);
    result.meta.warnings = std::move(warnings_);
    sink_.give(result);
    result.truncated = cut_ || result.truncated;
    put_ending(result);
    put_value_and_error(result);
    return result;
  }

  void put_ending(ExecutionResult& result) const {
    if (!death_.ending) return;
    if (const auto* const exited = std::get_if<runner::Exited>(&*death_.ending)) {
      result.meta.usage.disk_full = disk_full_by(*exited);
      if (death_.compiling) return;
      if (exited->how == runner::Exited::How::exit)
        result.exit_code = static_cast<int>(exited->code);
      else
        result.meta.signal = static_cast<int>(exited->code);
      return;
    }
    const auto& failed = std::get<runner::Failed>(*death_.ending);
    const policy::Program& program = spec_.program;
    result.error = misplaced_ ? misplaced_
                              : start_error(death_.compiling ? program.compiler : program.argv,
                                            program, failed);
    // Alone it would say that there is no such program.
    const bool is_no_place = failed.step == "chdir" && failed.os_error == kNotFound;
    if (failed.os_error != 0 && !is_no_place) result.meta.start_errno = failed.os_error;
  }

  void put_value_and_error(ExecutionResult& result) const {
    if (result.error) return;
    ValueMessage message = sink_.value_channel.message();
    const bool ended_well = result.meta.cause == Cause::exited;
    if (ended_well) result.value = message.value;
    result.error = own_error(result);
    if (message.error && is_by_disk(result.meta.cause)) {  // it says where, the box why
      message.error->hint = result.error->hint;
      result.error.reset();
    }
    if (message.error ? result.error.has_value() : ended_well) return;
    if (!message.error) return put_last_words(result);
    // A program that ended well cannot have failed; all it may say is that its value is none.
    if (ended_well && message.error->type != ErrorType::SerializationError) return;
    result.error = with_hint(*std::move(message.error), spec_);
  }

  // Nobody says it over the value channel in these languages, so their runtimes' own words count.
  void put_last_words(ExecutionResult& result) const {
    const Cause cause = result.meta.cause;
    const bool is_its_own = cause == Cause::nonzero_exit || cause == Cause::signalled;
    if (!is_its_own && !is_by_disk(cause)) return;
    const auto& exited = std::get<runner::Exited>(*death_.ending);
    auto words = last_words_of(spec_.language, exited, result.stderr_text);
    if (!words) return;
    if (!is_its_own) words->hint = result.error->hint;
    result.error = with_hint(*std::move(words), spec_);
  }

  // The error that follows from the cause, whatever the program says.
  std::optional<ResultError> own_error(const ExecutionResult& result) const {
    if (result.meta.cause != Cause::infrastructure_lost)
      return error_of_cause(result, death_, spec_);
    return ResultError{ErrorType::BackendError,
                       trouble_ ? trouble_->message() : "the box was lost",
                       {},
                       cut_ ? kMayHaveRun : kHasNotRun};
  }

  backend::Box& box_;
  const ExecutionRequest& request_;
  const policy::Spec& spec_;
  runner::Client& client_;
  RunSink sink_;
  CpuBudget cpu_;
  Death death_;
  std::optional<Kill> kill_;
  std::optional<Compilation> compile_;
  std::optional<backend::Autopsy> earlier_;    // what the counters said before the run
  std::optional<backend::Autopsy> compilers_;  // and after the compile step
  std::uint32_t others_before_ = 0;            // processes of contexts
  bool was_handed_over_ = false;
  bool ended_contexts_ = false;
  bool is_spent_ = false;  // all of the processor time
  bool is_box_ended_ = false;
  std::vector<Artifact> artifacts_;
  std::optional<ResultError> misplaced_;  // of what should have been put into the box
  std::optional<Error> trouble_;
  bool died_unused_ = false;
  std::vector<std::string> warnings_;
  bool cut_ = false;           // what the program wrote did not come to its end
  Clock::time_point started_;  // the program
  std::chrono::duration<double> duration_{0};
};

}  // namespace

OneRun run_one(backend::Box& box, runner::Client& client, const ExecutionRequest& request,
               const policy::Spec& spec) {
  Run run(box, client, request, spec);
  ExecutionResult result = run.execute();
  return {std::move(result),     run.can_go_on(),     run.died_unused(),
          run.was_handed_over(), run.keeps_context(), run.ended_contexts()};
}

}  // namespace lazaret::core
