#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "core/request_json.hpp"
#include "integration/support.hpp"

namespace lazaret::test {

/// A program that says "ahead" when its interpreter was up before there was a program to run.
[[nodiscard]] inline std::string is_ahead(const std::string& language) {
  if (language == "python")
    return "import sys\nprint('ahead' if 'statistics' in sys.modules else '')";
  if (language == "typescript")  // its arguments came later
    return "const { value } = Object.getOwnPropertyDescriptor(Deno, 'args')!;\n"
           "console.log(value ? 'ahead' : '');";
  // proc(5): when it was started, in hundredths of a second since the machine was.
  if (language == "javascript")
    return "const [stat, now] = ['self/stat', 'uptime'].map((name) =>\n"
           "  require('fs').readFileSync(`/proc/${name}`, 'utf8').split(' '));\n"
           "console.log(now[0].replace('.', '') - stat[21] > 20 ? 'ahead' : '');";
  return "read -ra self < /proc/$$/stat; read -r now _ < /proc/uptime\n"
         "(( ${now/./} - self[21] > 10 )) && echo ahead";
}

/// A sandbox that is kept, with interpreters that wait.
class WarmSandbox {
 public:
  explicit WarmSandbox(const std::string& backend) : sandbox_(sandbox_on(backend)) {}

  /// The run of a request in whatever box there is.
  [[nodiscard]] ExecutionResult execute(const ExecutionRequest& request) const {
    return sandbox_.execute(request);
  }
  /// The run of a request by an interpreter that has waited for it. Where none is left the request
  /// comes once more; `again` undoes what it has done outside its box.
  [[nodiscard]] ExecutionResult run(
      const ExecutionRequest& request, const std::function<void()>& again = [] {}) const {
    if (awaited_.insert(kind_of(request)).second) await_one(request);
    // Longer each time: on a busy machine it takes seconds to make one.
    for (auto pause = std::chrono::milliseconds(0);; pause = 2 * pause + kPause) {
      std::this_thread::sleep_for(pause);
      again();
      ExecutionResult result = sandbox_.execute(request);
      if (result.meta.made_ahead) return result;
      if (pause < kMostPause) continue;
      ADD_FAILURE() << "no box for " << request.language << " waits";
      return result;
    }
  }

 private:
  static constexpr std::chrono::milliseconds kPause{300};  // is_ahead wants 200
  static constexpr std::chrono::seconds kMostPause{18};    // a pool gives up at 30

  // All of a request but its program.
  static std::string kind_of(const ExecutionRequest& request) {
    Json kind = core::json_of(request);
    for (const char* const name : {"code", "arguments", "stdin", "files"}) kind.erase(name);
    return kind.dump();
  }

  // Until a request that differs in its program alone has found one.
  void await_one(const ExecutionRequest& request) const {
    ExecutionRequest trial = request;
    trial.code = is_ahead(request.language);
    trial.stdin_data.clear();
    trial.inputs.clear();
    const bool warm = becomes_true(std::chrono::seconds(30), [&] {
      const bool ahead = sandbox_.execute(trial).stdout_text == "ahead\n";
      std::this_thread::sleep_for(kPause);
      return ahead;
    });
    EXPECT_TRUE(warm) << "no interpreter of " << request.language << " waits";
  }

  CodeSandbox sandbox_;
  mutable std::set<std::string> awaited_;  // kinds of which one has been seen to wait
};

}  // namespace lazaret::test
