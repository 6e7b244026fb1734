#include "api/cli/lent_terminal.hpp"

#include <chrono>
#include <utility>

#include "api/cli/live_output.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOutput = 1;
constexpr std::size_t kSlow = 64UL << 10, kHopeless = 4UL << 20;
constexpr std::chrono::milliseconds kPatience{100};
constexpr char kEscape = '\x1D';  // Ctrl-]
constexpr int kEscapes = 3;
constexpr std::chrono::seconds kEscapeTime{1};

// What is typed, with an eye on who wants to get out.
class Typed {
 public:
  explicit Typed(std::stop_source stop) : stop_(std::move(stop)) {}

  std::string operator()(const std::stop_token& stop) {
    std::string piece = os::read_standard_input(stop);
    for (const char typed : piece) count(typed);
    return piece;
  }

 private:
  void count(char typed) {
    const auto now = Clock::now();
    const bool goes_on = typed == kEscape && now - first_ <= kEscapeTime;
    if (!goes_on) first_ = now;
    seen_ = typed != kEscape ? 0 : goes_on ? seen_ + 1 : 1;
    if (seen_ == kEscapes) stop_.request_stop();
  }

  std::stop_source stop_;
  int seen_ = 0;
  Clock::time_point first_;
};

}  // namespace

void TerminalOutput::put(std::string_view bytes, const std::stop_source& stop) {
  pending_ += bytes;
  const auto until = Clock::now() + kPatience;
  do {
    pending_.erase(0, os::write_without_waiting(kOutput, pending_));
  } while (pending_.size() > kSlow && Clock::now() < until &&
           os::wait_to_write(kOutput, kPatience));
  if (pending_.size() > kHopeless || os::is_reader_gone(kOutput)) stop.request_stop();
}

bool TerminalOutput::finish() { return write_all(stdout, std::exchange(pending_, {})); }

LentTerminal::LentTerminal(ExecutionRequest& request, const std::stop_source& stop) {
  if (!os::is_terminal(0)) return;
  request.terminal = os::terminal_size(kOutput).value_or(*request.terminal);
  request.stdin_source = Typed(stop);
  request.on_terminal = [this](std::function<void(TerminalSize)> resize) {
    const std::scoped_lock lock(mutex_);
    resize_ = std::move(resize);
    if (const auto size = os::terminal_size(kOutput)) resize_(*size);
  };
  sizes_.emplace([this](TerminalSize size) {
    const std::scoped_lock lock(mutex_);
    if (resize_) resize_(size);
  });
  raw_.emplace();
}

}  // namespace lazaret::cli
