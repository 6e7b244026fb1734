#include "os/terminal.hpp"

#include <utility>

#include "os/user.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {

std::optional<TerminalSize> terminal_size(int number) {
  CONSOLE_SCREEN_BUFFER_INFO found{};
  if (!::GetConsoleScreenBufferInfo(standard_stream(number), &found)) return std::nullopt;
  const SMALL_RECT& window = found.srWindow;
  return TerminalSize{static_cast<std::uint16_t>(window.Bottom - window.Top + 1),
                      static_cast<std::uint16_t>(window.Right - window.Left + 1)};
}

struct RawTerminal::Body {
  DWORD before = 0;
};

RawTerminal::RawTerminal() {
  constexpr DWORD kCooked = ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT;
  constexpr DWORD kSequences = 0x0200;  // ENABLE_VIRTUAL_TERMINAL_INPUT
  DWORD found = 0;
  if (!::GetConsoleMode(standard_stream(0), &found)) return;
  body_ = std::make_unique<Body>(Body{found});
  (void)::SetConsoleMode(standard_stream(0), (found & ~kCooked) | kSequences);
}

RawTerminal::~RawTerminal() {
  if (body_) (void)::SetConsoleMode(standard_stream(0), body_->before);
}

struct SizeWatch::Body {};

// A console tells of it among what is typed, which nobody reads as such here.
SizeWatch::SizeWatch(std::function<void(TerminalSize)>) {}

SizeWatch::~SizeWatch() = default;

}  // namespace lazaret::os
