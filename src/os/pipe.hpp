#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "base/call.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// Read end and write end; both close on exec.
[[nodiscard]] Result<std::pair<Handle, Handle>> make_pipe();
[[nodiscard]] Status set_nonblocking(RawHandle handle);
/// Room for more bytes at once than a pipe begins with, where the system gives it: who writes much
/// waits less often for who reads (pipe(7), F_SETPIPE_SZ). Of no effect on Windows.
void widen(RawHandle pipe) noexcept;
/// Bytes that are there now: zero at the end of the stream, nothing when it would block.
[[nodiscard]] Result<std::optional<std::size_t>> read_now(RawHandle handle,
                                                          std::span<std::byte> into);
/// As many bytes as fit now; zero when it would block. Errors: connection_lost when nobody reads.
[[nodiscard]] Result<std::size_t> write_now(RawHandle handle, Bytes bytes);

/// At most that many bytes from a pipe to another or to a socket, with their pages instead of by
/// copying (splice(2)): their number, zero at the end of the stream, nothing when either would
/// block. Errors: unsupported on Windows.
[[nodiscard]] Result<std::optional<std::size_t>> move_now(RawHandle pipe, RawHandle to,
                                                          std::size_t most);
/// Whether it is a socket, and no pipe: whoever reads one is told nothing of how the bytes were
/// written, as they are of a pipe's packets (pipe(2), O_DIRECT). Never on Windows.
[[nodiscard]] bool is_socket(RawHandle handle) noexcept;

/// One handle in a wait: what is wanted, and afterwards what is there.
struct Watch {
  RawHandle handle = kNoHandle;  ///< kNoHandle entries are skipped
  bool want_read = false;
  bool want_write = false;
  bool ready = false;  ///< readable, writable, closed or broken: the next call will not block
};

/// Waits until a watch is ready. Errors: timed_out, cancelled, system.
[[nodiscard]] Status wait_ready(std::span<Watch> watches, const Call& call);

}  // namespace lazaret::os
