#include "runner/program/outbox.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "os/pipe.hpp"

namespace lazaret::runner {

void Outbox::put(FrameType type, Bytes payload) {
  queue_.append(frame_header(type, payload.size()));
  queue_.append(payload);
}

std::span<std::byte> Outbox::reserve() { return frame_room().subspan(kHeaderBytes); }

void Outbox::commit(FrameType type, std::size_t size) {
  if (size == 0) return;
  const auto header = frame_header(type, size);
  std::copy(header.begin(), header.end(), frame_room().begin());
  queue_.commit(kHeaderBytes + size);
}

Status Outbox::flush(os::RawHandle wire) {
  while (!empty()) {
    LAZARET_TRY(const std::size_t count, os::write_now(wire, queue_.bytes()));
    if (count == 0) break;
    queue_.drop(count);
  }
  return {};
}

// Asked for twice, the room is the same: nothing comes in between reserving and committing.
std::span<std::byte> Outbox::frame_room() {
  constexpr std::size_t kFrameBytes = kHeaderBytes + kStreamBytes;
  return queue_.room(kFrameBytes).first(kFrameBytes);
}

}  // namespace lazaret::runner
