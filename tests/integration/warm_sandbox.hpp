#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "integration/support.hpp"

namespace lazaret::test {

/// A program that says "ahead" when its interpreter was up before there was a program to run.
[[nodiscard]] inline std::string is_ahead(const std::string& language) {
  if (language == "python")
    return "import sys\nprint('ahead' if 'statistics' in sys.modules else '')";
  if (language == "javascript") return "console.log(process.uptime() > 0.2 ? 'ahead' : '')";
  // proc(5): when it was started, in hundredths of a second since the machine was.
  return "read -ra self < /proc/$$/stat; read -r now _ < /proc/uptime\n"
         "(( ${now/./} - self[21] > 10 )) && echo ahead";
}

/// A sandbox that is kept, with interpreters that wait.
class WarmSandbox {
 public:
  explicit WarmSandbox(const std::string& backend) : sandbox_(sandbox_on(backend)) {}

  /// The run of a request by an interpreter that has waited for it: one was there for the same
  /// request with another program just before, and a second one beside it.
  [[nodiscard]] ExecutionResult run(const ExecutionRequest& request) const {
    ExecutionRequest trial = request;
    trial.code = is_ahead(request.language);
    trial.stdin_data.clear();
    int in_a_row = 0;
    const bool warm = becomes_true(std::chrono::seconds(30), [&] {
      in_a_row = sandbox_.execute(trial).stdout_text == "ahead\n" ? in_a_row + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // is_ahead wants 200
      return in_a_row >= 2;
    });
    EXPECT_TRUE(warm) << "no interpreter of " << request.language << " waits";
    return sandbox_.execute(request);
  }

 private:
  CodeSandbox sandbox_;
};

}  // namespace lazaret::test
