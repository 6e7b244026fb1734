#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "base/guarded.hpp"
#include "base/wire.hpp"
#include "engine/client.hpp"
#include "engine/frames.hpp"
#include "http/exchange.hpp"

namespace lazaret::engine {

/// Decided by the `Tty` that was asked for, never by the Content-Type: engines lie about it.
enum class Framing { multiplexed, raw };

/// What came on standard error: its beginning, and how much there was.
struct SideOutput {
  std::string text;
  std::uint64_t total_bytes = 0;
};

inline constexpr std::size_t kSideOutputBytes = 64UL << 10;  ///< kept of standard error

/// The hijacked stream of a container or an exec as a Wire: writes go to its stdin as they are,
/// reads give its stdout; stderr is kept aside, bounded. close_write() gives the program its
/// end-of-file. Reading errors besides those of the Wire: protocol; connection_lost when the stream
/// ends within a frame; engine when the engine reports trouble of its own on the stream.
class AttachStream final : public Wire {
 public:
  AttachStream(http::Exchange::Stream stream, Framing framing);

  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into, const Call& call) override;
  [[nodiscard]] Status write(Bytes bytes, const Call& call) override;
  [[nodiscard]] Status close_write() override;
  /// So far. May be called from any thread.
  [[nodiscard]] SideOutput standard_error();

 private:
  [[nodiscard]] Status fill(const Call& call);
  [[nodiscard]] Result<std::size_t> deliver(std::span<std::byte> into);
  [[nodiscard]] Status set_aside(const FramePiece& piece);

  std::unique_ptr<Wire> wire_;
  Framing framing_;
  FrameDemuxer demuxer_;
  std::vector<std::byte> buffer_;
  Bytes input_;    ///< of buffer_: not demultiplexed yet
  Bytes pending_;  ///< of buffer_: stdout that did not fit the last read
  bool ended_ = false;
  Guarded<SideOutput> side_;
};

struct AttachOptions {
  Framing framing = Framing::multiplexed;
  bool standard_input = true;
  bool standard_output = true;
  bool standard_error = true;
};

/// Attaches to a container, created or running: do it before start() and nothing is lost.
[[nodiscard]] Result<std::unique_ptr<AttachStream>> attach(const EngineClient& client,
                                                           std::string_view id,
                                                           const AttachOptions& options,
                                                           const Call& call);

}  // namespace lazaret::engine
