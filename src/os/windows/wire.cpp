#include "os/wire.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/random.hpp"
#include "os/windows/sdk.hpp"
#include "os/windows/text.hpp"
#include "os/windows/wait.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kMostAtOnce = 1 << 20;
constexpr DWORD kPipeBuffer = 1 << 16;

DWORD length_for(std::size_t size) noexcept {
  return static_cast<DWORD>(std::min(size, kMostAtOnce));
}

/// One read or write that is under way. The kernel writes into it until it is over, so it is waited
/// for even after a cancellation.
class Transfer {
 public:
  static Result<Transfer> prepare(RawHandle stream) {
    LAZARET_TRY(Handle done, make_event());
    return Transfer(stream, std::move(done));
  }

  [[nodiscard]] OVERLAPPED* overlapped() noexcept {
    overlapped_.hEvent = done_.get();
    return &overlapped_;
  }

  /// Its length, `started` being what the call that began it returned. What was moved before a
  /// cancellation took hold counts: nothing that has left the pipe is lost.
  Result<std::size_t> finish(BOOL started, std::string_view what, const Call& call) {
    if (!started && ::GetLastError() != ERROR_IO_PENDING) return last_error(what);
    const Status waited = wait_for(done_.get(), call);
    if (!waited.ok()) (void)::CancelIoEx(stream_, &overlapped_);
    DWORD count = 0;
    if (::GetOverlappedResult(stream_, &overlapped_, &count, TRUE)) return std::size_t{count};
    const DWORD code = ::GetLastError();
    if (!waited.ok() && code == ERROR_OPERATION_ABORTED) return waited.error();
    return system_error(what, static_cast<int>(code));
  }

 private:
  Transfer(RawHandle stream, Handle done) : stream_(stream), done_(std::move(done)) {}

  RawHandle stream_;
  Handle done_;
  OVERLAPPED overlapped_{};
};

class PipeWire final : public Wire {
 public:
  explicit PipeWire(Handle stream) : stream_(std::move(stream)) {}

  Result<std::size_t> read(std::span<std::byte> into, const Call& call) override {
    if (into.empty()) return std::size_t{0};
    LAZARET_TRY(Transfer transfer, Transfer::prepare(stream_.get()));
    const BOOL started = ::ReadFile(stream_.get(), into.data(), length_for(into.size()), nullptr,
                                    transfer.overlapped());
    auto count = transfer.finish(started, "reading from the wire", call);
    if (!count.ok() && count.error().os_error() == ERROR_BROKEN_PIPE) return std::size_t{0};
    return count;
  }

  Status write(Bytes bytes, const Call& call) override {
    while (!bytes.empty()) {
      LAZARET_TRY(Transfer transfer, Transfer::prepare(stream_.get()));
      const BOOL started = ::WriteFile(stream_.get(), bytes.data(), length_for(bytes.size()),
                                       nullptr, transfer.overlapped());
      LAZARET_TRY(const std::size_t count, transfer.finish(started, "writing to the wire", call));
      bytes = bytes.subspan(count);
    }
    return {};
  }

  Status close_write() override {
    return Error(Errc::unsupported, "a named pipe cannot be closed in one direction");
  }

 private:
  Handle stream_;
};

std::wstring fresh_name() {
  std::string name = "\\\\.\\pipe\\lazaret-" + std::to_string(::GetCurrentProcessId());
  for (int word = 0; word < 4; ++word) name += "-" + std::to_string(random_word());
  return wide(name);
}

// One instance, ours, for this machine: who else comes to the name is turned away.
Result<Handle> listening_end(const std::wstring& name) {
  Handle end(::CreateNamedPipeW(
      name.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
      PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kPipeBuffer,
      kPipeBuffer, 0, nullptr));
  if (!end.valid()) return last_error("CreateNamedPipe");
  return end;
}

// SECURITY_ANONYMOUS: the other end may not act in our name.
Result<Handle> calling_end(const std::wstring& name) {
  Handle end(::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                           FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS,
                           nullptr));
  if (!end.valid()) return last_error("opening a named pipe");
  return end;
}

// The caller is there already, which ConnectNamedPipe reports as an error.
Status accept_caller(RawHandle end) {
  LAZARET_TRY(Transfer meeting, Transfer::prepare(end));
  const BOOL met = ::ConnectNamedPipe(end, meeting.overlapped());
  if (!met && ::GetLastError() == ERROR_PIPE_CONNECTED) return {};
  LAZARET_TRY([[maybe_unused]] const std::size_t none,
              meeting.finish(met, "ConnectNamedPipe", Call{}));
  return {};
}

}  // namespace

// The handle must have been opened with FILE_FLAG_OVERLAPPED, as those of stream_pair() are.
std::unique_ptr<Wire> wire_over(Handle stream) {
  return std::make_unique<PipeWire>(std::move(stream));
}

Result<std::pair<Handle, Handle>> stream_pair() {
  const std::wstring name = fresh_name();
  LAZARET_TRY(Handle first, listening_end(name));
  LAZARET_TRY(Handle second, calling_end(name));
  LAZARET_CHECK(accept_caller(first.get()));
  return std::pair{std::move(first), std::move(second)};
}

Result<std::unique_ptr<Wire>> connect_unix(const std::filesystem::path& path, const Call&) {
  return Error(Errc::unsupported,
               "connecting to " + narrow(path.native()) + ": no Unix sockets on Windows")
      .with_hint("run lazaret inside WSL, where the engine has a Unix socket");
}

Result<std::unique_ptr<Wire>> connect_own_unix(const std::filesystem::path& path,
                                               const Call& call) {
  return connect_unix(path, call);
}

}  // namespace lazaret::os
