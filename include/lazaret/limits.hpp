#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace lazaret {

/// Every bound of one run, resolved. What it costs the host is never unlimited by default.
struct Limits {
  std::chrono::milliseconds timeout{30'000};  ///< wall time of the program, steady clock
  std::chrono::milliseconds grace{5'000};     ///< from TERM to KILL once the timeout has passed
  std::chrono::milliseconds compile_timeout{60'000};  ///< wall time of the compiler, before that
  std::optional<std::chrono::seconds>
      cpu_time;  ///< processor time of one process; unset: timeout only
  /// Written to standard output and error together before the program is ended; unset: any amount,
  /// of which `stdout_bytes` and `stderr_bytes` are kept.
  std::optional<std::uint64_t> output_bytes;
  std::uint64_t memory_bytes = 512ULL << 20;     ///< the whole box; swap is always zero
  double cpus = 1.0;                             ///< processors' worth of time, 0.01 and up
  std::uint32_t pids = 64;                       ///< tasks in the box, threads included
  std::uint32_t open_files = 256;                ///< descriptors of one process
  std::uint64_t file_bytes = 64ULL << 20;        ///< size of one file
  std::uint64_t disk_bytes = 64ULL << 20;        ///< size of each of /work and /tmp
  std::uint64_t disk_files = 8192;               ///< inodes in each of /work and /tmp
  std::uint64_t disk_rate_bytes = 256ULL << 20;  ///< read from and written to each of the host's
                                                 ///< disks in a second
  std::uint64_t stdout_bytes = 1ULL << 20;       ///< kept of standard output, head and tail
  std::uint64_t stderr_bytes = 1ULL << 20;       ///< kept of standard error, head and tail
  std::uint64_t value_bytes = 256ULL << 10;      ///< of the JSON value
};

/// What a caller may ask to change; an empty field keeps the configured value. Values are checked
/// against the policy's maxima, never clamped in silence.
struct LimitOverrides {
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> grace;
  std::optional<std::chrono::milliseconds> compile_timeout;
  std::optional<std::chrono::seconds> cpu_time;
  std::optional<std::uint64_t> output_bytes;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<double> cpus;
  std::optional<std::uint64_t> pids;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> file_bytes;
  std::optional<std::uint64_t> disk_bytes;
  std::optional<std::uint64_t> disk_files;
  std::optional<std::uint64_t> disk_rate_bytes;
  std::optional<std::uint64_t> stdout_bytes;
  std::optional<std::uint64_t> stderr_bytes;
  std::optional<std::uint64_t> value_bytes;
};

}  // namespace lazaret
