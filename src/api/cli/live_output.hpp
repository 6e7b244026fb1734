#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "api/cli/lent_terminal.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"

namespace lazaret::cli {

/// Whether all of it went out; a full disk or a reader that has gone is not success.
[[nodiscard]] bool write_all(std::FILE* file, std::string_view text);

/// Output goes to the user as it comes, byte for byte. Of one that was cut the head does, up to its
/// last whole character; the rest is the result's text. While the program runs nothing waits for a
/// slow reader: its time limit must hold all the same. Where something waits for a reader who has
/// gone the run is stopped. What comes of a terminal goes out as it is, all of it.
class LiveOutput {
 public:
  void attach(ExecutionRequest& request, const std::stop_source& stop);
  /// Waits until all that came of a terminal is written.
  void settle();
  /// Whether everything could be written.
  [[nodiscard]] bool finish(const ExecutionResult& result);

 private:
  class Side {
   public:
    Side(int number, std::FILE* file) : number_(number), file_(file) {}
    void take(std::string_view bytes);
    /// Once something waits for its reader: he gets it as he comes, also when nothing more follows.
    void watch(const std::stop_source& stop);
    void end_watch() { watch_ = {}; }
    [[nodiscard]] bool finish(const std::string& text, std::uint64_t total) const;

   private:
    [[nodiscard]] std::string_view whole() const;
    [[nodiscard]] bool is_behind() const { return shown_ < whole().size(); }
    void push();
    void look(const std::stop_source& stop);

    int number_;
    std::FILE* file_;
    std::mutex mutex_;  // while the run goes on
    std::string seen_;  // never more than the cap, and of what was cut than its head
    std::size_t shown_ = 0;
    std::jthread watch_;
  };
  Side& side_of(Stream stream) { return stream == Stream::standard_output ? out_ : err_; }

  std::optional<TerminalOutput> terminal_;
  Side out_{1, stdout};
  Side err_{2, stderr};
};

}  // namespace lazaret::cli
