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
/// Bytes that are there now: zero at the end of the stream, nothing when it would block.
[[nodiscard]] Result<std::optional<std::size_t>> read_now(RawHandle handle,
                                                          std::span<std::byte> into);
/// As many bytes as fit now; zero when it would block. Errors: connection_lost when nobody reads.
[[nodiscard]] Result<std::size_t> write_now(RawHandle handle, Bytes bytes);

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
