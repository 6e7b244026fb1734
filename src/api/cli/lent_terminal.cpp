#include "api/cli/lent_terminal.hpp"

#include <chrono>
#include <utility>

#include "api/cli/live_output.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOutput = 1;
constexpr std::size_t kPieceBytes = 4096, kSlow = 64UL << 10, kHopeless = 4UL << 20;
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
    const bool goes_on = typed == kEscape && seen_ > 0 && now - first_ <= kEscapeTime;
    if (!goes_on) first_ = now;
    seen_ = typed != kEscape ? 0 : goes_on ? seen_ + 1 : 1;
    if (seen_ == kEscapes) stop_.request_stop();
  }

  std::stop_source stop_;
  int seen_ = 0;
  Clock::time_point first_;
};

}  // namespace

// The thread is made by the first output: by then interrupts have one of their own.
void TerminalOutput::put(std::string_view bytes, const std::stop_source& stop) {
  if (!writer_.joinable())
    writer_ = std::jthread([this](const std::stop_token& over) { write(over); });
  std::unique_lock lock(mutex_);
  if (failed_ || bytes.size() > kHopeless - pending_.size()) {
    std::stop_source(stop).request_stop();
    return;
  }
  pending_ += bytes;
  changed_.notify_all();
  const auto until = Clock::now() + kPatience;
  (void)changed_.wait_until(lock, stop.get_token(), until,
                            [this] { return pending_.size() <= kSlow || failed_; });
}

// What waits stays pending until it has been written: finish() waits for that.
void TerminalOutput::write(const std::stop_token& over) {
  for (std::unique_lock lock(mutex_);;) {
    if (!changed_.wait(lock, over, [this] { return !pending_.empty() && !failed_; })) return;
    const std::string piece = pending_.substr(0, kPieceBytes);
    lock.unlock();
    const bool written = write_all(stdout, piece);
    lock.lock();
    failed_ = !written;
    pending_.erase(0, piece.size());
    changed_.notify_all();
  }
}

bool TerminalOutput::finish() {
  std::unique_lock lock(mutex_);
  (void)changed_.wait(lock, std::stop_token(), [this] { return pending_.empty() || failed_; });
  return !failed_;
}

LentTerminal::LentTerminal(ExecutionRequest& request, const std::stop_source& stop) {
  if (!os::is_terminal(0)) return;
  request.terminal = os::terminal_size(kOutput).value_or(*request.terminal);
  request.stdin_source = Typed(stop);
  request.on_terminal = [this](std::function<void(TerminalSize)> resize) {
    if (const auto size = os::terminal_size(kOutput)) resize(*size);
    resize_.with([&resize](auto& known) { known = std::move(resize); });
    raw_.emplace();  // not sooner: until then Ctrl-C is an interrupt
  };
  sizes_.emplace([this](TerminalSize size) {
    const auto resize = resize_.with([](auto& known) { return known; });
    if (resize) resize(size);
  });
}

}  // namespace lazaret::cli
