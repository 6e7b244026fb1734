#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "lazaret/request.hpp"
#include "os/terminal.hpp"

namespace lazaret::cli {

/// Output of a program's terminal on its way to ours, byte for byte. While our reader is slow the
/// program waits, for a moment at a time, since its time limit must hold all the same; one who is
/// megabytes behind ends the run.
class TerminalOutput {
 public:
  void put(std::string_view bytes, const std::stop_source& stop);
  /// Whether everything could be written.
  [[nodiscard]] bool finish();

 private:
  std::string pending_;
};

/// The user's terminal, given to a run as long as this exists: what is typed goes to the program
/// as it is, and so does each change of size. Ctrl-] three times within a second ends the run.
class LentTerminal {
 public:
  /// Changes the request, and borrows the stop source. A standard input that is no terminal stays
  /// what it is.
  LentTerminal(ExecutionRequest& request, const std::stop_source& stop);

 private:
  std::mutex mutex_;
  std::function<void(TerminalSize size)> resize_;  // once the program has been started
  std::optional<os::SizeWatch> sizes_;
  std::optional<os::RawTerminal> raw_;
};

}  // namespace lazaret::cli
