#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/report.hpp"
#include "lazaret/control.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"
#include "policy/spec.hpp"

/// From facts to evidence: pure decisions, shared by every backend.
namespace lazaret::backend {

/// What one source says about one control.
struct Reading {
  Control control;
  EvidenceStatus status;
  std::string applied;
  std::string source;  ///< "runner report", "engine inspect", "/proc from outside"
};

/// What was asked of a control, in words and numbers.
[[nodiscard]] std::string requested(Control control, const policy::Spec& spec);

/// What the box can say about itself: interfaces, mounts, identity, limits, probes.
[[nodiscard]] std::vector<Reading> read_report(const SelfReport& report, const policy::Spec& spec);

/// A resource limit by its key in the report, and the most that it may be.
struct LimitOf {
  Control control;
  std::string key;  ///< "limit.nproc"
  std::uint64_t most;
};
[[nodiscard]] Reading read_limit(const SelfReport& report, const LimitOf& limit);

/// One piece of evidence for each control: the weakest reading decides; a control that nobody has
/// read is not enforced.
[[nodiscard]] std::vector<Evidence> judge(const std::vector<Reading>& readings,
                                          const policy::Spec& spec);

/// enforcement_mismatch that names each required control which is not fully enforced.
[[nodiscard]] Status require(const std::vector<Evidence>& evidence, const policy::Spec& spec);

/// Whether the evidence says that a control is, and not only partly.
[[nodiscard]] bool is_enforced(const std::vector<Evidence>& evidence, Control control);

/// full when every control is enforced, none when none of the default required ones is.
[[nodiscard]] Isolation isolation_of(const std::vector<Evidence>& evidence);

}  // namespace lazaret::backend
