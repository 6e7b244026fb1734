#pragma once

#include "bench/report.hpp"

/// What is measured, each group in turns of its own.
namespace lazaret::bench {

[[nodiscard]] Group print_group(int rounds);      ///< `print(1)`: ours and everybody else's
[[nodiscard]] Group pool_group(int rounds);       ///< first runs, with and without a pool
[[nodiscard]] Group sustained_group(int rounds);  ///< as many runs as Docker makes
[[nodiscard]] Group docker_group(int rounds);     ///< a cold box beside the bare engine calls
[[nodiscard]] Group start_group(int rounds);      ///< a program that does nothing
[[nodiscard]] Group true_group(int rounds);       ///< `true` in native boxes
[[nodiscard]] Group rate_group(int rounds);       ///< native runs on all processors
[[nodiscard]] Group endurance_group(int rounds);  ///< 100,000 native runs, and what stays of them
[[nodiscard]] Group python_group(int rounds);     ///< the interpreter without our driver
[[nodiscard]] Group kill_group(int rounds);       ///< programs that take too long
[[nodiscard]] Group serving_group(int rounds);    ///< what the daemon needs, and 16 clients
[[nodiscard]] Group files_group(int rounds);      ///< 100 MiB into sessions and out of them
[[nodiscard]] Group session_group(int rounds);    ///< one run after another in a session
[[nodiscard]] Group memory_group(int rounds);     ///< what residing takes
[[nodiscard]] Group languages_group(int rounds);  ///< each language beside its bare runtime
[[nodiscard]] Group begin_group(int rounds);      ///< until a program begins
[[nodiscard]] Group endings_group(int rounds);    ///< 10,000 native programs that end badly

}  // namespace lazaret::bench
