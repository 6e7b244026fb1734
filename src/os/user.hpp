#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "os/handle.hpp"

/// The user in front of us: environment, home, terminal.
namespace lazaret::os {

/// An environment variable of this process. Not to be called while another thread changes them.
[[nodiscard]] std::optional<std::string> variable(std::string_view name);
/// HOME; empty when it is not set.
[[nodiscard]] std::filesystem::path home_directory();
/// Effective user id; unset where there are none.
[[nodiscard]] std::optional<std::uint64_t> user_id();
/// Processors that this process may use, at least 1.
[[nodiscard]] unsigned processors();
/// Whether more is ready to run on this machine than it has processors, the calling thread counted;
/// false where that cannot be seen (proc_loadavg(5)).
[[nodiscard]] bool is_crowded();

/// Standard input, output or error of this process; borrowed.
[[nodiscard]] RawHandle standard_stream(int number);
[[nodiscard]] bool is_terminal(int number);
[[nodiscard]] bool is_directory(int number);
/// Whether reading it gives its end at once: the null device, or a file that has been read whole.
[[nodiscard]] bool is_at_end(int number);
/// The next bytes of standard input; empty at its end, on error, or once `stop` is requested.
[[nodiscard]] std::string read_standard_input(const std::stop_token& stop);

/// Writes as much to standard output (1) or error (2) as its reader takes at once; returns how
/// much.
[[nodiscard]] std::size_t write_without_waiting(int number, std::string_view text);
/// A reader that goes away becomes an error of writing, not the end of this process.
void ignore_broken_pipes();
/// Whether nobody will ever read what is written to standard output (1) or error (2).
[[nodiscard]] bool is_reader_gone(int number);
/// Takes the numbers of standard streams that the caller has closed, so that nothing else that is
/// opened becomes one; to read or write them goes on failing (EBADF). To be called before all else.
void hold_standard_streams();

/// Blocks SIGINT, SIGTERM and SIGHUP, but those that are ignored, for this thread and those made
/// later, and calls `interrupt` on a thread of its own for the first of them. A second one ends the
/// process at once with status 130 (quick_exit(3)).
class InterruptWatch {
 public:
  explicit InterruptWatch(std::function<void()> interrupt);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::os
