#pragma once

#include <chrono>

#include "base/call.hpp"

/// How long a test waits: far longer than what it waits for ever takes, or not at all.
namespace lazaret::test {

[[nodiscard]] inline Call soon() { return Call{}.within(std::chrono::seconds(30)); }
[[nodiscard]] inline Call at_once() { return Call{}.within(std::chrono::milliseconds(0)); }

}  // namespace lazaret::test
