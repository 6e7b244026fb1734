#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lazaret/error.hpp"
#include "lazaret/sandbox.hpp"

namespace CLI {
class App;
}

namespace lazaret::cli {

/// What every command understands.
struct Common {
  SandboxOptions sandbox;
  bool json = false;
  bool summary = false;  ///< JSON too, but only what an agent keeps
  bool quiet = false;
};

/// Adds one command to the program; what it does when chosen goes to `chosen`, and its return value
/// is the exit status.
using Action = std::function<int()>;
void add_run(CLI::App& app, Common& common, Action& chosen);
void add_exec(CLI::App& app, Common& common, Action& chosen);
void add_shell(CLI::App& app, Common& common, Action& chosen);
void add_doctor(CLI::App& app, Common& common, Action& chosen);
void add_images(CLI::App& app, Common& common, Action& chosen);
void add_selftest(CLI::App& app, Common& common, Action& chosen);
void add_files(CLI::App& app, Common& common, Action& chosen);
void add_session(CLI::App& app, Common& common, Action& chosen);
/// `run` and `exec`, of the group that add_session() adds.
void add_session_runs(CLI::App& group, Common& common, Action& chosen);
void add_job(CLI::App& app, Common& common, Action& chosen);
/// `run` and `exec`, of the group that add_job() adds.
void add_job_runs(CLI::App& group, Common& common, Action& chosen);
void add_gc(CLI::App& app, Common& common, Action& chosen);
void add_config(CLI::App& app, Common& common, Action& chosen);
void add_serve(CLI::App& app, Common& common, Action& chosen);

/// --type, --host, --config, --no-fallback.
void add_sandbox(CLI::App& command, SandboxOptions& sandbox);
/// --json and --quiet.
void add_output(CLI::App& command, Common& common);
/// All of them.
void add_common(CLI::App& command, Common& common);

/// Prints an error of ours to standard error: what happened, and what to do next. Returns `status`.
int complain(const Error& error, int status);
/// One line of ours to standard error.
void note(const std::string& line);
/// That what was asked for is held by another backend, and why.
void note_fallback(const std::string& backend, const std::string& reason);
/// That these controls are not what was asked for; nothing when there are none.
void note_degraded(const std::vector<std::string>& controls);

}  // namespace lazaret::cli
