#include "api/cli/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "api/cli/command.hpp"
#include "base/split.hpp"
#include "base/utf8.hpp"
#include "os/user.hpp"

namespace lazaret::cli {
namespace {

constexpr const char* kAbout =
    "Runs code that nobody has read: in a hardened container, or under this\n"
    "system's own enforcers, and says truthfully what happened.";

constexpr const char* kEnding =
    "Examples:\n"
    "  lazaret run script.py one two       a file, with arguments\n"
    "  lazaret run -c 'print(6 * 7)'       a piece of Python\n"
    "  echo 'echo hi' | lazaret run --lang bash -\n"
    "  lazaret exec -- sort /etc/passwd    a command\n"
    "  lazaret run --type docker --json x.py\n"
    "  lazaret shell                       a terminal in a box\n"
    "  lazaret session new                 a box for several runs, by the daemon\n"
    "  lazaret files put SESSION data/     files for it\n"
    "  lazaret job run long.py             a run that nobody waits for, by the daemon\n"
    "  lazaret doctor                      what would be enforced here\n"
    "  lazaret selftest --backend docker   attacks a box and sees that it holds\n"
    "  lazaret gc                          removes what a killed Lazaret has left\n"
    "Exit status: the program's own; 124 timeout, processor time or output, 125 our or the\n"
    "engine's failure, 126 denied or not executable, 127 not found, 137 memory, 128+N signal N,\n"
    "2 usage.";

struct Command {
  const char* name;
  void (*add)(CLI::App& app, Common& common, Action& chosen);
};
constexpr Command kCommands[] = {
    {"run", add_run},       {"exec", add_exec},         {"doctor", add_doctor},
    {"images", add_images}, {"selftest", add_selftest}, {"config", add_config},
    {"gc", add_gc},         {"serve", add_serve},       {"session", add_session},
    {"files", add_files},   {"job", add_job},           {"shell", add_shell},
};

bool is_command(std::string_view word) {
  return std::ranges::any_of(kCommands,
                             [word](const Command& command) { return word == command.name; });
}

// WHY not always all: every option that is added is compared with those before it, which took more
// processor time than the rest of a run does.
void add_commands(CLI::App& app, Common& common, Action& chosen, std::string_view first) {
  const bool known = is_command(first);
  for (const Command& command : kCommands) {
    if (!known || first == command.name) command.add(app, common, chosen);
  }
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* const option = command.get_option_no_throw(word);
  return option != nullptr && option->get_expected_min() > 0;
}

// "-qe NAME=VALUE": of letters behind one dash the last may take the next word.
bool takes_next(const CLI::App& command, const std::string& word) {
  if (word.size() <= 2 || word[1] == '-') return takes_value(command, word);
  const auto takes = [&command](char letter) { return takes_value(command, {'-', letter}); };
  return std::find_if(word.begin() + 1, word.end(), takes) == word.end() - 1;
}

bool is_unknown(const CLI::App& command, const std::string& word) {
  return word.starts_with("--") &&
         command.get_option_no_throw(word.substr(0, word.find('='))) == nullptr;
}

// `run` and `exec` are also of sessions and jobs.
bool is_group(const std::string& word) { return word == "session" || word == "job"; }

// What follows the first word of `run` and `exec` that is no option, in a session the second one,
// belongs to the program, options of its own included: "--" is put in front of it, which ends ours.
std::vector<std::string> with_words_marked(const CLI::App& app, std::vector<std::string> words) {
  const std::size_t verb = !words.empty() && is_group(words[0]) ? 1 : 0;
  if (words.size() <= verb || (words[verb] != "run" && words[verb] != "exec")) return words;
  const CLI::App& group = verb == 1 ? *app.get_subcommand(words[0]) : app;
  const CLI::App& command = *group.get_subcommand(words[verb]);
  std::size_t ours = words[0] == "session" ? 1 : 0;  // words that are no options: its id
  for (std::size_t at = verb + 1; at < words.size(); ++at) {
    const bool option = words[at].size() > 1 && words[at].front() == '-';
    if (words[at] == "--" || is_unknown(command, words[at])) return words;
    if (!option) {
      if (std::exchange(ours, 0) > 0) continue;
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "--");
      return words;
    }
    if (takes_next(command, words[at])) ++at;
  }
  return words;
}

// A full disk, or no standard output at all, is not success.
int written(int status) {
  if (status != 0 || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return status;
  note("the output could not be written");
  return kOurFailure;
}

}  // namespace

// A box may have chosen some of its words.
void note(const std::string& line) {
  std::string text;
  for (const std::string_view part : split(line, '\n')) text += printable(part, '?') + "\n";
  std::fprintf(stderr, "lazaret: %s", text.c_str());
}

void note_fallback(const std::string& backend, const std::string& reason) {
  note("fell back to " + backend + ": " + reason);
}

void note_degraded(const std::vector<std::string>& controls) {
  if (controls.empty()) return;
  note("not enforced here: " + CLI::detail::join(controls, ", ") + "; `lazaret doctor` says why");
}

int complain(const Error& error, int status) {
  note(error.message());
  if (!error.hint().empty()) note("hint: " + error.hint());
  return status;
}

void add_sandbox(CLI::App& command, SandboxOptions& sandbox) {
  const auto text = [&command](const char* flag, std::optional<std::string>& target,
                               const char* help) {
    return command.add_option_function<std::string>(
        flag, [&target](const std::string& value) { target = value; }, help);
  };
  text("--type,--backend", sandbox.type, "backend: local, docker, podman or auto (SANDBOX_TYPE)");
  text("--host", sandbox.host, "engine endpoint, e.g. unix:///run/docker.sock (DOCKER_HOST)");
  text("--config", sandbox.config_file, "configuration file instead of the usual ones");
  command.add_flag_callback(
      "--no-fallback", [&sandbox] { sandbox.fallback = false; },
      "an error instead of local when no engine answers");
}

void add_common(CLI::App& command, Common& common) {
  add_sandbox(command, common.sandbox);
  add_output(command, common);
}

void add_output(CLI::App& command, Common& common) {
  command.add_flag("--json", common.json, "one JSON object on standard output, and nothing else");
  command.add_flag("-q,--quiet", common.quiet, "no warnings on standard error");
}

int main(int argc, const char* const* argv) {
  os::hold_standard_streams();
  CLI::App app(kAbout, "lazaret");
  app.footer(kEnding);
  app.set_version_flag("--version", "lazaret " LAZARET_VERSION);
  app.require_subcommand(1);
  Common common;
  Action chosen;
  const std::string first = argc > 1 ? argv[1] : "";
  if (!first.empty() && first.front() != '-' && !is_command(first)) {
    note("no command is called " + first + "; `lazaret --help` names them");
    return kUsage;
  }
  add_commands(app, common, chosen, first);
  os::ignore_broken_pipes();
  std::vector<std::string> words = with_words_marked(app, {argv + 1, argv + argc});
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? written(0) : kUsage;
  }
  return written(chosen());
}

}  // namespace lazaret::cli
