#include "runner/byte_queue.hpp"

#include <cstring>
#include <utility>

namespace lazaret::runner {

std::span<std::byte> ByteQueue::room(std::size_t least) {
  // Moved only once as much has left as there is to move: each byte moves once on the average.
  if (capacity_ - end_ < least && begin_ >= size() && capacity_ - size() >= least) {
    move_to(memory_.get());
  }
  if (capacity_ - end_ < least) {
    const std::size_t capacity = 2 * (size() + least);
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    move_to(larger.get());
    memory_ = std::move(larger);
    capacity_ = capacity;
  }
  return {memory_.get() + end_, capacity_ - end_};
}

void ByteQueue::append(Bytes bytes) {
  if (bytes.empty()) return;
  std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
  commit(bytes.size());
}

void ByteQueue::drop(std::size_t count) noexcept {
  begin_ += count;
  if (empty()) begin_ = end_ = 0;
}

void ByteQueue::move_to(std::byte* memory) noexcept {
  if (!empty()) std::memmove(memory, memory_.get() + begin_, size());
  end_ -= begin_;
  begin_ = 0;
}

}  // namespace lazaret::runner
