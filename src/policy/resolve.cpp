#include "policy/resolve.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/box_path.hpp"
#include "policy/environment.hpp"
#include "policy/image_name.hpp"
#include "policy/invalid.hpp"
#include "policy/limit_table.hpp"
#include "policy/mounts.hpp"
#include "policy/packages.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kMostCode = 1 << 20;
constexpr std::size_t kMostInput = 1 << 20;
constexpr std::size_t kMostWords = 1024;
constexpr std::size_t kMostWord = 128 * 1024 - 1;  // MAX_ARG_STRLEN of Linux, with its NUL
constexpr std::size_t kMostText = 512 * 1024;      // all words, and again all variables
constexpr std::size_t kMostVariables = 256;
constexpr std::size_t kMostPath = 4095;            // PATH_MAX, with its NUL
constexpr std::size_t kMostName = 64;  // of a context

Error large(std::string message) { return Error(Errc::too_large, std::move(message)); }

Status check_text(std::string_view what, std::string_view text) {
  if (text.find('\0') != text.npos) return invalid(std::string(what) + " contains a NUL byte");
  if (!is_utf8(text)) return invalid(std::string(what) + " is not valid UTF-8");
  return {};
}

Status check_words(std::string_view what, const std::vector<std::string>& words) {
  std::size_t total = 0;
  if (words.size() > kMostWords) return large(std::string(what) + ": more than 1024");
  for (const auto& word : words) {
    if (word.size() > kMostWord) return large(std::string(what) + ": one is 128 KiB or longer");
    LAZARET_CHECK(check_text(what, word));
    total += word.size() + 1;
  }
  if (total > kMostText) return large(std::string(what) + ": more than 512 KiB together");
  return {};
}

Status check_code(std::string_view code) {
  const bool blank = code.find_first_not_of(" \t\r\n") == code.npos;
  if (blank) {
    return invalid("there is no code to run")
        .with_hint("give the program's text, a file, or a command after --");
  }
  if (code.size() > kMostCode) {
    return large("the code is " + std::to_string(code.size()) + " bytes long, the limit is 1 MiB");
  }
  return check_text("the code", code);
}

Result<const Language*> language_named(const std::string& name, const Facts& facts) {
  for (const auto& language : facts.languages) {
    if (language.is_called(name)) return &language;
  }
  std::string names;
  for (const auto& language : facts.languages) {
    names += (names.empty() ? "" : ", ") + language.name;
  }
  return invalid("unknown language " + in_quotes(name) + "; there are " + names)
      .with_hint("languages: " + names);
}

Status check_command(const std::vector<std::string>& command) {
  if (command.front().empty()) return invalid("the command's first word is empty");
  return check_words("the command", command);
}

bool is_name_of_context(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return name.size() <= kMostName && name.find_first_not_of(kLetters) == name.npos;
}

Status check_context(const ExecutionRequest& request, const Facts& facts) {
  if (request.context.empty()) return {};
  if (!is_name_of_context(request.context))
    return invalid("no name of a context: " + in_quotes(request.context))
        .with_hint("1 to 64 letters, digits, dots, dashes and underscores");
  if (!facts.keeps_box)
    return invalid("contexts are kept by sessions").with_hint("lazaret session new; run it there");
  if (!request.command.empty()) return invalid("a command has no context, code has");
  if (request.terminal) return invalid("what runs in a context has no terminal");
  if (!request.working_directory.empty())
    return invalid("a context begins in /work").with_hint("let its code change the directory");
  if (request.arguments.empty() && request.stdin_data.empty() && !request.stdin_source) return {};
  return invalid("what runs in a context has neither arguments nor standard input");
}

// Its code goes where the interpreter is, and is no file.
Status make_cell(Program& program, const ExecutionRequest& request, const std::string& language) {
  if (request.context.empty()) return {};
  if (program.cells.empty())
    return invalid("there are no contexts for " + language)
        .with_hint("there are for python and javascript");
  program.cell = {request.context, request.code};
  program.argv = std::move(program.cells);
  program.files.clear();
  program.ahead.reset();
  return {};
}

Status fill_program(Spec& spec, const ExecutionRequest& request, const Facts& facts) {
  LAZARET_CHECK(check_words("the arguments", request.arguments));
  LAZARET_CHECK(check_context(request, facts));
  if (!request.command.empty()) {
    LAZARET_CHECK(check_command(request.command));
    spec.language = "exec";
    spec.program.argv = request.command;
    spec.program.argv.insert(spec.program.argv.end(), request.arguments.begin(),
                             request.arguments.end());
    return {};
  }
  LAZARET_TRY(const auto* language, language_named(request.language, facts));
  LAZARET_CHECK(check_code(request.code));
  spec.language = language->name;
  spec.program = language->program(request, spec);
  if (request.terminal) spec.program.ahead.reset();  // it was started with pipes
  return make_cell(spec.program, request, spec.language);
}

// An interpreter that waits has begun in /work.
Status put_directory(Program& program, const std::string& asked) {
  if (asked.empty()) return {};
  LAZARET_CHECK(check_text("the working directory", asked));
  if (asked == program.working_directory) return {};
  program.working_directory = asked.front() == '/' ? asked : "/work/" + asked;
  if (program.working_directory.size() > kMostPath)
    return invalid("the working directory is longer than 4095 bytes");
  program.ahead.reset();
  return {};
}

// Where nothing in /work can be executed, what a compiler leaves there cannot.
Status check_compiled(const Spec& spec) {
  const bool executes_it = spec.program.argv.front().starts_with("/work/");
  if (spec.profile != Profile::strict || spec.program.compiler.empty() || !executes_it) return {};
  return Error(Errc::permission_denied,
               "the profile strict executes nothing that was made in the "
               "box, and " +
                   spec.language + " is compiled")
      .with_hint("--profile standard");
}

Status check_input(const ExecutionRequest& request) {
  if (request.stdin_data.size() > kMostInput) {
    return large("standard input is " + std::to_string(request.stdin_data.size()) +
                 " bytes long, the limit is 1 MiB");
  }
  if (!request.stdin_data.empty() && request.stdin_source) {
    return invalid("standard input is given both as text and as a stream");
  }
  return {};
}

Status check_terminal(const ExecutionRequest& request) {
  const auto& size = request.terminal;
  if (!size || (size->rows > 0 && size->columns > 0)) return {};
  return invalid("a terminal has at least one row and one column");
}

Status check_files(const ExecutionRequest& request, const Spec& spec) {
  std::string_view code;
  if (!spec.program.files.empty()) code = path_in_work(spec.program.files.front());
  return check_inputs(request.inputs, code).within("inputs");
}

Status take_override(Limits& limits, const LimitRow& row, double amount, const Config& config) {
  LAZARET_CHECK(check_range(row, amount));
  const auto maximum = row.get(config.maxima);
  if (maximum && amount > *maximum) {
    const auto source = config.source_of("maxima." + std::string(row.key));
    const std::string place =
        source.origin == Origin::built_in ? "the built-in policy" : source.name;
    return Error(Errc::permission_denied,
                 std::string(row.key) + " of " + show_quantity(amount, row.unit) + " is above " +
                     show_quantity(*maximum, row.unit) + ", the maximum of " + place)
        .with_hint("ask for less, or raise maxima." + std::string(row.key) +
                   " in the user's or the system's configuration");
  }
  row.set(limits, amount);
  return {};
}

Result<Limits> limits_of(const ExecutionRequest& request, const Config& config,
                         const Facts& facts) {
  Limits limits = config.limits;
  if (config.source_of("limits.grace").origin == Origin::built_in) {
    limits.grace = std::min(facts.default_grace, config.maxima.grace);
  }
  for (const auto& row : limit_rows()) {
    const auto amount = row.asked(request.limits);
    if (amount) LAZARET_CHECK(take_override(limits, row, *amount, config).within("limits"));
  }
  // Who asks for nothing has no more of it than who asks for the most.
  if (!limits.output_bytes) limits.output_bytes = config.maxima.output_bytes;
  return limits;
}

using Variables = std::map<std::string, std::string>;

Status check_value(const std::string& name, std::string_view value) {
  LAZARET_CHECK(check_variable(name));
  LAZARET_CHECK(check_text("the value of " + name, value));
  if (name.size() + value.size() + 1 > kMostWord) return large(name + " is 128 KiB or longer");
  return {};
}

Result<Variables> environment_of(const ExecutionRequest& request, const Config& config,
                                 double cpus) {
  std::size_t total = 0;
  if (request.environment.size() > kMostVariables) return large("more than 256 variables");
  auto variables = base_environment(cpus);
  if (request.terminal) variables["TERM"] = "xterm";
  for (const auto& [name, value] : config.passed_environment) variables[name] = value;
  if (request.deterministic) fix_environment(variables);
  for (const auto& [name, value] : request.environment) {
    if (request.deterministic && is_fixed_variable(name))
      return invalid(name + " cannot be chosen where a run is deterministic");
    variables[name] = value;
  }
  for (const auto& [name, value] : variables) {
    const bool is_ours =
        !request.environment.contains(name) && !config.passed_environment.contains(name);
    if (!is_ours) LAZARET_CHECK(check_value(name, value));
    total += name.size() + value.size() + 2;
  }
  if (total > kMostText) return large("more than 512 KiB of variables");
  return variables;
}

Result<std::string> image_of(const ExecutionRequest& request, const Config& config,
                             const std::string& language, bool has_images) {
  if (request.image && !has_images)
    return Error(Errc::unsupported, "native boxes are made of this machine, of no image")
        .with_hint("--type docker, or without --image");
  if (request.image) {
    if (is_image_reference(*request.image)) return *request.image;
    return invalid(in_quotes(*request.image) + " is not the name of an image");
  }
  const auto found = config.images.find(language);
  if (found == config.images.end()) return invalid("no image is configured for " + language);
  return found->second;
}

// What neither the request nor a configuration says, the profile does.
void put_confinement(Spec& spec, const ExecutionRequest& request, const Config& config) {
  const auto unsaid = [&config](const char* key) {
    return config.source_of(key).origin == Origin::built_in;
  };
  spec.profile = request.profile.value_or(config.profile);
  const bool is_strict = spec.profile == Profile::strict, is_dev = spec.profile == Profile::dev;
  spec.subprocess = request.subprocess.value_or(
      is_strict && unsaid("subprocess") ? Subprocess::deny : config.subprocess);
  spec.loopback =
      request.loopback.value_or(is_dev && unsaid("loopback") ? Loopback::up : config.loopback);
  auto& temporary = spec.environment["TMPDIR"];
  if (is_strict && temporary == "/tmp") temporary = "/work";
}

// Nothing else leads out, and what the request says of it itself stays.
Status put_hosts(Spec& spec, const ExecutionRequest& request, const Config& config) {
  LAZARET_TRY(spec.egress, egress_of(request.hosts, config.egress_hosts).within("hosts"));
  if (spec.egress.hosts.empty()) return {};
  if (request.loopback == Loopback::down)
    return invalid("hosts are reached by way of the loopback, which was to be down");
  spec.loopback = Loopback::up;
  for (const auto& [name, value] : way_out_environment()) {
    if (!request.environment.contains(name)) spec.environment[name] = value;
  }
  return {};
}

std::vector<std::string> fixed_by(const ExecutionRequest& request, const Program& program) {
  if (!request.deterministic) return {};
  std::vector<std::string> fixed = {"time_zone", "locale"};
  fixed.insert(fixed.end(), program.seeds.begin(), program.seeds.end());
  return fixed;
}

// What somebody has asked to be denied is required, unless he has said himself what is.
std::set<Control> required_by(const ExecutionRequest& request, const Config& config,
                              const Spec& spec) {
  if (request.required_controls) return *request.required_controls;
  std::set<Control> required = config.required_controls;
  if (spec.subprocess == Subprocess::deny) required.insert(Control::subprocess);
  return required;
}

}  // namespace

bool Language::is_called(std::string_view word) const {
  return name == word || std::ranges::find(aliases, word) != aliases.end();
}

Result<Spec> resolve(const ExecutionRequest& request, const Config& config, const Facts& facts) {
  Spec spec;
  LAZARET_TRY(spec.limits, limits_of(request, config, facts));
  LAZARET_TRY(spec.environment,
              environment_of(request, config, spec.limits.cpus).within("environment"));
  LAZARET_CHECK(fill_program(spec, request, facts));
  LAZARET_CHECK(put_directory(spec.program, request.working_directory));
  LAZARET_CHECK(check_input(request));
  LAZARET_CHECK(check_terminal(request));
  spec.terminal = request.terminal;
  LAZARET_CHECK(check_files(request, spec));
  LAZARET_CHECK(check_packages(request, spec.language).within("packages"));
  for (const auto& [name, value] : spec.program.environment) spec.environment[name] = value;
  spec.fixed = fixed_by(request, spec.program);
  LAZARET_TRY(spec.image, image_of(request, config, spec.language, facts.has_images));
  put_confinement(spec, request, config);
  LAZARET_CHECK(put_hosts(spec, request, config));
  LAZARET_CHECK(check_compiled(spec));
  LAZARET_CHECK(check_mounts(request.mounts, config.mount_sources).within("mounts"));
  spec.mounts = request.mounts;
  spec.required = required_by(request, config, spec);
  return spec;
}

}  // namespace lazaret::policy
