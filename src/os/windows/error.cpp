#include "os/error.hpp"

#include <array>

#include "os/windows/sdk.hpp"
#include "os/windows/text.hpp"

namespace lazaret::os {
namespace {

// Winsock's codes come through GetLastError() too and are spelt out: its header is not needed else.
enum WinsockCode : int {
  kConnectionAborted = 10053,
  kConnectionReset = 10054,
  kNotConnected = 10057,
  kConnectionRefused = 10061,
};

Errc kind_of(int code) noexcept {
  switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: return Errc::not_found;
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD: return Errc::permission_denied;
    case ERROR_PIPE_BUSY: return Errc::conflict;
    case ERROR_CONNECTION_REFUSED:
    case kConnectionRefused: return Errc::connection_refused;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:  // the pipe is being closed
    case ERROR_PIPE_NOT_CONNECTED:
    case ERROR_NETNAME_DELETED:
    case kConnectionAborted:
    case kConnectionReset:
    case kNotConnected: return Errc::connection_lost;
    case ERROR_CALL_NOT_IMPLEMENTED:
    case ERROR_NOT_SUPPORTED: return Errc::unsupported;
    case ERROR_INVALID_PARAMETER: return Errc::invalid_argument;
    default: return Errc::system;
  }
}

// In the user's language, on one line and without its final period.
std::string text_of_code(int code) {
  constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
                           FORMAT_MESSAGE_MAX_WIDTH_MASK;
  std::array<wchar_t, 512> text{};
  const DWORD length =
      ::FormatMessageW(kFlags, nullptr, static_cast<DWORD>(code), 0, text.data(),
                       static_cast<DWORD>(text.size()), nullptr);
  std::wstring_view words(text.data(), length);
  while (!words.empty() && (words.back() == L' ' || words.back() == L'.')) words.remove_suffix(1);
  return words.empty() ? "unknown error" : narrow(words);
}

}  // namespace

Error system_error(std::string_view what, int code) {
  return Error(kind_of(code), std::string(what) + ": " + text_of_code(code)).with_os_error(code);
}

Error last_error(std::string_view what) {
  return system_error(what, static_cast<int>(::GetLastError()));
}

}  // namespace lazaret::os
