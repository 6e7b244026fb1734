#include "api/cli/live_output.hpp"

#include <algorithm>
#include <chrono>

#include "base/condition.hpp"
#include "base/utf8.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

}  // namespace

bool write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fflush(file) == 0 && written;
}

void LiveOutput::attach(ExecutionRequest& request, const std::stop_source& stop) {
  if (request.terminal) {
    terminal_.emplace();
    request.on_output = [this, stop](Stream, std::string_view bytes) {
      terminal_->put(bytes, stop);
    };
    return;
  }
  request.on_output = [this, stop](Stream stream, std::string_view bytes) {
    Side& side = side_of(stream);
    side.take(bytes);
    side.watch(stop);
  };
}

void LiveOutput::settle() {
  if (terminal_) (void)terminal_->finish();
}

bool LiveOutput::finish(const ExecutionResult& result) {
  if (terminal_) return terminal_->finish();
  for (Side* const side : {&out_, &err_}) side->end_watch();
  const bool out = out_.finish(result.stdout_text, result.meta.output.stdout_bytes);
  return err_.finish(result.stderr_text, result.meta.output.stderr_bytes) && out;
}

void LiveOutput::Side::take(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  seen_ += bytes;
  push();
}

void LiveOutput::Side::push() {
  shown_ += os::write_without_waiting(number_, whole().substr(shown_));
}

void LiveOutput::Side::watch(const std::stop_source& stop) {
  if (watch_.joinable() || !is_behind()) return;
  watch_ = std::jthread([this, stop](const std::stop_token& over) mutable {
    std::mutex mutex;
    Condition never;
    for (std::unique_lock lock(mutex); !over.stop_requested();) {
      look(stop);
      const auto next = std::chrono::steady_clock::now() + kBetweenLooks;
      (void)never.wait_until(lock, over, next, [] { return false; });
    }
  });
}

void LiveOutput::Side::look(const std::stop_source& stop) {
  const std::scoped_lock lock(mutex_);
  if (!is_behind()) return;
  if (os::is_reader_gone(number_)) stop.request_stop();
  push();
}

bool LiveOutput::Side::finish(const std::string& text, std::uint64_t total) const {
  const bool is_all = total <= seen_.size();
  const std::string_view front = is_all ? std::string_view(seen_) : whole();
  if (!write_all(file_, front.substr(shown_))) return false;
  if (is_all) return true;
  const std::size_t head = to_utf8(front).size();
  return write_all(file_, std::string_view(text).substr(std::min(head, text.size())));
}

std::string_view LiveOutput::Side::whole() const {
  return std::string_view(seen_).substr(0, whole_prefix(seen_));
}

}  // namespace lazaret::cli
