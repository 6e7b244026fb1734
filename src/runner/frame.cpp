#include "runner/frame.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace lazaret::runner {
namespace {

constexpr std::size_t kMostRead = 64UL << 10;

struct TypeRow {
  FrameType type;
  Direction direction;
  std::size_t cap;
};

constexpr std::array kTypes = {
    TypeRow{FrameType::job, Direction::to_runner, kJobBytes},
    TypeRow{FrameType::stdin_data, Direction::to_runner, kStreamBytes},
    TypeRow{FrameType::stdin_end, Direction::to_runner, 0},
    TypeRow{FrameType::signal, Direction::to_runner, 4},
    TypeRow{FrameType::compile, Direction::to_runner, kJobBytes},
    TypeRow{FrameType::prepare, Direction::to_runner, kJobBytes},
    TypeRow{FrameType::put, Direction::to_runner, kEntryBytes},
    TypeRow{FrameType::put_data, Direction::to_runner, kStreamBytes},
    TypeRow{FrameType::put_end, Direction::to_runner, 0},
    TypeRow{FrameType::get, Direction::to_runner, kEntryBytes},
    TypeRow{FrameType::change, Direction::to_runner, kEntryBytes},
    TypeRow{FrameType::end_context, Direction::to_runner, kContextBytes},
    TypeRow{FrameType::resize, Direction::to_runner, 4},
    TypeRow{FrameType::watch, Direction::to_runner, 0},
    TypeRow{FrameType::hello, Direction::to_host, 16},
    TypeRow{FrameType::report, Direction::to_host, kReportBytes},
    TypeRow{FrameType::started, Direction::to_host, 4},
    TypeRow{FrameType::stdout_data, Direction::to_host, kStreamBytes},
    TypeRow{FrameType::stderr_data, Direction::to_host, kStreamBytes},
    TypeRow{FrameType::value_data, Direction::to_host, kStreamBytes},
    TypeRow{FrameType::stdin_credit, Direction::to_host, 4},
    TypeRow{FrameType::exited, Direction::to_host, 32},
    TypeRow{FrameType::failed, Direction::to_host, 1024},
    TypeRow{FrameType::prepared, Direction::to_host, 4},
    TypeRow{FrameType::placed, Direction::to_host, kEntryBytes},
    TypeRow{FrameType::entry, Direction::to_host, kEntryBytes},
    TypeRow{FrameType::entry_data, Direction::to_host, kStreamBytes},
    TypeRow{FrameType::got, Direction::to_host, 8},
    TypeRow{FrameType::event, Direction::to_host, kEntryBytes},
};

const TypeRow* row_of(FrameType type) noexcept {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [type](const TypeRow& row) { return row.type == type; });
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

std::size_t payload_cap(FrameType type) noexcept {
  const TypeRow* const row = row_of(type);
  return row == nullptr ? 0 : row->cap;
}

std::array<std::byte, kHeaderBytes> frame_header(FrameType type, std::size_t size) {
  std::array<std::byte, kHeaderBytes> header{};
  for (std::size_t index = 0; index < 4; ++index) {
    header[index] = static_cast<std::byte>((size >> (8 * index)) & 0xFF);
  }
  header[4] = static_cast<std::byte>(type);
  return header;
}

std::vector<std::byte> encode_frame(FrameType type, Bytes payload) {
  const auto header = frame_header(type, payload.size());
  std::vector<std::byte> frame(kHeaderBytes + payload.size());
  std::copy(payload.begin(), payload.end(), std::copy(header.begin(), header.end(), frame.begin()));
  return frame;
}

std::span<std::byte> FrameReader::space() { return queue_.room(read_bytes_).first(read_bytes_); }

void FrameReader::commit(std::size_t count) noexcept {
  queue_.commit(count);
  if (count == read_bytes_) read_bytes_ = std::min(2 * read_bytes_, kMostRead);
}

Result<std::size_t> FrameReader::payload_size(std::span<const std::byte> header) const {
  std::size_t size = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    size |= std::to_integer<std::size_t>(header[index]) << (8 * index);
  }
  const TypeRow* const row = row_of(static_cast<FrameType>(header[4]));
  if (row == nullptr || row->direction != direction_) {
    return Error(Errc::protocol, "runner frame of a type that does not belong here");
  }
  if (size > row->cap) return Error(Errc::protocol, "runner frame longer than its type allows");
  if (header[5] != std::byte{0} || header[6] != std::byte{0} || header[7] != std::byte{0}) {
    return Error(Errc::protocol, "runner frame with reserved bits set");
  }
  return size;
}

bool FrameReader::may_begin(FrameType type) const noexcept {
  constexpr std::size_t kTypeAt = 4;
  const Bytes come = queue_.bytes();
  return come.size() <= kTypeAt || come[kTypeAt] == static_cast<std::byte>(type);
}

Result<std::optional<Frame>> FrameReader::next() {
  if (failed_) return Error(Errc::protocol, "runner stream has failed before");
  const Bytes come = queue_.bytes();
  if (come.size() < kHeaderBytes) return std::optional<Frame>();
  const auto header = come.first(kHeaderBytes);
  auto size = payload_size(header);
  if (!size.ok()) {
    failed_ = true;
    return std::move(size).error();
  }
  if (come.size() < kHeaderBytes + *size) return std::optional<Frame>();
  queue_.drop(kHeaderBytes + *size);
  return std::optional<Frame>(
      Frame{static_cast<FrameType>(header[4]), come.subspan(kHeaderBytes, *size)});
}

}  // namespace lazaret::runner
