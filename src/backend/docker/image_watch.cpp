#include "backend/docker/image_watch.hpp"

#include <chrono>
#include <condition_variable>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/condition.hpp"
#include "engine/system.hpp"

namespace lazaret::backend::docker {
namespace {

// An engine that is away is asked again so often: until then images are looked at one by one.
constexpr std::chrono::seconds kBetweenAttempts{1};

void pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  (void)Condition().wait_until(lock, stop, std::chrono::steady_clock::now() + kBetweenAttempts,
                               [] { return false; });
}

}  // namespace

ImageWatch::~ImageWatch() {
  if (os::process_id() != owner_ && thread_.joinable()) thread_.detach();
}

void ImageWatch::listen() {
  std::call_once(begun_, [this] {
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) { hear(stop); });
    } catch (const std::system_error&) {
    }
  });
}

std::optional<std::uint64_t> ImageWatch::edition() const {
  if (!hears_) return std::nullopt;
  return edition_;
}

// The number changes first: who reads it afterwards has read what it tells of.
void ImageWatch::hear(const std::stop_token& stop) {
  const engine::system::EventsOptions options{.filters = {{"type", {"image"}}}, .begun = [this] {
                                                ++edition_;
                                                hears_ = true;
                                              }};
  const auto count = [this](const nlohmann::json&) {
    ++edition_;
    return Status();
  };
  while (!stop.stop_requested()) {
    (void)engine::system::events(*client_, options, count, {Deadline::never(), stop}).ok();
    hears_ = false;
    pause(stop);
  }
}

}  // namespace lazaret::backend::docker
