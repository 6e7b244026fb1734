#include "api/cli/run_request.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/try.hpp"
#include "os/user.hpp"
#include "policy/limit_table.hpp"
#include "policy/mounts.hpp"
#include "policy/quantity.hpp"

namespace lazaret::cli {
namespace {

constexpr std::size_t kMostCodeBytes = 1UL << 20;

enum class Of { box, run };

struct LimitFlag {
  Of whose;
  const char* flag;
  const char* help;
  std::array<const char*, 2> keys;  // of the limits that it sets, one at least
};

constexpr std::array kLimitFlags = {
    LimitFlag{
        Of::run, "--timeout", "wall time, e.g. 2, 500ms, 1m (SANDBOX_TIMEOUT_SEC)", {"timeout"}},
    LimitFlag{Of::run, "--grace", "from TERM to KILL, e.g. 2s", {"grace"}},
    LimitFlag{
        Of::run, "--compile-timeout", "wall time of the compiler, e.g. 60s", {"compile_timeout"}},
    LimitFlag{Of::run,
              "--cpu-time",
              "processor time, of all processes where they are counted",
              {"cpu_time"}},
    LimitFlag{Of::box, "--memory", "memory of the box, e.g. 512MiB", {"memory"}},
    LimitFlag{Of::box, "--cpus", "processors' worth of time, e.g. 0.5", {"cpus"}},
    LimitFlag{Of::box, "--pids", "tasks in the box", {"pids"}},
    LimitFlag{Of::box, "--open-files", "descriptors of one process", {"open_files"}},
    LimitFlag{Of::box, "--file-size", "size of one file", {"file_size"}},
    LimitFlag{Of::box, "--disk", "size of each of /work and /tmp", {"disk"}},
    LimitFlag{Of::box, "--disk-files", "files in each of /work and /tmp", {"disk_files"}},
    LimitFlag{Of::box, "--disk-rate", "bytes a second from and to the host's disks", {"disk_rate"}},
    LimitFlag{Of::run, "--max-output", "kept of each output stream", {"stdout", "stderr"}},
    LimitFlag{
        Of::run, "--output-limit", "end the program beyond so much output, e.g. 1GiB", {"output"}},
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

Status put_profile(ExecutionRequest& request, const RunFlags& flags) {
  if (!flags.profile) return {};
  request.profile = profile_named(*flags.profile);
  if (request.profile) return {};
  return Error(Errc::invalid_argument,
               "--profile: no profile is called " + policy::in_quotes(*flags.profile))
      .with_hint("profiles: strict, standard, dev");
}

// As the shell's words are meant: from here, and without the steps that lead back.
Status put_mounts(ExecutionRequest& request, const RunFlags& flags) {
  for (const std::string& word : flags.mounts) {
    LAZARET_TRY(Mount mount, policy::parse_mount(word).within("--mount"));
    std::error_code error;
    const auto source = std::filesystem::absolute(mount.source, error).lexically_normal();
    mount.source = source.has_filename() ? source.string() : source.parent_path().string();
    request.mounts.push_back(std::move(mount));
  }
  return {};
}

// SOURCE[:PATH], PATH below /work. What is left of the last colon must be there, so that names with
// colons need no escape.
Input input_of(const std::string& word, const std::string& otherwise) {
  const std::size_t colon = word.rfind(':');
  std::error_code error;
  if (colon == std::string::npos || colon == 0 || std::filesystem::exists(word, error))
    return {otherwise, {}, word};
  return {word.substr(colon + 1), {}, word.substr(0, colon)};
}

// Of the user's own kind, if he has one.
void put_terminal(ExecutionRequest& request) {
  request.terminal.emplace();
  const auto kind = os::is_terminal(0) ? os::variable("TERM") : std::nullopt;
  if (kind) request.environment["TERM"] = *kind;
}

Status put_inputs(ExecutionRequest& request, const RunFlags& flags) {
  for (const std::string& word : flags.directories) {
    request.inputs.push_back(input_of(word, "."));
    std::error_code error;
    const std::string& source = *request.inputs.back().source;
    if (!std::filesystem::exists(source, error) || std::filesystem::is_directory(source, error))
      continue;
    return Error(Errc::invalid_argument, "--dir: " + policy::in_quotes(source) + " is no directory")
        .with_hint("--file SOURCE[:PATH] takes a file");
  }
  for (const std::string& word : flags.files) {
    const std::string name = std::filesystem::path(word).filename().string();
    request.inputs.push_back(input_of(word, name));
    std::error_code error;
    const std::string& source = *request.inputs.back().source;
    if (!std::filesystem::is_directory(source, error)) continue;
    return Error(Errc::invalid_argument, "--file: " + policy::in_quotes(source) + " is a directory")
        .with_hint("--dir SOURCE[:PATH] takes a directory");
  }
  request.output_directory = flags.output_directory;
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
    for (const char* const key : row.keys) {
      if (key == nullptr) continue;
      const policy::LimitRow& limit = policy::limit_at(key);
      auto amount = policy::parse_quantity(given->second, limit.unit);
      if (!amount.ok()) return std::move(amount).error().within(row.flag);
      limit.ask(request.limits, *amount);
    }
  }
  return {};
}

}  // namespace

Result<ExecutionRequest> common_request(const RunFlags& flags) {
  ExecutionRequest request;
  request.image = flags.image;
  if (flags.deny_subprocess) request.subprocess = Subprocess::deny;
  if (flags.allow_subprocess) request.subprocess = Subprocess::allow;
  request.deterministic = flags.deterministic;
  request.context = flags.context;
  request.working_directory = flags.working_directory;
  if (flags.loopback) request.loopback = Loopback::up;
  request.hosts = flags.hosts;
  if (flags.terminal) put_terminal(request);
  LAZARET_CHECK(put_profile(request, flags));
  LAZARET_CHECK(put_mounts(request, flags));
  LAZARET_CHECK(put_inputs(request, flags));
  LAZARET_CHECK(put_controls(request, flags));
  LAZARET_CHECK(put_environment(request, flags));
  LAZARET_CHECK(put_limits(request, flags));
  return request;
}

namespace {

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

// Empty where neither says it.
std::string language_of(const std::string& path, const std::string& code) {
  constexpr std::pair<const char*, const char*> kEndings[] = {
      {".py", "python"},     {".sh", "bash"},        {".bash", "bash"},
      {".js", "javascript"}, {".cjs", "javascript"}, {".mjs", "javascript"},
      {".ts", "typescript"}, {".mts", "typescript"}, {".c", "c"},
      {".cpp", "cpp"},       {".cc", "cpp"},         {".cxx", "cpp"},
      {".rs", "rust"},       {".go", "go"},          {".java", "java"},
  };
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const auto& [known, language] : kEndings) {
    if (ending == known) return language;
  }
  const std::string first = code.rfind("#!", 0) == 0 ? code.substr(0, code.find('\n')) : "";
  if (first.find("python") != std::string::npos) return "python";
  if (first.find("node") != std::string::npos) return "javascript";
  if (first.find("deno") != std::string::npos) return "typescript";
  if (first.find("sh") != std::string::npos) return "bash";
  return {};
}

Status require_input() {
  if (!os::is_directory(0)) return {};
  return Error(Errc::invalid_argument, "standard input is a directory");
}

// The program's own; where there is nothing in it, nobody need wait beside the run to pass it on.
Status give_input(ExecutionRequest& request) {
  LAZARET_CHECK(require_input());
  if (!os::is_at_end(0)) request.stdin_source = os::read_standard_input;
  return {};
}

Result<std::string> code_of_input() {
  LAZARET_CHECK(require_input());
  std::string code;
  for (;;) {
    const std::string piece = os::read_standard_input({});
    if (piece.empty() || code.size() > kMostCodeBytes) return code;
    code += piece;
  }
}

void add_text(CLI::App& command, const char* flag, std::optional<std::string>& target,
              const char* help) {
  command.add_option_function<std::string>(
      flag, [&target](const std::string& value) { target = value; }, help);
}

// One word for each flag: CLI11 would take a "--" that follows for the end of a list, and drop it.
void add_words(CLI::App& command, const char* flag, std::vector<std::string>& target,
               const char* help) {
  command.add_option(flag, target, help)->expected(1)->take_all()->allow_extra_args(false);
}

void add_limits(CLI::App& command, RunFlags& flags, Of whose) {
  for (const LimitFlag& row : kLimitFlags) {
    if (row.whose != whose) continue;
    command.add_option_function<std::string>(
        row.flag, [&flags, key = row.flag](const std::string& value) { flags.limits[key] = value; },
        row.help);
  }
}

}  // namespace

void add_box_flags(CLI::App& command, RunFlags& flags) {
  add_limits(command, flags, Of::box);
  add_text(command, "--image", flags.image, "container image instead of the configured one");
  auto* const deny = command.add_flag("--no-subprocess", flags.deny_subprocess,
                                      "the program may make threads, but start no other program");
  command.add_flag("--subprocess", flags.allow_subprocess, "it may, whatever is configured")
      ->excludes(deny);
  add_text(command, "--profile", flags.profile, "strict, standard or dev (LAZARET_PROFILE)");
  add_words(command, "--mount", flags.mounts,
            "SOURCE:/mnt/NAME[:ro|:rw], a directory of this machine; may be repeated");
  add_words(command, "--allow-host", flags.hosts,
            "HOST[:PORT] or *.HOST that the program may reach, by a proxy; may be repeated");
  command.add_flag("--loopback", flags.loopback, "127.0.0.1 works, within the box");
  add_text(command, "--require", flags.require,
           "controls without which nothing runs, e.g. network,memory");
  auto* const strict = command.add_flag("--strict", flags.strict, "require every control");
  command.add_flag("--best-effort", flags.best_effort, "require no control")->excludes(strict);
}

void add_program_flags(CLI::App& command, RunFlags& flags) {
  add_limits(command, flags, Of::run);
  add_words(command, "-e,--env", flags.environment, "NAME=VALUE for the program; may be repeated");
  command.add_option("-w,--workdir", flags.working_directory,
                     "where the program begins, absolute or below /work (default: /work)");
  command.add_flag("--deterministic", flags.deterministic,
                   "fix time zone, locale and the language's seeds; not the clock");
}

void add_terminal_flag(CLI::App& command, RunFlags& flags) {
  command.add_flag("-t,--tty", flags.terminal,
                   "the program has a terminal; Ctrl-] three times within a second ends it");
}

void add_package_flag(CLI::App& command, RunFlags& flags) {
  add_words(command, "--with", flags.packages,
            "package that the code can import: NAME==VERSION for python, NAME@VERSION for "
            "javascript, from an index; or its file, a wheel or what npm pack makes; may be "
            "repeated");
}

void add_evidence_flag(CLI::App& command, RunFlags& flags) {
  command.add_flag("--evidence", flags.show_evidence,
                   "show what was enforced, and how that was seen");
}

void add_run_flags(CLI::App& command, RunFlags& flags) {
  add_box_flags(command, flags);
  add_program_flags(command, flags);
  add_evidence_flag(command, flags);
  add_words(command, "--file", flags.files,
            "SOURCE[:PATH], a file of this machine to put at /work/PATH; may be repeated");
  add_words(command, "--dir", flags.directories,
            "SOURCE[:PATH], a directory to copy into /work; may be repeated");
  add_text(command, "--out", flags.output_directory,
           "a new or empty directory for what the program leaves in /work/out");
  command.add_flag("--no-daemon", flags.no_daemon, "run here even if a daemon could");
}

Result<ExecutionRequest> request_of_run(const RunFlags& flags) {
  LAZARET_TRY(ExecutionRequest request, common_request(flags));
  request.arguments = flags.words;
  request.packages = flags.packages;
  std::string path;
  if (flags.code) {
    request.code = *flags.code;
  } else if (flags.words.empty() && os::is_terminal(0)) {
    return Error(Errc::invalid_argument, "nothing to run")
        .with_hint("lazaret run FILE, lazaret run -c CODE, or code on standard input with `-`");
  } else {
    path = flags.words.empty() ? "-" : flags.words.front();
    if (!request.arguments.empty()) request.arguments.erase(request.arguments.begin());
    LAZARET_TRY(request.code, path == "-" ? code_of_input() : code_of_file(path));
  }
  request.language = flags.language.empty() ? language_of(path, request.code) : flags.language;
  // A session has one of its own, which its daemon knows.
  if (request.language.empty() && flags.session.empty()) request.language = "python";
  if (path == "-" || !request.context.empty()) return request;
  LAZARET_CHECK(give_input(request));
  return request;
}

Result<ExecutionRequest> request_of_exec(const RunFlags& flags) {
  LAZARET_TRY(ExecutionRequest request, common_request(flags));
  if (flags.words.empty()) {
    return Error(Errc::invalid_argument, "no command")
        .with_hint("lazaret exec [OPTIONS] -- COMMAND [ARGUMENT...]");
  }
  request.command = flags.words;
  LAZARET_CHECK(give_input(request));
  return request;
}

Result<ExecutionRequest> request_of_shell(const RunFlags& flags) {
  LAZARET_TRY(ExecutionRequest request, common_request(flags));
  if (!request.terminal) put_terminal(request);
  request.command = {"sh", "-c", "exec \"$(command -v bash || command -v sh)\" -i"};
  LAZARET_CHECK(give_input(request));
  return request;
}

}  // namespace lazaret::cli
