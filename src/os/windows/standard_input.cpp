#include <array>
#include <thread>

#include "base/undo.hpp"
#include "os/user.hpp"
#include "os/windows/sdk.hpp"
#include "os/windows/text.hpp"
#include "os/windows/wait.hpp"

namespace lazaret::os {
namespace {

constexpr wchar_t kEndOfInput = 0x1A;  // Ctrl-Z
constexpr DWORD kBetweenTries = 10;    // milliseconds

Handle this_thread() {
  constexpr DWORD kAccess = THREAD_TERMINATE | THREAD_QUERY_LIMITED_INFORMATION;
  const HANDLE thread = ::OpenThread(kAccess, FALSE, ::GetCurrentThreadId());
  return thread == nullptr ? Handle() : Handle(thread);
}

// Ends the read of `thread` once `stop` is requested. One that has not reached the system yet
// cannot be cancelled (CancelSynchronousIo: ERROR_NOT_FOUND), so this goes on until it is `done`.
void end_read_on_stop(RawHandle thread, RawHandle done, const std::stop_token& stop) {
  if (wait_for(done, Call{Deadline::never(), stop}).ok()) return;
  do {
    (void)::CancelSynchronousIo(thread);
  } while (::WaitForSingleObject(done, kBetweenTries) == WAIT_TIMEOUT);
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

std::string read_one_part() {
  return is_terminal(0) ? read_console(standard_stream(0)) : read_bytes(standard_stream(0));
}

}  // namespace

std::string read_standard_input(const std::stop_token& stop) {
  if (!stop.stop_possible()) return read_one_part();
  const Handle thread = this_thread();
  const auto done = make_event();
  if (!thread.valid() || !done.ok()) return {};
  const std::jthread watcher([&] { end_read_on_stop(thread.get(), done->get(), stop); });
  Undo through;  // runs before the watcher is joined
  through.add([&done] { (void)::SetEvent(done->get()); });
  return read_one_part();
}

}  // namespace lazaret::os
