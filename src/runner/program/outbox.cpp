#include "runner/program/outbox.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "os/pipe.hpp"

namespace lazaret::runner {

void Outbox::put(FrameType type, Bytes payload) {
  const auto header = frame_header(type, payload.size());
  bytes_.insert(bytes_.end(), header.begin(), header.end());
  bytes_.insert(bytes_.end(), payload.begin(), payload.end());
}

std::span<std::byte> Outbox::reserve() {
  reserved_at_ = bytes_.size();
  bytes_.resize(reserved_at_ + kHeaderBytes + kStreamBytes);
  return std::span(bytes_).subspan(reserved_at_ + kHeaderBytes);
}

void Outbox::commit(FrameType type, std::size_t size) {
  if (size == 0) {
    bytes_.resize(reserved_at_);
    return;
  }
  const auto header = frame_header(type, size);
  std::copy(header.begin(), header.end(),
            bytes_.begin() + static_cast<std::ptrdiff_t>(reserved_at_));
  bytes_.resize(reserved_at_ + kHeaderBytes + size);
}

Status Outbox::flush(os::RawHandle wire) {
  while (!empty()) {
    LAZARET_TRY(const std::size_t count,
                os::write_now(wire, std::span<const std::byte>(bytes_).subspan(begin_)));
    if (count == 0) break;
    begin_ += count;
  }
  drop_sent();
  return {};
}

// A wire that is never quite empty must not keep what it has carried; moving costs little this way.
void Outbox::drop_sent() {
  if (!empty() && begin_ < kHighWater) return;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
}

}  // namespace lazaret::runner
