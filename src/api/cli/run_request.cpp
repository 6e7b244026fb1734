#include "api/cli/run_request.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/try.hpp"
#include "os/user.hpp"
#include "policy/quantity.hpp"

namespace lazaret::cli {
namespace {

using policy::Unit;

constexpr std::size_t kMostCodeBytes = 1UL << 20;

struct LimitFlag {
  const char* flag;
  const char* help;
  Unit unit;
  void (*set)(LimitOverrides& limits, double amount);
};

template <auto Member>
void set(LimitOverrides& limits, double amount) {
  using T = typename std::decay_t<decltype(limits.*Member)>::value_type;
  if constexpr (std::is_arithmetic_v<T>) {
    limits.*Member = static_cast<T>(amount);
  } else {
    limits.*Member = T{static_cast<std::int64_t>(amount)};
  }
}

constexpr std::array kLimitFlags = {
    LimitFlag{"--timeout", "wall time, e.g. 2, 500ms, 1m (SANDBOX_TIMEOUT_SEC)", Unit::milliseconds,
              set<&LimitOverrides::timeout>},
    LimitFlag{"--grace", "from TERM to KILL, e.g. 2s", Unit::milliseconds,
              set<&LimitOverrides::grace>},
    LimitFlag{"--cpu-time", "processor time of one process", Unit::seconds,
              set<&LimitOverrides::cpu_time>},
    LimitFlag{"--memory", "memory of the box, e.g. 512MiB", Unit::bytes,
              set<&LimitOverrides::memory_bytes>},
    LimitFlag{"--cpus", "processors' worth of time, e.g. 0.5", Unit::processors,
              set<&LimitOverrides::cpus>},
    LimitFlag{"--pids", "tasks in the box", Unit::count, set<&LimitOverrides::pids>},
    LimitFlag{"--open-files", "descriptors of one process", Unit::count,
              set<&LimitOverrides::open_files>},
    LimitFlag{"--file-size", "size of one file", Unit::bytes, set<&LimitOverrides::file_bytes>},
    LimitFlag{"--disk", "size of each of /work and /tmp", Unit::bytes,
              set<&LimitOverrides::disk_bytes>},
    LimitFlag{"--max-output", "kept of each output stream", Unit::bytes,
              [](LimitOverrides& limits, double amount) {
                limits.stdout_bytes = limits.stderr_bytes = static_cast<std::uint64_t>(amount);
              }},
};

Result<std::set<Control>> controls_named(const std::string& list) {
  std::set<Control> controls;
  for (const std::string& name : CLI::detail::split(list, ',')) {
    const auto control = control_named(name);
    if (!control) {
      std::string names;
      for (const Control each : all_controls()) names += " " + std::string(name_of(each));
      return Error(Errc::invalid_argument,
                   "--require: no control is called " + policy::in_quotes(name))
          .with_hint("controls:" + names);
    }
    controls.insert(*control);
  }
  return controls;
}

Status put_controls(ExecutionRequest& request, const RunFlags& flags) {
  if (flags.best_effort) request.required_controls.emplace();
  if (flags.strict) request.required_controls.emplace(all_controls().begin(), all_controls().end());
  if (!flags.require) return {};
  LAZARET_TRY(request.required_controls, controls_named(*flags.require));
  return {};
}

Status put_environment(ExecutionRequest& request, const RunFlags& flags) {
  for (const std::string& pair : flags.environment) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(Errc::invalid_argument,
                   "--env takes NAME=VALUE, not " + policy::in_quotes(pair));
    }
    request.environment[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return {};
}

Status put_limits(ExecutionRequest& request, const RunFlags& flags) {
  for (const LimitFlag& row : kLimitFlags) {
    const auto given = flags.limits.find(row.flag);
    if (given == flags.limits.end()) continue;
    auto amount = policy::parse_quantity(given->second, row.unit);
    if (!amount.ok()) return std::move(amount).error().within(row.flag);
    row.set(request.limits, *amount);
  }
  return {};
}

Result<ExecutionRequest> common_request(const RunFlags& flags) {
  ExecutionRequest request;
  request.image = flags.image;
  LAZARET_CHECK(put_controls(request, flags));
  LAZARET_CHECK(put_environment(request, flags));
  LAZARET_CHECK(put_limits(request, flags));
  return request;
}

// One byte more than may be, so that a file that is too large is refused and not cut.
std::string read_at_most(std::istream& stream) {
  std::string text(kMostCodeBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Result<std::string> code_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Error(Errc::not_found, "no such file: " + path)
        .with_hint("for a piece of code use -c CODE; for a command: lazaret exec -- COMMAND");
  }
  if (std::filesystem::is_directory(path, error))
    return Error(Errc::invalid_argument, path + " is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error(Errc::permission_denied, "cannot read " + path);
  return read_at_most(file);
}

std::string language_of(const std::string& path, const std::string& code) {
  constexpr std::pair<const char*, const char*> kEndings[] = {
      {".py", "python"},     {".sh", "bash"},        {".bash", "bash"},
      {".js", "javascript"}, {".cjs", "javascript"}, {".mjs", "javascript"},
  };
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const auto& [known, language] : kEndings) {
    if (ending == known) return language;
  }
  const std::string first = code.rfind("#!", 0) == 0 ? code.substr(0, code.find('\n')) : "";
  if (first.find("python") != std::string::npos) return "python";
  if (first.find("node") != std::string::npos) return "javascript";
  if (first.find("sh") != std::string::npos) return "bash";
  return "python";
}

std::string code_of_input() {
  std::string code;
  for (;;) {
    const std::string piece = os::read_standard_input({});
    if (piece.empty() || code.size() > kMostCodeBytes) return code;
    code += piece;
  }
}

}  // namespace

void add_run_flags(CLI::App& command, RunFlags& flags) {
  const auto text = [&command](const char* flag, std::optional<std::string>& target,
                               const char* help) {
    command.add_option_function<std::string>(
        flag, [&target](const std::string& value) { target = value; }, help);
  };
  for (const LimitFlag& row : kLimitFlags) {
    command.add_option_function<std::string>(
        row.flag, [&flags, key = row.flag](const std::string& value) { flags.limits[key] = value; },
        row.help);
  }
  command.add_option("-e,--env", flags.environment, "NAME=VALUE for the program; may be repeated")
      ->expected(1)
      ->take_all();
  text("--image", flags.image, "container image instead of the configured one");
  text("--require", flags.require, "controls without which nothing runs, e.g. network,memory");
  auto* const strict = command.add_flag("--strict", flags.strict, "require every control");
  command.add_flag("--best-effort", flags.best_effort, "require no control")->excludes(strict);
  command.add_flag("--evidence", flags.show_evidence,
                   "show what was enforced, and how that was seen");
}

Result<ExecutionRequest> request_of_run(const RunFlags& flags) {
  LAZARET_TRY(ExecutionRequest request, common_request(flags));
  request.arguments = flags.words;
  std::string path;
  if (flags.code) {
    request.code = *flags.code;
  } else if (flags.words.empty() && os::is_terminal(0)) {
    return Error(Errc::invalid_argument, "nothing to run")
        .with_hint("lazaret run FILE, lazaret run -c CODE, or code on standard input with `-`");
  } else {
    path = flags.words.empty() ? "-" : flags.words.front();
    if (!request.arguments.empty()) request.arguments.erase(request.arguments.begin());
    if (path == "-")
      request.code = code_of_input();
    else {
      LAZARET_TRY(request.code, code_of_file(path));
    }
  }
  request.language = flags.language.empty() ? language_of(path, request.code) : flags.language;
  if (path != "-") request.stdin_source = os::read_standard_input;
  return request;
}

Result<ExecutionRequest> request_of_exec(const RunFlags& flags) {
  LAZARET_TRY(ExecutionRequest request, common_request(flags));
  if (flags.words.empty()) {
    return Error(Errc::invalid_argument, "no command")
        .with_hint("lazaret exec [OPTIONS] -- COMMAND [ARGUMENT...]");
  }
  request.command = flags.words;
  request.stdin_source = os::read_standard_input;
  return request;
}

}  // namespace lazaret::cli
