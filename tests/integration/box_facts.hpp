#pragma once

#include <string>
#include <vector>

#include "integration/support.hpp"

namespace lazaret::test {

/// A request whose program prints what the kernel says of the place it runs in. One that is denied
/// others tells what became of its attempts, too.
[[nodiscard]] ExecutionRequest ask_the_box(const std::string& marker,
                                           Subprocess subprocess = Subprocess::allow);
/// The program has come to its end: its output is whole.
[[nodiscard]] bool has_answered(const std::string& output);
/// Where the evidence of `result` claims more than its program saw from inside, or than
/// `outside`, its /proc/PID/status on the host, says. Empty: every claim is true.
[[nodiscard]] std::vector<std::string> false_claims(const Json& result, const std::string& outside,
                                                    Caller caller);

}  // namespace lazaret::test
