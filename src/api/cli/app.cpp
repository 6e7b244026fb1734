#include "api/cli/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "api/cli/command.hpp"
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
    "  lazaret doctor                      what would be enforced here\n"
    "  lazaret selftest --backend docker   attacks a box and sees that it holds\n"
    "  lazaret gc                          removes what a killed Lazaret has left\n"
    "Exit status: the program's own; 124 timeout, 125 our or the engine's failure,\n"
    "126 denied or not executable, 127 not found, 137 memory, 128+N signal N, 2 usage.";

struct Command {
  const char* name;
  void (*add)(CLI::App& app, Common& common, Action& chosen);
};
constexpr Command kCommands[] = {
    {"run", add_run},       {"exec", add_exec},         {"doctor", add_doctor},
    {"images", add_images}, {"selftest", add_selftest}, {"config", add_config},
    {"gc", add_gc},         {"serve", add_serve},
};

// WHY not always all: every option that is added is compared with those before it, which took more
// processor time than the rest of a run does.
void add_commands(CLI::App& app, Common& common, Action& chosen, std::string_view first) {
  const bool known = std::ranges::any_of(
      kCommands, [first](const Command& command) { return first == command.name; });
  for (const Command& command : kCommands) {
    if (!known || first == command.name) command.add(app, common, chosen);
  }
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* const option = command.get_option_no_throw(word);
  return option != nullptr && option->get_expected_min() > 0;
}

// What follows the first word of `run` and `exec` that is no option belongs to the program, options
// of its own included: "--" is put in front of it, which ends ours.
std::vector<std::string> with_words_marked(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty() || (words[0] != "run" && words[0] != "exec")) return words;
  const CLI::App& command = *app.get_subcommand(words[0]);
  for (std::size_t at = 1; at < words.size(); ++at) {
    const bool option = words[at].size() > 1 && words[at].front() == '-';
    if (words[at] == "--") return words;
    if (!option) {
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "--");
      return words;
    }
    if (takes_value(command, words[at])) ++at;
  }
  return words;
}

}  // namespace

void note(const std::string& line) { std::fprintf(stderr, "lazaret: %s\n", line.c_str()); }

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
  text("--type", sandbox.type, "backend: local, docker, podman or auto (SANDBOX_TYPE)");
  text("--host", sandbox.host, "engine endpoint, e.g. unix:///run/docker.sock (DOCKER_HOST)");
  text("--config", sandbox.config_file, "configuration file instead of the usual ones");
  command.add_flag_callback(
      "--no-fallback", [&sandbox] { sandbox.fallback = false; },
      "an error instead of local when no engine answers");
}

void add_common(CLI::App& command, Common& common) {
  add_sandbox(command, common.sandbox);
  command.add_flag("--json", common.json, "one JSON object on standard output, and nothing else");
  command.add_flag("-q,--quiet", common.quiet, "no warnings on standard error");
}

int main(int argc, const char* const* argv) {
  CLI::App app(kAbout, "lazaret");
  app.footer(kEnding);
  app.set_version_flag("--version", "lazaret " LAZARET_VERSION);
  app.require_subcommand(1);
  Common common;
  Action chosen;
  add_commands(app, common, chosen, argc > 1 ? argv[1] : "");
  os::ignore_broken_pipes();
  std::vector<std::string> words = with_words_marked(app, {argv + 1, argv + argc});
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kUsage;
  }
  return chosen();
}

}  // namespace lazaret::cli
