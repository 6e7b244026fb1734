#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/selftest/judge.hpp"
#include "core/selftest/probe.hpp"

namespace lazaret::core::selftest {

/// What one probe has come to.
struct Finding {
  Probe probe;
  Judgement inside;
  Comparison bare;
};

struct Report {
  std::string backend;
  std::string runtime;
  std::string version;
  std::vector<Evidence> evidence;
  std::vector<Finding> findings;  ///< in the order of the probes
  double seconds = 0;
  bool complete = true;  ///< false after an interrupt

  [[nodiscard]] std::size_t count(Verdict verdict, char section = 0) const;
  [[nodiscard]] std::size_t count(Proof proof, char section = 0) const;
};

/// The report as JSON.
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace lazaret::core::selftest
