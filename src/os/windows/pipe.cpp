#include "os/pipe.hpp"

#include <algorithm>

#include "os/error.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kMostAtOnce = 1 << 20;

DWORD length_for(std::size_t size) noexcept {
  return static_cast<DWORD>(std::min(size, kMostAtOnce));
}

}  // namespace

// Handles are inherited only when asked for, which is what close-on-exec means here.
Result<std::pair<Handle, Handle>> make_pipe() {
  HANDLE out = nullptr, in = nullptr;
  if (!::CreatePipe(&out, &in, nullptr, 0)) return last_error("CreatePipe");
  return std::pair{Handle(out), Handle(in)};
}

Status set_nonblocking(RawHandle) {
  return Error(Errc::unsupported, "anonymous pipes always block on Windows");
}

void widen(RawHandle) noexcept {}

Result<std::optional<std::size_t>> read_now(RawHandle handle, std::span<std::byte> into) {
  DWORD there = 0, count = 0;
  if (!::PeekNamedPipe(handle, nullptr, 0, nullptr, &there, nullptr)) {
    if (::GetLastError() == ERROR_BROKEN_PIPE) return std::optional(std::size_t{0});
    return last_error("PeekNamedPipe");
  }
  if (there == 0) return std::optional<std::size_t>();
  const DWORD wanted = std::min(there, length_for(into.size()));
  if (!::ReadFile(handle, into.data(), wanted, &count, nullptr)) return last_error("ReadFile");
  return std::optional(std::size_t{count});
}

// As on Linux, a handle that was not made non-blocking is waited for.
Result<std::size_t> write_now(RawHandle handle, Bytes bytes) {
  DWORD count = 0;
  if (!::WriteFile(handle, bytes.data(), length_for(bytes.size()), &count, nullptr)) {
    return last_error("WriteFile");
  }
  return std::size_t{count};
}

Result<std::optional<std::size_t>> move_now(RawHandle, RawHandle, std::size_t) {
  return Error(Errc::unsupported, "pipes are copied on Windows");
}

bool is_socket(RawHandle) noexcept { return false; }

Status wait_ready(std::span<Watch>, const Call&) {
  return Error(Errc::unsupported, "pipes cannot be waited for together on Windows");
}

}  // namespace lazaret::os
