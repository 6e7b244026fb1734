#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/guarded.hpp"
#include "lazaret/request.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Lets the caller send signals as long as this exists.
class SignalPort {
 public:
  SignalPort(runner::Client& client, const ExecutionRequest& request) {
    if (!request.on_start) return;
    client_->with([&client](auto& known) { known = &client; });
    request.on_start([known = client_](int number) {
      // Under the lock, so that the client outlives the call, which is bounded.
      known->with([number](runner::Client* reached) {
        if (reached == nullptr || number < 1 || number > 64) return;
        (void)reached->signal(static_cast<std::uint32_t>(number), Call{}.within(kBound)).ok();
      });
    });
  }
  SignalPort(const SignalPort&) = delete;
  SignalPort& operator=(const SignalPort&) = delete;
  ~SignalPort() {
    client_->with([](auto& known) { known = nullptr; });
  }

 private:
  static constexpr std::chrono::milliseconds kBound{100};

  // Shared with the function that the caller keeps.
  std::shared_ptr<Guarded<runner::Client*>> client_ =
      std::make_shared<Guarded<runner::Client*>>(nullptr);
};

}  // namespace lazaret::core
