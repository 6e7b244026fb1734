#include "engine/attach.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "engine/failure.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kReadBytes = 64UL << 10;

std::string_view flag(bool on) noexcept { return on ? "1" : "0"; }

}  // namespace

AttachStream::AttachStream(http::Exchange::Stream stream, Framing framing)
    : wire_(std::move(stream.wire)), framing_(framing), buffer_(std::move(stream.leftover)) {
  input_ = buffer_;
}

Result<std::size_t> AttachStream::read(std::span<std::byte> into, const Call& call) {
  if (into.empty()) return std::size_t{0};
  for (bool has_looked = false;; has_looked = true) {
    LAZARET_TRY(const std::size_t count, deliver(into));
    if (count > 0 || ended_) return count;
    // Once in any case, as any wire does: who does not wait is to hear of its end, too. Not more
    // often, as a stream of empty frames would keep the wire from ever waiting.
    if (has_looked) LAZARET_CHECK(call.check());
    LAZARET_CHECK(fill(call));
  }
}

// Zero when nothing of what has come is standard output.
Result<std::size_t> AttachStream::deliver(std::span<std::byte> into) {
  while (pending_.empty()) {
    if (framing_ == Framing::raw) {
      pending_ = std::exchange(input_, {});
      break;
    }
    LAZARET_TRY(const std::optional<FramePiece> piece, demuxer_.next(input_));
    if (!piece) break;
    if (piece->stream == FrameStream::standard_output) pending_ = piece->bytes;
    LAZARET_CHECK(set_aside(*piece));
  }
  const std::size_t count = std::min(pending_.size(), into.size());
  std::copy_n(pending_.begin(), count, into.begin());
  pending_ = pending_.subspan(count);
  return count;
}

Status AttachStream::set_aside(const FramePiece& piece) {
  if (piece.stream == FrameStream::system_error) {
    return Error(Errc::engine,
                 "the engine lost the container's stream: " + one_line(text_of(piece.bytes)));
  }
  if (piece.stream != FrameStream::standard_error) return {};
  side_.with([&piece](SideOutput& side) {
    side.total_bytes += piece.bytes.size();
    side.text += text_of(piece.bytes).substr(0, kSideOutputBytes - side.text.size());
  });
  return {};
}

Status AttachStream::fill(const Call& call) {
  buffer_.resize(kReadBytes);
  LAZARET_TRY(const std::size_t count, wire_->read(buffer_, call));
  input_ = Bytes(buffer_).first(count);
  if (count > 0) return {};
  ended_ = true;
  if (framing_ == Framing::multiplexed && !demuxer_.between_frames()) {
    return Error(Errc::connection_lost, "the engine's stream ends within a frame");
  }
  return {};
}

Status AttachStream::write(Bytes bytes, const Call& call) { return wire_->write(bytes, call); }

Status AttachStream::close_write() { return wire_->close_write(); }

SideOutput AttachStream::standard_error() {
  return side_.with([](const SideOutput& side) { return side; });
}

Result<std::unique_ptr<AttachStream>> attach(const EngineClient& client, std::string_view id,
                                             const AttachOptions& options, const Call& call) {
  Target target = Target("containers")
                      .id(id)
                      .word("attach")
                      .query("stream", "1")
                      .query("stdin", flag(options.standard_input))
                      .query("stdout", flag(options.standard_output))
                      .query("stderr", flag(options.standard_error));
  LAZARET_TRY(http::Exchange::Stream stream, client.hijack({.doing = "attaching to the container",
                                                            .method = "POST",
                                                            .target = std::move(target)},
                                                           call));
  return std::make_unique<AttachStream>(std::move(stream), options.framing);
}

}  // namespace lazaret::engine
