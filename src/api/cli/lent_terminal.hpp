#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/condition.hpp"
#include "base/guarded.hpp"
#include "lazaret/request.hpp"
#include "os/terminal.hpp"

namespace lazaret::cli {

/// Output of a program's terminal on its way to ours, byte for byte, by a thread of its own. While
/// our reader is slow the program waits, for a moment at a time, since its time limit must hold all
/// the same; one who is 4 MiB behind, or has gone, ends the run.
class TerminalOutput {
 public:
  void put(std::string_view bytes, const std::stop_source& stop);
  /// Waits until all of it is written; whether it could be.
  [[nodiscard]] bool finish();

 private:
  void write(const std::stop_token& over);

  std::mutex mutex_;
  Condition changed_;
  std::string pending_;
  bool failed_ = false;
  std::jthread writer_;  // last: it uses everything above
};

/// The user's terminal, given to a run as long as this exists: what is typed goes to the program
/// as it is, and so does each change of size. Ctrl-] three times within a second ends the run.
class LentTerminal {
 public:
  /// Changes the request, and borrows the stop source. A standard input that is no terminal stays
  /// what it is.
  LentTerminal(ExecutionRequest& request, const std::stop_source& stop);

 private:
  Guarded<std::function<void(TerminalSize size)>> resize_;  // once the program has been started
  std::optional<os::SizeWatch> sizes_;
  std::optional<os::RawTerminal> raw_;
};

}  // namespace lazaret::cli
