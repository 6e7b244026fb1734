#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/control.hpp"
#include "lazaret/limits.hpp"

namespace lazaret::core::selftest {

/// How a program is judged that is seen from outside only. What is unset is not looked at.
struct Expectation {
  std::vector<std::string> causes;  ///< one of them, as in docs/result.md
  std::optional<Control> cause_of;  ///< where it is enforced, the first of them alone is right
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<double> seconds;    ///< at most
  std::optional<double> cpu_share;  ///< processors' worth of time, at most
  std::optional<std::uint64_t> stdout_bytes;
  std::optional<std::string> truncated;  ///< "stdout" or "both"
  std::optional<std::string> error;      ///< the type of the result's error
  std::optional<Control> enforced;       ///< as the evidence says
  std::optional<std::string> standard_output;
  std::optional<std::string> standard_error;
  std::optional<std::string> value;     ///< JSON
  std::optional<std::string> contents;  ///< of every file that was taken, of one at least
  bool no_survivors = false;
};

/// An attempt reports what came of it, and shares its box with others of its kind. A program is
/// judged from outside and has a box of its own.
enum class Kind { attempt, program };

/// One attack, or one ordinary program of section W, as it stands in src/core/probes/.
struct Probe {
  std::string id;  ///< section, row, name: "A-07-proc-fd"
  int row = 0;     ///< of the attacks in docs/threat-model.md; 0 in section W
  std::string title;
  std::string code;
  Kind kind = Kind::attempt;
  bool twice = false;        ///< tried in two boxes one after the other; the second one counts
  bool needs_scene = false;  ///< something of the host is to be reached
  bool way_out = false;      ///< an attempt beside a way out, where the backend has one
  std::string by_design;     ///< why success is no failure
  std::optional<Control> by_design_without;  ///< … but only where this control is not enforced
  bool by_design_of_engines = false;         ///< … but only in a container
  std::string no_control;                    ///< why it is not tried without a box
  std::string optional;                      ///< why the program may be missing
  std::vector<std::string> refused_by;  ///< errors that count as refusals beside the usual ones
  std::vector<int> signals;             ///< … and signals beside SIGSYS
  std::string language = "python";
  std::map<std::string, std::string> environment;
  std::optional<std::string> image;
  std::uint64_t input_bytes = 0;
  LimitOverrides limits;
  Expectation expectation;

  [[nodiscard]] char section() const { return id.empty() ? '?' : id.front(); }
};

}  // namespace lazaret::core::selftest
