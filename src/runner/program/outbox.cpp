#include "runner/program/outbox.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/try.hpp"
#include "os/pipe.hpp"

namespace lazaret::runner {

void Outbox::put(FrameType type, Bytes payload) {
  take_from_aside();
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

Result<std::optional<std::size_t>> Outbox::move(FrameType type, os::RawHandle pipe) {
  take_from_aside();
  if (!pipe_.first.valid()) {
    LAZARET_TRY(pipe_, os::make_pipe());
  }
  LAZARET_TRY(const auto count, os::move_now(pipe, pipe_.second.get(), kStreamBytes));
  aside_ = count.value_or(0);
  if (aside_ > 0) queue_.append(frame_header(type, aside_));
  return count;
}

Status Outbox::flush(os::RawHandle wire) {
  while (!queue_.empty()) {
    LAZARET_TRY(const std::size_t count, os::write_now(wire, queue_.bytes()));
    if (count == 0) return {};
    queue_.drop(count);
  }
  while (aside_ > 0) {
    LAZARET_TRY(const auto count, os::move_now(pipe_.first.get(), wire, aside_));
    if (count.value_or(0) == 0) return {};
    aside_ -= *count;
  }
  return {};
}

// What is there has been counted, and nobody else reads it: this never waits.
void Outbox::take_from_aside() {
  while (aside_ > 0) {
    const auto count = os::read_now(pipe_.first.get(), queue_.room(aside_).first(aside_));
    if (!count.ok() || count->value_or(0) == 0) std::abort();
    queue_.commit(**count);
    aside_ -= **count;
  }
}

// Asked for twice, the room is the same: nothing comes in between reserving and committing.
std::span<std::byte> Outbox::frame_room() {
  take_from_aside();
  constexpr std::size_t kFrameBytes = kHeaderBytes + kStreamBytes;
  return queue_.room(kFrameBytes).first(kFrameBytes);
}

}  // namespace lazaret::runner
