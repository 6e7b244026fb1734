#pragma once

#include <cstdint>

namespace lazaret {

/// Of a terminal, in characters, each from 1 on (ioctl_tty(2), TIOCSWINSZ).
struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
  [[nodiscard]] friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};

}  // namespace lazaret
