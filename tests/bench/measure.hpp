#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "lazaret/result.hpp"

namespace lazaret::bench {

/// Ends the bench, and on the way out all that it has started: a figure of a failure is no figure.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value, or the end of the bench.
template <typename T>
T must(Result<T> result, const std::string& doing) {
  if (!result.ok()) throw Failure(doing + ": " + result.error().message());
  return std::move(result).value();
}
void must(const Status& status, const std::string& doing);

/// From here on SIGINT, SIGTERM and SIGHUP end the bench after the piece of work that is going on.
void listen_for_interrupts();
[[nodiscard]] bool interrupted();

/// Milliseconds that `work` takes.
[[nodiscard]] double milliseconds_of(const std::function<void()>& work);

/// Returns when nine tenths of the processors have been idle for a moment, or after 0.6 s: what was
/// measured before has left things to be cleared away, or to be made ahead.
void come_to_rest();

/// Something that is measured beside others.
struct Candidate {
  std::string name;
  Who who;
  std::function<void()> work;           ///< until its caller has the whole result
  std::function<void()> after = [] {};  ///< clears away, and is not measured
  std::string missing = {};             ///< why it cannot be measured
};

/// All of them in turns (A B C A B C), so that all see the same machine: a few rounds that do not
/// count, then `rounds`. Before each the machine comes to rest.
[[nodiscard]] std::vector<Timing> in_turns(int rounds, const std::vector<Candidate>& candidates);

/// A program and how it is started.
struct Program {
  std::vector<std::string> argv;              ///< the first element is looked up in PATH
  std::vector<std::string> environment = {};  ///< NAME=value, beside our own
};

/// These and our own environment; what is named twice is what it is first.
[[nodiscard]] std::vector<std::string> with_ours(std::vector<std::string> environment);

/// A program that ran to its end; its standard error is thrown away.
struct Finished {
  int status = -1;     ///< of exit, or 128 and the signal
  long peak_kib = 0;   ///< of its memory, by rusage
  std::string output;  ///< its standard output
};
[[nodiscard]] Finished run_program(const Program& program);
/// Ends the bench when the program does not exit with 0, or prints anything else.
void must_print(const Program& program, const std::string& output);
/// A candidate's work.
[[nodiscard]] std::function<void()> running(Program program, std::string output = {});
/// Whether PATH holds it.
[[nodiscard]] bool is_installed(const std::string& program);

}  // namespace lazaret::bench
