#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/selftest/probe.hpp"
#include "lazaret/execution_result.hpp"

/// Pure decisions: what was seen of a probe, and what that means.
namespace lazaret::core::selftest {

enum class Verdict {
  blocked,
  works,      ///< section W
  by_design,  ///< it succeeds, and the probe says why that is right
  failed,     ///< it succeeds; or the probe is broken, which proves nothing either
  not_run,    ///< something that it needs is not here
};
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

struct Judgement {
  Verdict verdict = Verdict::not_run;
  std::string detail;
};

/// An attempt by its own answer, see src/core/probes/sheet.py. A refusal is an error of the kind
/// that says no, SIGSYS, or nothing to be found; an error that complains about the arguments means
/// that the kernel was reached. `meta` is that of the box's result.
[[nodiscard]] Judgement judge_attempt(const Probe& probe, const nlohmann::json& answer,
                                      const Meta& meta);

/// What is known of a program that has ended.
struct Seen {
  ExecutionResult result;
  std::optional<std::size_t> survivors;  ///< unset: its processes cannot be seen from here
};

/// A program by what was seen from outside.
[[nodiscard]] Judgement judge_program(const Probe& probe, const Seen& seen);

/// What a control run, without any box, says about a probe.
enum class Proof {
  proves,          ///< without a box it succeeds
  proves_nothing,  ///< it fails there as well
  not_run,
};
[[nodiscard]] std::string_view name_of(Proof proof) noexcept;

struct Comparison {
  Proof proof = Proof::not_run;
  std::string detail;
};
[[nodiscard]] Comparison compare_attempt(const Probe& probe, const nlohmann::json& answer);
[[nodiscard]] Comparison compare_program(const Probe& probe, const nlohmann::json& seen_bare);

}  // namespace lazaret::core::selftest
