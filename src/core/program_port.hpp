#pragma once

#include <chrono>
#include <cstdint>

#include "base/reach.hpp"
#include "lazaret/request.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Lets the caller reach the program, by signals and by the size of its terminal, as long as this
/// exists.
class ProgramPort {
 public:
  ProgramPort(runner::Client& client, const ExecutionRequest& request) : client_(client) {
    if (request.on_start) request.on_start(client_.by(send));
    if (request.terminal && request.on_terminal) request.on_terminal(client_.by(resize));
  }

 private:
  static constexpr std::chrono::milliseconds kBound{100};

  static void send(runner::Client& client, int number) {
    if (number < 1 || number > 64) return;
    (void)client.signal(static_cast<std::uint32_t>(number), Call{}.within(kBound)).ok();
  }
  static void resize(runner::Client& client, TerminalSize size) {
    if (size.rows == 0 || size.columns == 0) return;
    (void)client.resize(size, Call{}.within(kBound)).ok();
  }

  Reach<runner::Client> client_;
};

}  // namespace lazaret::core
