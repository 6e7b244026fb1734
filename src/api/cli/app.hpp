#pragma once

namespace lazaret::cli {

/// Exit statuses of our own, in the manner of docker-run(1) and timeout(1). Everything else is the
/// program's.
inline constexpr int kUsage = 2;
inline constexpr int kTimeout = 124;
inline constexpr int kCompileFailed = 1;
inline constexpr int kOurFailure = 125;
inline constexpr int kDenied = 126;
inline constexpr int kNotFound = 127;
inline constexpr int kInterrupted = 130;
inline constexpr int kMemory = 137;

/// The whole command line program: parses, calls core, renders. Returns the exit status.
[[nodiscard]] int main(int argc, const char* const* argv);

}  // namespace lazaret::cli
