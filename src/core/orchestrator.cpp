#include "core/orchestrator.hpp"

#include <algorithm>
#include <utility>

#include "backend/verdict.hpp"
#include "base/try.hpp"
#include "core/cause.hpp"
#include "core/collector.hpp"
#include "core/stdin_feed.hpp"
#include "core/value.hpp"
#include "runner/client.hpp"

namespace lazaret::core {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kOpenBound{60};
constexpr std::chrono::seconds kEndBound{10};
constexpr std::chrono::seconds kDrainBound{2};
constexpr std::uint32_t kSigTerm = 15;

// The run's streams, bounded; output is passed on while it goes into the head.
class RunSink final : public runner::Sink {
 public:
  RunSink(const ExecutionRequest& request, const Limits& limits)
      : request_(request),
        out(limits.stdout_bytes),
        err(limits.stderr_bytes),
        value_channel(limits.value_bytes) {}

  void output(Stream stream, Bytes bytes) override {
    Collector& collector = stream == Stream::standard_output ? out : err;
    const std::size_t kept = collector.take(bytes);
    if (kept > 0 && request_.on_output) request_.on_output(stream, text_of(bytes.first(kept)));
  }
  void value(Bytes bytes) override { value_channel.take(bytes); }
  void credit(std::uint32_t bytes) override {
    if (feed != nullptr) feed->credit(bytes);
  }

 private:
  const ExecutionRequest& request_;

 public:
  Collector out;
  Collector err;
  ValueChannel value_channel;
  StdinFeed* feed = nullptr;
};

runner::Job job_of(const policy::Spec& spec) {
  runner::Job job;
  job.argv = spec.program.argv;
  job.working_directory = spec.program.working_directory;
  for (const auto& [name, value] : spec.environment) job.environment.push_back(name + "=" + value);
  for (const auto& file : spec.program.files) job.files.push_back({file.path, file.content});
  job.cpu_seconds =
      static_cast<std::uint32_t>(spec.limits.cpu_time.value_or(std::chrono::seconds(0)).count());
  return job;
}

std::chrono::milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

// One program in one box.
class Run {
 public:
  Run(backend::Box& box, const ExecutionRequest& request, const policy::Spec& spec)
      : box_(box),
        request_(request),
        spec_(spec),
        client_(box.wire()),
        sink_(request, spec.limits) {}

  ExecutionResult execute() {
    const auto started = Clock::now();
    death_.cpu_limit = spec_.limits.cpu_time;
    death_.file_size_limited = is_enforced(Control::file_size);
    carry();
    duration_ = Clock::now() - started;
    death_.autopsy = box_.autopsy(Call{}.within(kEndBound));
    if (kill_) kill_->survivors = death_.autopsy.survivors;
    return result();
  }

 private:
  void carry() {
    const Call call{Deadline::after(spec_.limits.timeout), request_.stop};
    if (const Status status = client_.start(job_of(spec_), call); !status.ok())
      return unstarted(status.error());
    StdinFeed feed(client_, request_,
                   {Deadline::after(spec_.limits.timeout + spec_.limits.grace), {}});
    sink_.feed = &feed;
    const auto ending = client_.await(sink_, call);
    if (ending.ok()) {
      death_.ending = *ending;
    } else if (ending.error().code() == Errc::timed_out ||
               ending.error().code() == Errc::cancelled) {
      end_it(ending.error().code() == Errc::timed_out ? OwnDecision::timeout
                                                      : OwnDecision::cancelled);
    } else {
      lost(ending.error());
    }
    if (feed.was_cut()) warnings_.push_back("standard input was cut at 1 MiB");
    sink_.feed = nullptr;
  }

  // TERM, grace, then KILL from outside; what the program wrote until then is kept (P-08, P-12).
  void end_it(OwnDecision decision) {
    const auto decided = Clock::now();
    death_.decision = decision;
    const Call grace = Call{}.within(spec_.limits.grace);
    kill_ = Kill{"term", {}, 0};
    bool obeyed = client_.signal(kSigTerm, grace).ok();
    if (obeyed) {
      const auto ending = client_.await(sink_, grace);
      obeyed = ending.ok();
      if (obeyed) death_.ending = *ending;
    }
    if (!obeyed) kill_->path = "kill";
    if (const Status ended = box_.kill(Call{}.within(kEndBound)); !ended.ok()) {
      warnings_.push_back("the box could not be ended: " + ended.error().message());
    }
    kill_->latency = since(decided);
    // The stream ends with the box; a complete ending in it cannot be newer than our decision.
    if (!obeyed) (void)client_.await(sink_, Call{}.within(kDrainBound)).ok();
  }

  [[nodiscard]] bool is_enforced(Control control) const {
    const std::vector<Evidence>& evidence = box_.evidence();
    return std::any_of(evidence.begin(), evidence.end(), [control](const Evidence& piece) {
      return piece.control == control && piece.status == EvidenceStatus::enforced;
    });
  }

  void lost(const Error& error) { trouble_ = error; }

  // A job that could not be handed over in time is our trouble; one that nobody wants any more is
  // not.
  void unstarted(const Error& error) {
    if (error.code() == Errc::cancelled) death_.decision = OwnDecision::cancelled;
    lost(error);
  }

  ExecutionResult result() {
    ExecutionResult result;
    result.stdout_text = sink_.out.text();
    result.stderr_text = sink_.err.text();
    result.duration = duration_;
    result.meta.cause = cause_of(death_);
    result.timed_out = result.meta.cause == Cause::timeout;
    result.meta.usage = death_.autopsy.usage;
    result.meta.output = {sink_.out.total_bytes(), sink_.err.total_bytes(), sink_.out.truncated(),
                          sink_.err.truncated()};
    result.truncated = sink_.out.truncated() || sink_.err.truncated();
    result.meta.kill = kill_;
    result.meta.warnings = std::move(warnings_);
    put_ending(result);
    put_value_and_error(result);
    return result;
  }

  void put_ending(ExecutionResult& result) const {
    if (!death_.ending) return;
    if (const auto* const exited = std::get_if<runner::Exited>(&*death_.ending)) {
      if (exited->how == runner::Exited::How::exit)
        result.exit_code = static_cast<int>(exited->code);
      else
        result.meta.signal = static_cast<int>(exited->code);
      return;
    }
    const auto& failed = std::get<runner::Failed>(*death_.ending);
    constexpr int kNotFound = 2;
    result.error = ResultError{ErrorType::BackendError,
                               failed.step == "exec" && failed.os_error == kNotFound
                                   ? "no such program in the box: " + spec_.program.argv.front()
                                   : "the program could not be started: " + failed.step +
                                         ", errno " + std::to_string(failed.os_error),
                               {},
                               "programs are looked up in the box's PATH; see `lazaret doctor`"};
    result.meta.start_errno = failed.os_error;
  }

  void put_value_and_error(ExecutionResult& result) const {
    if (result.error) return;
    ValueMessage message = sink_.value_channel.message();
    const bool ended_well = result.meta.cause == Cause::exited;
    if (ended_well) result.value = message.value;
    result.error = own_error(result);
    if (result.error || !message.error) return;
    // A program that ended well cannot have failed; all it may say is that its value is none.
    if (ended_well && message.error->type != ErrorType::SerializationError) return;
    result.error = std::move(message.error);
  }

  // The error that follows from the cause, whatever the program says.
  std::optional<ResultError> own_error(const ExecutionResult& result) const {
    const auto error = [](ErrorType type, std::string message,
                          std::optional<std::string> hint = {}) {
      return ResultError{type, std::move(message), {}, std::move(hint)};
    };
    switch (result.meta.cause) {
      case Cause::timeout:
        return error(ErrorType::TimeoutError,
                     "ended after " + std::to_string(spec_.limits.timeout.count()) + " ms",
                     "raise --timeout");
      case Cause::cpu_limit: return error(ErrorType::TimeoutError, "used up its processor time");
      case Cause::memory_limit:
        return error(
            ErrorType::MemoryError,
            "used more than " + std::to_string(spec_.limits.memory_bytes) + " bytes of memory",
            "raise --memory");
      case Cause::pids_limit:
        return error(ErrorType::RuntimeError,
                     "refused a task beyond " + std::to_string(spec_.limits.pids), "raise --pids");
      case Cause::disk_limit:
        return error(ErrorType::RuntimeError, "wrote a file beyond the limit on file size");
      case Cause::signalled:
        return error(ErrorType::RuntimeError,
                     "ended by " + signal_name(result.meta.signal.value_or(0)));
      case Cause::infrastructure_lost:
        return error(ErrorType::BackendError, trouble_ ? trouble_->message() : "the box was lost");
      case Cause::exited:
      case Cause::nonzero_exit:
      case Cause::output_limit:
      case Cause::policy_denied:
      case Cause::approval_denied:
      case Cause::cancelled:
      case Cause::start_failed:
      case Cause::image_missing:
      case Cause::enforcement_mismatch:
      case Cause::backend_unavailable: return std::nullopt;
    }
    return std::nullopt;
  }

  backend::Box& box_;
  const ExecutionRequest& request_;
  const policy::Spec& spec_;
  runner::Client client_;
  RunSink sink_;
  Death death_;
  std::optional<Kill> kill_;
  std::optional<Error> trouble_;
  std::vector<std::string> warnings_;
  std::chrono::duration<double> duration_{0};
};

Cause cause_of_error(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::permission_denied:
    case Errc::too_large: return Cause::policy_denied;
    case Errc::cancelled: return Cause::cancelled;
    case Errc::image_missing: return Cause::image_missing;
    case Errc::enforcement_mismatch: return Cause::enforcement_mismatch;
    case Errc::start_failed: return Cause::start_failed;
    case Errc::connection_lost:
    case Errc::protocol:
    case Errc::timed_out:
    case Errc::engine:
    case Errc::conflict: return Cause::infrastructure_lost;
    case Errc::not_found:
    case Errc::unsupported:
    case Errc::connection_refused:
    case Errc::backend_unavailable:
    case Errc::system: return Cause::backend_unavailable;
  }
  return Cause::backend_unavailable;
}

ExecutionResult run_in(backend::Box& box, const ExecutionRequest& request,
                       const policy::Spec& spec) {
  ExecutionResult result = Run(box, request, spec).execute();
  result.meta.evidence = box.evidence();
  result.meta.isolation = backend::isolation_of(result.meta.evidence);
  std::vector<std::string>& warnings = result.meta.warnings;
  warnings.insert(warnings.end(), box.warnings().begin(), box.warnings().end());
  const Status gone = box.dispose(Call{}.within(kEndBound));
  if (!gone.ok()) warnings.push_back("the box could not be removed: " + gone.error().message());
  return result;
}

}  // namespace

ExecutionResult failed_run(const Error& error) {
  ExecutionResult result;
  result.meta.cause = cause_of_error(error.code());
  const bool denied = result.meta.cause == Cause::policy_denied;
  result.error = ResultError{denied ? ErrorType::PolicyDenied : ErrorType::BackendError,
                             error.message(),
                             {},
                             error.hint().empty() ? std::nullopt : std::optional(error.hint())};
  return result;
}

ExecutionResult run(backend::Backend& backend, const ExecutionRequest& request,
                    const policy::Spec& spec) {
  const auto box = backend.open(spec, Call{Deadline::after(kOpenBound), request.stop});
  ExecutionResult result;
  if (box.ok()) {
    result = run_in(**box, request, spec);
  } else {
    // Every refusal of the box itself is ours, not the policy's.
    Error error = box.error();
    const bool denied = cause_of_error(error.code()) == Cause::policy_denied;
    result = failed_run(denied ? std::move(error).as(Errc::backend_unavailable) : error);
  }
  result.meta.backend = backend.name();
  result.meta.runtime = backend.runtime();
  return result;
}

}  // namespace lazaret::core
