#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "lazaret/terminal.hpp"

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

/// Host to runner: the program of this box, the next one, or, ahead of it, its interpreter.
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
  /// Of a job: what one that waited says last on descriptor 3, when all that is left of it is to
  /// leave with status 0. A word that no program says by chance; empty: it says none.
  std::string farewell;
  /// The box is to take another one when this is over. Its files replace what is there.
  bool keeps_box = false;
  /// Of a job: the name of the interpreter that keeps what its jobs leave in it, kContextBytes at
  /// most, and is told each word on descriptor 4; empty: none. Such a job has a farewell, which is
  /// said on descriptor 5 with its status.
  std::string context = {};
  bool begins_context = false;  ///< it is not there yet, and is started as the job says
  /// Of a job without a context: descriptors 0 to 2 are a terminal of this size, which leads its
  /// session; all that comes of it is standard output.
  std::optional<TerminalSize> terminal = {};
};

/// Runner to host: how the program's main process ended. A claim, like all that follows foreign
/// code.
struct Exited {
  enum class How : std::uint8_t { exit = 0, signal = 1 };
  /// What one of the box's own file systems had no more of, and had when the step began; or a file
  /// that was written to since, of the size that files may have.
  enum class Full : std::uint8_t { nothing = 0, bytes = 1, files = 2, file = 3 };
  How how = How::exit;
  std::uint32_t code = 0;          ///< exit status or signal number
  std::uint64_t cpu_us = 0;        ///< of the whole tree that was reaped
  std::uint64_t peak_rss_kib = 0;  ///< of the largest process
  bool has_artifacts = false;      ///< something is in /work/out
  Full full = Full::nothing;       ///< only of a program that has not ended well
  bool keeps_context = false;      ///< its interpreter waits for the next job
};

/// The step that fails where an interpreter that waited is not there any more: no job has begun.
inline constexpr std::string_view kHandOver = "hand over";
/// The step that fails where a context is not there, or is there already: ESRCH, EEXIST.
inline constexpr std::string_view kFindContext = "context";

/// Runner to host: the program could not be started.
struct Failed {
  std::string step;  ///< "exec", "chdir", "file", …
  std::int32_t os_error = 0;
};

/// Longest path in a box, and longest target of a link, in bytes (PATH_MAX with its NUL).
inline constexpr std::size_t kPathBytes = 4095;

/// Where programs leave what the caller shall have of them, below /work.
inline constexpr std::string_view kArtifacts = "out";

/// Something below a directory of the box. To the runner: what is to be put below /work. To the
/// host: what was found, a claim like all that follows foreign code.
struct Entry {
  enum class Kind : std::uint8_t { file = 0, directory = 1, link = 2, other = 3 };
  /// What becomes of what is there, to the runner: it is in the way; gives way, unless it is a
  /// directory; or, file for file, grows by the content. A directory is always well.
  enum class Existing : std::uint8_t { stays = 0, gives_way = 1, grows = 2 };
  Kind kind = Kind::file;
  bool executable = false;
  std::uint64_t size = 0;  ///< of a file; to the runner exactly, to the host when it was looked at
  std::string path;        ///< relative, "." for the directory itself
  std::string target;      ///< of a link
  Existing existing = Existing::stays;
};

/// Runner to host: what became of all that was put since the last answer.
struct Placed {
  std::string path;           ///< of what failed first
  std::int32_t os_error = 0;  ///< 0: all of it was put
};

/// Host to runner: what has a name below /work is to have another, or none; answered as what was
/// put.
struct Change {
  enum class Kind : std::uint8_t { remove = 0, move = 1 };
  Kind kind = Kind::remove;
  std::string path;    ///< a directory goes with all that is in it
  std::string target;  ///< of a move: nothing may be there; empty of any other
};

/// Host to runner: a file or a link of the box's is wanted, or what lies below a directory.
struct Get {
  /// Of files: no content, all of it, or a piece of the one file that the path must be then.
  enum class Content : std::uint8_t { none = 0, whole = 1, piece = 2 };
  std::string path;        ///< below /work, as in an Entry; with a / at its end of a directory only
  std::uint32_t most = 0;  ///< entries
  Content content = Content::none;
  std::uint64_t offset = 0;  ///< of a piece, bytes
  std::uint64_t length = 0;  ///< of a piece; 0: to the end of the file
};

/// Runner to host: all of it was said.
struct Got {
  std::int32_t os_error = 0;   ///< why it cannot be read
  std::uint32_t left_out = 0;  ///< entries beyond `most`, or that cannot be read
};

/// Runner to host: something below /work has changed, since the host has asked to be told.
struct Event {
  enum class Kind : std::uint8_t {
    begun = 0,  ///< from here on it is told, or never
    created = 1,
    written = 2,
    removed = 3,
    moved = 4,
    missed = 5,  ///< something was not seen, or what is in a directory will not be
  };
  Kind kind = Kind::begun;
  bool is_directory = false;
  std::string path;           ///< relative to /work; empty of begun, and of what nobody knows
  std::string target;         ///< of moved; empty of any other
  std::int32_t os_error = 0;  ///< of begun: why it is never told; 0 of any other
};

[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);
[[nodiscard]] std::vector<std::byte> encode(const Job& job);
[[nodiscard]] std::vector<std::byte> encode(const Exited& exited);
[[nodiscard]] std::vector<std::byte> encode(const Failed& failed);
[[nodiscard]] std::vector<std::byte> encode(const Entry& entry);
[[nodiscard]] std::vector<std::byte> encode(const Placed& placed);
[[nodiscard]] std::vector<std::byte> encode(const Change& change);
[[nodiscard]] std::vector<std::byte> encode(const Event& event);
[[nodiscard]] std::vector<std::byte> encode(const Get& get);
[[nodiscard]] std::vector<std::byte> encode(const Got& got);
[[nodiscard]] std::vector<std::byte> encode(const TerminalSize& size);
/// Payload of signal, started, stdin_credit and prepared frames.
[[nodiscard]] std::vector<std::byte> encode(std::uint32_t number);

[[nodiscard]] Result<Hello> decode_hello(Bytes payload);
[[nodiscard]] Result<Job> decode_job(Bytes payload);
[[nodiscard]] Result<Exited> decode_exited(Bytes payload);
[[nodiscard]] Result<Failed> decode_failed(Bytes payload);
[[nodiscard]] Result<Entry> decode_entry(Bytes payload);
[[nodiscard]] Result<Placed> decode_placed(Bytes payload);
[[nodiscard]] Result<Change> decode_change(Bytes payload);
[[nodiscard]] Result<Event> decode_event(Bytes payload);
[[nodiscard]] Result<Get> decode_get(Bytes payload);
[[nodiscard]] Result<Got> decode_got(Bytes payload);
[[nodiscard]] Result<TerminalSize> decode_terminal_size(Bytes payload);
[[nodiscard]] Result<std::uint32_t> decode_number(Bytes payload);

}  // namespace lazaret::runner
