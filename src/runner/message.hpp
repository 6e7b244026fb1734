#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"

/// The payloads of the frames that are more than bytes. Each decode_ rejects anything but exactly
/// what encode_ makes (Errc::protocol).
namespace lazaret::runner {

/// The runner's one argument: the job may make threads but start no process and no program.
inline constexpr std::string_view kDenySubprocess = "--deny-subprocess";

/// Runner to host, first frame: who is speaking.
struct Hello {
  std::uint16_t version = 0;
  std::uint32_t pid = 0;  ///< in the box; 1 where the runner is init
};

/// Host to runner: the one program of this box, or, to be started ahead of it, its interpreter.
struct Job {
  struct File {
    std::string path;
    std::string content;
  };
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value
  std::string working_directory;
  std::vector<File> files;
  std::uint32_t cpu_seconds = 0;  ///< RLIMIT_CPU; 0: none
  /// Of an interpreter: what it says on descriptor 3 once it waits, nothing for one that does not
  /// say. Of a job: what one that waits is told on descriptor 4.
  std::string word;
};

/// Runner to host: how the program's main process ended. A claim, like all that follows foreign
/// code.
struct Exited {
  enum class How : std::uint8_t { exit = 0, signal = 1 };
  How how = How::exit;
  std::uint32_t code = 0;          ///< exit status or signal number
  std::uint64_t cpu_us = 0;        ///< of the whole tree that was reaped
  std::uint64_t peak_rss_kib = 0;  ///< of the largest process
};

/// The step that fails where an interpreter that waited is not there any more: no job has begun.
inline constexpr std::string_view kHandOver = "hand over";

/// Runner to host: the program could not be started.
struct Failed {
  std::string step;  ///< "exec", "chdir", "file", …
  std::int32_t os_error = 0;
};

[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);
[[nodiscard]] std::vector<std::byte> encode(const Job& job);
[[nodiscard]] std::vector<std::byte> encode(const Exited& exited);
[[nodiscard]] std::vector<std::byte> encode(const Failed& failed);
/// Payload of signal, started, stdin_credit and prepared frames.
[[nodiscard]] std::vector<std::byte> encode(std::uint32_t number);

[[nodiscard]] Result<Hello> decode_hello(Bytes payload);
[[nodiscard]] Result<Job> decode_job(Bytes payload);
[[nodiscard]] Result<Exited> decode_exited(Bytes payload);
[[nodiscard]] Result<Failed> decode_failed(Bytes payload);
[[nodiscard]] Result<std::uint32_t> decode_number(Bytes payload);

}  // namespace lazaret::runner
