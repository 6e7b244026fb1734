#include <array>

#include "base/undo.hpp"
#include "os/user.hpp"
#include "os/windows/sdk.hpp"
#include "os/windows/text.hpp"
#include "os/windows/wait.hpp"

namespace lazaret::os {
namespace {

constexpr wchar_t kEndOfInput = 0x1A;  // Ctrl-Z
constexpr int kMostTries = 100;
constexpr DWORD kBetweenTries = 10;  // milliseconds

// Ends another thread's read. One that has not reached the system yet cannot be cancelled
// (CancelSynchronousIo answers ERROR_NOT_FOUND), so it is tried again until that thread is through.
void end_read(RawHandle thread, RawHandle done) noexcept {
  if (::GetThreadId(thread) == ::GetCurrentThreadId()) return;
  for (int tries = 0; tries < kMostTries; ++tries) {
    (void)::CancelSynchronousIo(thread);
    if (::WaitForSingleObject(done, kBetweenTries) == WAIT_OBJECT_0) return;
  }
}

Handle this_thread() {
  constexpr DWORD kAccess = THREAD_TERMINATE | THREAD_QUERY_LIMITED_INFORMATION;
  const HANDLE thread = ::OpenThread(kAccess, FALSE, ::GetCurrentThreadId());
  return thread == nullptr ? Handle() : Handle(thread);
}

// ReadFile would give the console's code page and lose what it does not hold.
std::string read_console(RawHandle console) {
  std::array<wchar_t, 16384> part{};
  DWORD count = 0;
  if (!::ReadConsoleW(console, part.data(), static_cast<DWORD>(part.size()), &count, nullptr) ||
      count == 0 || part.front() == kEndOfInput) {
    return {};
  }
  return narrow({part.data(), count});
}

std::string read_bytes(RawHandle input) {
  std::array<char, 32768> part{};
  DWORD count = 0;
  if (!::ReadFile(input, part.data(), static_cast<DWORD>(part.size()), &count, nullptr)) return {};
  return {part.data(), count};
}

}  // namespace

std::string read_standard_input(const std::stop_token& stop) {
  const Handle thread = this_thread();
  const auto done = make_event();
  if (!thread.valid() || !done.ok()) return {};
  const std::stop_callback cancel(stop, [&] { end_read(thread.get(), done->get()); });
  Undo through;  // runs before the callback's destructor, which waits for the callback
  through.add([&done] { (void)::SetEvent(done->get()); });
  if (stop.stop_requested()) return {};
  return is_terminal(0) ? read_console(standard_stream(0)) : read_bytes(standard_stream(0));
}

}  // namespace lazaret::os
