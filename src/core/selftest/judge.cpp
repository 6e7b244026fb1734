#include "core/selftest/judge.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace lazaret::core::selftest {
namespace {

using nlohmann::json;

constexpr int kSigSys = 31;

// Errors with which the kernel or the filter says no, or that there is nothing of the kind. That
// there is not enough of it (EAGAIN, EMFILE, ENOSPC, EDQUOT, EFBIG) refuses only who asks for too
// much: such a probe names it.
constexpr std::array<std::string_view, 20> kRefusals = {
    "EPERM",       "EACCES",       "EROFS",    "ENOENT",          "ENOSYS",
    "ENETUNREACH", "ECONNREFUSED", "ENXIO",    "EAFNOSUPPORT",    "EPROTONOSUPPORT",
    "ESRCH",       "ENODEV",       "EXDEV",    "ESOCKTNOSUPPORT", "EOPNOTSUPP",
    "ENOTDIR",     "EHOSTUNREACH", "ENETDOWN", "EADDRNOTAVAIL",   "ENOPROTOOPT",
};

std::string text_in(const json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// How an attempt was held, or nothing when it was not.
std::optional<std::string> refusal_in(const Probe& probe, const json& answer) {
  if (answer.contains("blocked")) return text_in(answer, "blocked");
  if (answer.contains("absent")) return "not on this machine: " + text_in(answer, "absent");
  if (answer.contains("signal") && answer["signal"].is_number_integer()) {
    const int number = answer["signal"].get<int>();
    const bool meant =
        std::find(probe.signals.begin(), probe.signals.end(), number) != probe.signals.end();
    if (number == kSigSys || meant) return "signal " + std::to_string(number);
    return std::nullopt;
  }
  const std::string error = text_in(answer, "errno");
  const auto is_it = [&error](const auto& list) {
    return std::find(list.begin(), list.end(), error) != list.end();
  };
  if (is_it(kRefusals) || is_it(probe.refused_by)) return error;
  return std::nullopt;
}

// What an attempt that was not held has reached; empty when the answer says neither.
std::string success_in(const json& answer) {
  if (answer.contains("did")) return text_in(answer, "did");
  if (answer.contains("errno")) return "it was reached: " + text_in(answer, "errno");
  return {};
}

EvidenceStatus status_of(const std::vector<Evidence>& evidence, Control control) {
  for (const Evidence& piece : evidence) {
    if (piece.control == control) return piece.status;
  }
  return EvidenceStatus::not_enforced;
}

bool is_by_design(const Probe& probe, const Meta& meta) {
  if (probe.by_design.empty()) return false;
  if (probe.by_design_of_engines && meta.backend == "native") return false;
  return !probe.by_design_without ||
         status_of(meta.evidence, *probe.by_design_without) != EvidenceStatus::enforced;
}

// Trouble of ours is never right by design.
bool is_own_end(Cause cause) {
  return cause == Cause::exited || cause == Cause::nonzero_exit || cause == Cause::signalled ||
         cause == Cause::timeout;
}

std::string in_seconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  return text.data();
}

struct Difference {
  bool there;
  std::string text;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return json(text.substr(0, kMost)).dump(-1, ' ', true, json::error_handler_t::replace);
}

bool truncated_as(const std::string& wanted, const OutputCounts& counts) {
  return counts.stdout_truncated && counts.stderr_truncated == (wanted == "both");
}

std::string error_of(const ExecutionResult& result) {
  return result.error ? std::string(name_of(result.error->type)) : "none";
}

bool same_json(const std::string& wanted, const std::optional<std::string>& value) {
  return value && json::parse(wanted, nullptr, false) == json::parse(*value, nullptr, false);
}

bool foreign_in(const std::vector<Artifact>& artifacts, const std::string& own) {
  const auto count = [&artifacts](auto is_it) { return std::ranges::count_if(artifacts, is_it); };
  const auto taken = count([](const Artifact& one) { return one.content.has_value(); });
  return taken == 0 || taken != count([&own](const Artifact& one) { return one.content == own; });
}

// Unlimited unless the whole box was measured: rusage leaves out children that nobody waited for.
double cpu_share_of(const ExecutionResult& result) {
  const Usage& usage = result.meta.usage;
  const double seconds = result.duration.count();
  const bool whole = usage.source == "cgroup" || usage.source == "engine stats";
  if (!whole || !usage.cpu_ms || seconds <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*usage.cpu_ms) / 1000 / seconds;
}

bool wrong_cause(const Expectation& wanted, const Meta& meta) {
  const auto& causes = wanted.causes;
  if (causes.empty()) return false;
  const std::string_view cause = name_of(meta.cause);
  const bool first_alone = wanted.cause_of && status_of(meta.evidence, *wanted.cause_of) ==
                                                  EvidenceStatus::enforced;
  if (first_alone) return cause != causes.front();
  return std::ranges::find(causes, cause) == causes.end();
}

// The first thing in which a run is not as it must be.
std::string difference(const Expectation& wanted, const Seen& seen) {
  const ExecutionResult& result = seen.result;
  const std::string cause(name_of(result.meta.cause));
  const Difference differences[] = {
      {wrong_cause(wanted, result.meta),
       "it ended by " + cause + (result.error ? ": " + result.error->message.substr(0, 160) : "")},
      {wanted.exit_code && *wanted.exit_code != result.exit_code,
       "exit status " + std::to_string(result.exit_code)},
      {wanted.signal && wanted.signal != result.meta.signal,
       "signal " + std::to_string(result.meta.signal.value_or(0))},
      {wanted.seconds && result.duration.count() > *wanted.seconds,
       "it took " + in_seconds(result.duration.count())},
      {wanted.no_survivors && seen.survivors.value_or(0) > 0,
       std::to_string(seen.survivors.value_or(0)) + " processes live on"},
      {wanted.no_survivors && result.meta.kill && result.meta.kill->survivors > 0,
       "processes lived on after the kill"},
      {wanted.stdout_bytes && *wanted.stdout_bytes != result.meta.output.stdout_bytes,
       std::to_string(result.meta.output.stdout_bytes) + " bytes of output were counted"},
      {wanted.truncated && !truncated_as(*wanted.truncated, result.meta.output),
       "truncation is not marked as it happened"},
      {wanted.standard_output && *wanted.standard_output != result.stdout_text,
       "stdout " + shortened(result.stdout_text)},
      {wanted.standard_error && *wanted.standard_error != result.stderr_text,
       "stderr " + shortened(result.stderr_text)},
      {wanted.value && !same_json(*wanted.value, result.value),
       "value " + shortened(result.value.value_or("none"))},
      {wanted.contents && foreign_in(result.artifacts, *wanted.contents),
       "a file that was taken holds something else, or none was taken"},
      {wanted.error && *wanted.error != error_of(result), "error " + error_of(result)},
      {wanted.enforced &&
           status_of(result.meta.evidence, *wanted.enforced) != EvidenceStatus::enforced,
       "the evidence says that it is not enforced"},
      {wanted.cpu_share && cpu_share_of(result) > *wanted.cpu_share,
       "more processor time than its share"},
  };
  for (const Difference& each : differences) {
    if (each.there) return each.text;
  }
  return {};
}

std::string summary(const Expectation& wanted, const Seen& seen) {
  const ExecutionResult& result = seen.result;
  std::string text(name_of(result.meta.cause));
  if (result.meta.cause == Cause::nonzero_exit) text += " " + std::to_string(result.exit_code);
  if (result.meta.signal) text += " " + std::to_string(*result.meta.signal);
  if (wanted.seconds) text += " after " + in_seconds(result.duration.count());
  if (wanted.no_survivors) {
    text += seen.survivors ? ", nothing lives on" : ", its processes cannot be seen from here";
  }
  return text;
}

// The result of a run that no box has made.
Seen seen_in(const json& bare) {
  Seen seen;
  seen.result.stdout_text = text_in(bare, "stdout");
  seen.result.meta.output.stdout_bytes = seen.result.stdout_text.size();
  seen.result.exit_code = bare.value("exit", -1);
  seen.result.duration = std::chrono::duration<double>(bare.value("seconds", 0.0));
  seen.survivors = bare.value("survivors", std::size_t{0});
  const int signal = bare.value("signal", 0);
  if (signal != 0) seen.result.meta.signal = signal;
  seen.result.meta.cause = signal != 0                  ? Cause::signalled
                           : seen.result.exit_code == 0 ? Cause::exited
                                                        : Cause::nonzero_exit;
  return seen;
}

bool is_seen_bare(const json& bare) {
  const auto is = [&bare](const char* key, auto predicate) {
    return bare.contains(key) && (bare[key].*predicate)();
  };
  return bare.is_object() && is("exit", &json::is_number_integer) &&
         is("signal", &json::is_number_integer) && is("seconds", &json::is_number) &&
         is("survivors", &json::is_number_unsigned) && is("overdue", &json::is_boolean);
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::blocked: return "blocked";
    case Verdict::works: return "works";
    case Verdict::by_design: return "allowed by design";
    case Verdict::failed: return "FAILED";
    case Verdict::not_run: return "not run";
  }
  return "";
}

std::string_view name_of(Proof proof) noexcept {
  switch (proof) {
    case Proof::proves: return "proves";
    case Proof::proves_nothing: return "proves nothing";
    case Proof::not_run: return "not run";
  }
  return "";
}

Judgement judge_attempt(const Probe& probe, const json& answer,
                        const Meta& meta) {
  if (!answer.is_object()) return {Verdict::failed, "the probe gave no answer"};
  if (auto refusal = refusal_in(probe, answer)) return {Verdict::blocked, std::move(*refusal)};
  const std::string success = success_in(answer);
  if (success.empty()) return {Verdict::failed, "the probe is broken: " + answer.dump()};
  if (is_by_design(probe, meta)) return {Verdict::by_design, probe.by_design};
  return {Verdict::failed, "allowed: " + success};
}

Judgement judge_program(const Probe& probe, const Seen& seen) {
  const std::string wrong = difference(probe.expectation, seen);
  const Verdict good = probe.section() == 'W' ? Verdict::works : Verdict::blocked;
  if (wrong.empty()) return {good, summary(probe.expectation, seen)};
  const Cause cause = seen.result.meta.cause;
  const bool missing = cause == Cause::start_failed || cause == Cause::image_missing;
  if (missing && !probe.optional.empty()) return {Verdict::not_run, probe.optional};
  if (is_own_end(cause) && is_by_design(probe, seen.result.meta)) {
    return {Verdict::by_design, probe.by_design};
  }
  return {Verdict::failed, wrong};
}

Comparison compare_attempt(const Probe& probe, const json& answer) {
  if (!answer.is_object()) return {Proof::not_run, "the control run gave no answer"};
  if (const auto refusal = refusal_in(probe, answer)) return {Proof::proves_nothing, *refusal};
  const std::string success = success_in(answer);
  if (success.empty()) return {Proof::not_run, "the control run gave no answer"};
  return {Proof::proves, success};
}

Comparison compare_program(const Probe& probe, const json& seen_bare) {
  if (!is_seen_bare(seen_bare)) return {Proof::not_run, "the control run gave no answer"};
  if (seen_bare["overdue"].get<bool>()) return {Proof::proves, "nothing ends it"};
  const Seen seen = seen_in(seen_bare);
  const std::string wrong = difference(probe.expectation, seen);
  if (wrong.empty()) return {Proof::proves_nothing, summary(probe.expectation, seen)};
  return {Proof::proves, wrong};
}

}  // namespace lazaret::core::selftest
