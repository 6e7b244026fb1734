#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/guarded.hpp"
#include "lazaret/request.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Lets the caller reach the program, by signals and by the size of its terminal, as long as this
/// exists.
class ProgramPort {
 public:
  ProgramPort(runner::Client& client, const ExecutionRequest& request) {
    const bool has_terminal = request.terminal && request.on_terminal;
    if (!request.on_start && !has_terminal) return;
    client_->with([&client](auto& known) { known = &client; });
    if (request.on_start) request.on_start([known = client_](int number) { send(*known, number); });
    if (has_terminal)
      request.on_terminal([known = client_](TerminalSize size) { resize(*known, size); });
  }
  ProgramPort(const ProgramPort&) = delete;
  ProgramPort& operator=(const ProgramPort&) = delete;
  ~ProgramPort() {
    client_->with([](auto& known) { known = nullptr; });
  }

 private:
  using Known = Guarded<runner::Client*>;
  static constexpr std::chrono::milliseconds kBound{100};

  // Under the lock, so that the client outlives the call, which is bounded.
  static void send(Known& known, int number) {
    known.with([number](runner::Client* reached) {
      if (reached == nullptr || number < 1 || number > 64) return;
      (void)reached->signal(static_cast<std::uint32_t>(number), Call{}.within(kBound)).ok();
    });
  }
  static void resize(Known& known, TerminalSize size) {
    known.with([size](runner::Client* reached) {
      if (reached == nullptr || size.rows == 0 || size.columns == 0) return;
      (void)reached->resize(size, Call{}.within(kBound)).ok();
    });
  }

  // Shared with the functions that the caller keeps.
  std::shared_ptr<Known> client_ = std::make_shared<Known>(nullptr);
};

}  // namespace lazaret::core
