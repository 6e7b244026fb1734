#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "lazaret/terminal.hpp"

/// The terminal in front of the user.
namespace lazaret::os {

/// Of the one behind a standard stream; nothing where there is none, or it does not say.
[[nodiscard]] std::optional<TerminalSize> terminal_size(int number);

/// As long as it exists the terminal behind standard input hands on what is typed byte by byte,
/// Ctrl-C among it, and echoes nothing (cfmakeraw(3)); quick_exit(3) ends that too. One at a time;
/// nothing where there is no terminal.
class RawTerminal {
 public:
  RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

/// Calls `changed` on a thread of its own when the terminal behind standard output has another
/// size. To be made before other threads, which would hear of it instead (SIGWINCH).
class SizeWatch {
 public:
  explicit SizeWatch(std::function<void(TerminalSize size)> changed);
  SizeWatch(const SizeWatch&) = delete;
  SizeWatch& operator=(const SizeWatch&) = delete;
  ~SizeWatch();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::os
