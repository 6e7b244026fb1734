#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "lazaret/result.hpp"

/// Programs of the user's own machine that we trust and call, such as mmdebstrap.
namespace lazaret::os {

struct CommandRequest {
  std::vector<std::string> argv;         ///< the first element is looked up in PATH; no shell
  std::vector<std::string> environment;  ///< NAME=value, all of it; PATH is taken from here
  /// Called from read() and finish() with each line of standard error, without its end.
  std::function<void(std::string_view line)> error_line = {};
};

struct CommandEnd {
  bool by_signal = false;
  int code = 0;  ///< exit status or signal number
  /// Whether that could be learnt. Where this process ignores SIGCHLD the kernel keeps nothing of
  /// its children (wait(2), ECHILD).
  bool known = true;
  [[nodiscard]] bool good() const noexcept { return known && !by_signal && code == 0; }
};

/// A running program in a process group of its own, its standard input empty. The destructor ends
/// the group: SIGTERM, five seconds to tidy up, SIGKILL. When the thread that started it dies, the
/// program gets SIGTERM. One thread at a time.
class Command {
 public:
  /// Errors: not_found when PATH holds no such program; start_failed; unsupported (Windows).
  [[nodiscard]] static Result<Command> start(CommandRequest request);
  Command(Command&&) noexcept;
  Command& operator=(Command&&) noexcept;
  ~Command();

  /// The next bytes of its standard output; zero is the end.
  /// Errors: timed_out, cancelled, system; the program goes on until the destructor.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into, const Call& call);
  /// Waits until the program itself has ended. Errors: as read().
  [[nodiscard]] Result<CommandEnd> finish(const Call& call);
  /// The last 4 KiB of its standard error.
  [[nodiscard]] const std::string& error_tail() const noexcept;

 private:
  class Body;
  explicit Command(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::os
