#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/client.hpp"
#include "os/init.hpp"

namespace lazaret::backend::docker {

/// Hears of an engine's images, in a thread of its own, so that whoever has looked at one need not
/// look again as long as nothing was told of any (/events). Thread-safe.
class ImageWatch {
 public:
  explicit ImageWatch(std::shared_ptr<const engine::EngineClient> client)
      : client_(std::move(client)) {}
  ImageWatch(const ImageWatch&) = delete;
  ImageWatch& operator=(const ImageWatch&) = delete;
  /// In a fork of the process it was made in it is without its thread, and waits for none.
  ~ImageWatch();

  /// From now on. Where there is no thread to be had nothing is heard.
  void listen();
  /// Another number after each piece of news, and whenever some may have been missed; none while
  /// nothing is heard.
  [[nodiscard]] std::optional<std::uint64_t> edition() const;

 private:
  void hear(const std::stop_token& stop);

  const std::uint32_t owner_ = os::process_id();
  std::shared_ptr<const engine::EngineClient> client_;
  std::once_flag begun_;
  std::atomic<std::uint64_t> edition_ = 0;
  std::atomic<bool> hears_ = false;
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace lazaret::backend::docker
