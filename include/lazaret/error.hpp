#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace lazaret {

/// What kind of trouble of *ours* an Error is. The fate of the code that was run is never an
/// Error: it is an ExecutionResult.
enum class Errc {
  invalid_argument,      ///< the caller asked for something that cannot be
  not_found,             ///< a file, container, image or volume that does not exist
  permission_denied,     ///< the system or the engine refused us
  unsupported,           ///< this platform, kernel or engine cannot do it
  timed_out,             ///< the deadline of the call passed
  cancelled,             ///< the stop token of the call was triggered
  connection_refused,    ///< nobody listens there
  connection_lost,       ///< the peer went away in the middle
  protocol,              ///< the peer said something that its protocol does not allow
  too_large,             ///< a bound on size was exceeded
  conflict,              ///< the engine's state does not allow the call now
  engine,                ///< the engine answered with a failure of its own
  image_missing,         ///< the image is not there and was not pulled
  enforcement_mismatch,  ///< a required control is missing or weaker than asked; nothing was run
  backend_unavailable,   ///< no backend that was allowed can be used here
  start_failed,          ///< the program could not be started inside the box
  system,                ///< a system call failed for another reason; see os_error()
};

/// The enumerator's own spelling, for logs and JSON.
[[nodiscard]] std::string_view name_of(Errc code) noexcept;

/// Why *we* failed: a code for programs, a message for people, the OS error where there is one, and
/// a hint that says what to do next. Values only; safe to copy across threads.
class Error {
 public:
  Error(Errc code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] Errc code() const noexcept { return code_; }
  /// Outermost context first: "opening box: engine create: connection refused".
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  /// What the user can do about it; empty when there is nothing to say.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  /// errno or GetLastError() of the failing call; 0 when no system call was involved.
  [[nodiscard]] int os_error() const noexcept { return os_error_; }

  /// Puts what the caller was doing in front of the message.
  [[nodiscard]] Error within(std::string_view doing) && {
    message_.insert(0, std::string(doing) + ": ");
    return std::move(*this);
  }
  [[nodiscard]] Error with_hint(std::string hint) && {
    hint_ = std::move(hint);
    return std::move(*this);
  }
  [[nodiscard]] Error with_os_error(int value) && {
    os_error_ = value;
    return std::move(*this);
  }
  [[nodiscard]] Error as(Errc code) && {
    code_ = code;
    return std::move(*this);
  }

 private:
  Errc code_;
  int os_error_ = 0;
  std::string message_;
  std::string hint_;
};

}  // namespace lazaret
