#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lazaret::bench {

/// One line of the table. A figure without a value was not measured, and `note` says why.
struct Figure {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string note = {};
};

/// Milliseconds that `work` takes.
[[nodiscard]] double milliseconds_of(const std::function<void()>& work);
/// The middle one; the list is not empty.
[[nodiscard]] double median(std::vector<double> values);

/// Medians of several kinds of work, measured in turns so that all see the same machine.
[[nodiscard]] std::vector<double> medians_in_turns(int rounds,
                                                   const std::vector<std::function<void()>>& kinds);

/// A program that ran to its end with its output thrown away.
struct Finished {
  int status = -1;    ///< of exit, or 128 and the signal
  long peak_kib = 0;  ///< of its memory, by rusage
};
[[nodiscard]] Finished run_program(const std::vector<std::string>& argv);
/// Ends the bench when the program does not exit with 0: a figure of a failure is no figure.
void must_run(const std::vector<std::string>& argv);

[[nodiscard]] std::vector<Figure> native_figures();
/// `endpoint` of Docker's, or empty: then the figures say that they were not measured.
[[nodiscard]] std::vector<Figure> docker_figures(const std::string& endpoint);

}  // namespace lazaret::bench
