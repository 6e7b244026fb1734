#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/request.hpp"
#include "lazaret/result.hpp"

namespace CLI {
class App;
}

namespace lazaret::cli {

/// The words of `run` and `exec`, as the user gave them.
struct RunFlags {
  std::optional<std::string> code;
  std::string language;
  std::vector<std::string> environment;
  std::string working_directory;
  std::map<std::string, std::string> limits;  ///< by flag
  std::optional<std::string> image;
  std::optional<std::string> require;
  std::optional<std::string> profile;
  std::vector<std::string> mounts;
  std::vector<std::string> packages;
  std::vector<std::string> files;
  std::vector<std::string> directories;
  std::optional<std::string> output_directory;
  bool deterministic = false;
  bool loopback = false;
  std::vector<std::string> hosts;
  bool allow_subprocess = false;
  bool deny_subprocess = false;
  bool strict = false;
  bool best_effort = false;
  bool show_evidence = false;
  bool no_daemon = false;
  bool terminal = false;
  bool awaited = false;                       ///< a job, whose box nobody can look into any more
  std::string session;                        ///< id of the one to run in
  std::string context;                        ///< of the session
  std::optional<std::string> rich_directory;  ///< for what a cell shows
  std::vector<std::string> words;             ///< FILE or command, and arguments
};

/// What is of the box, for all that runs in it.
void add_box_flags(CLI::App& command, RunFlags& flags);
/// What is of one program, wherever it runs.
void add_program_flags(CLI::App& command, RunFlags& flags);
/// What is to be shown of a result.
void add_evidence_flag(CLI::App& command, RunFlags& flags);
/// Those, and what else a run may be asked for.
void add_run_flags(CLI::App& command, RunFlags& flags);

/// What the flags ask for, without anything to run. Errors: invalid_argument.
[[nodiscard]] Result<ExecutionRequest> common_request(const RunFlags& flags);
/// What `run` asks for: code from -c, a file or standard input. Errors: invalid_argument,
/// not_found, too_large, and those of reading the file.
[[nodiscard]] Result<ExecutionRequest> request_of_run(const RunFlags& flags);
/// What `exec` asks for.
[[nodiscard]] Result<ExecutionRequest> request_of_exec(const RunFlags& flags);
/// What `shell` asks for: the box's bash, or its sh, with a terminal.
[[nodiscard]] Result<ExecutionRequest> request_of_shell(const RunFlags& flags);
/// --with, of those who run code in a box of its own.
void add_package_flag(CLI::App& command, RunFlags& flags);
/// -t, of those who can lend a terminal.
void add_terminal_flag(CLI::App& command, RunFlags& flags);

}  // namespace lazaret::cli
