#pragma once

#include <cstddef>
#include <span>

#include "base/bytes.hpp"
#include "base/call.hpp"
#include "lazaret/result.hpp"

namespace lazaret {

/// A duplex byte stream with deadlines and cancellation: a Unix socket, a named pipe, TLS, a fake.
/// One thread may read while another writes; neither side may be shared further.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  /// Waits for at least one byte; zero means the peer has closed its side.
  /// Errors: timed_out, cancelled, connection_lost, system.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> into, const Call& call) = 0;
  /// Writes all of `bytes`. After an error it is unknown how much arrived.
  /// Errors: timed_out, cancelled, connection_lost, system.
  [[nodiscard]] virtual Status write(Bytes bytes, const Call& call) = 0;
  /// Tells the peer that no more bytes come. Errors: unsupported (named pipes), system.
  [[nodiscard]] virtual Status close_write() = 0;
};

}  // namespace lazaret
