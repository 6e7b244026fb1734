#include "policy/environment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/split.hpp"
#include "policy/hosts.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

using namespace std::string_view_literals;

// Loaders, shell functions in variables, and what takes Deno's wall down: another may
// be asked for its permissions, and what it counts, audits or exports is written past them.
constexpr std::array kDeniedPrefixes = {"LD_"sv,      "DYLD_"sv, "BASH_FUNC_"sv,
                                        "LUA_INIT"sv, "DENO_"sv, "OTEL_DENO"sv};
constexpr std::array kDeniedSuffixes = {"_API_KEY"sv, "_API_TOKEN"sv, "_SECRET_KEY"sv};
constexpr std::array kDeniedNames = {
    // the C library
    "GCONV_PATH"sv,
    "GLIBC_TUNABLES"sv,
    "LOCPATH"sv,
    "NLSPATH"sv,
    "GETCONF_DIR"sv,
    "HOSTALIASES"sv,
    "LOCALDOMAIN"sv,
    "RES_OPTIONS"sv,
    "RESOLV_HOST_CONF"sv,
    "MALLOC_TRACE"sv,
    // languages
    "PYTHONPATH"sv,
    "PYTHONSTARTUP"sv,
    "PYTHONHOME"sv,
    "PYTHONUSERBASE"sv,
    "PYTHONINSPECT"sv,
    "PYTHONEXECUTABLE"sv,
    "PYTHONBREAKPOINT"sv,
    "PYTHONPLATLIBDIR"sv,
    "NODE_OPTIONS"sv,
    "NODE_PATH"sv,
    "NODE_CHANNEL_FD"sv,
    "NODE_REPL_EXTERNAL_MODULE"sv,
    "RUBYLIB"sv,
    "RUBYOPT"sv,
    "PERL5LIB"sv,
    "PERLLIB"sv,
    "PERL5OPT"sv,
    "PERL5DB"sv,
    "JAVA_TOOL_OPTIONS"sv,
    "_JAVA_OPTIONS"sv,
    "JDK_JAVA_OPTIONS"sv,
    "PHPRC"sv,
    "PHP_INI_SCAN_DIR"sv,
    // compilers
    "JDK_JAVAC_OPTIONS"sv,
    "GOFLAGS"sv,
    "GOROOT"sv,
    "GOENV"sv,
    "GCC_EXEC_PREFIX"sv,
    "COMPILER_PATH"sv,
    "CPATH"sv,
    "C_INCLUDE_PATH"sv,
    "CPLUS_INCLUDE_PATH"sv,
    "LIBRARY_PATH"sv,
    "RUSTC_WRAPPER"sv,
    "RUSTFLAGS"sv,
    // shells
    "BASH_ENV"sv,
    "ENV"sv,
    "PROMPT_COMMAND"sv,
    "IFS"sv,
    "SHELLOPTS"sv,
    "BASHOPTS"sv,
    "PS4"sv,
    "BASH_LOADABLES_PATH"sv,
    "BASH_XTRACEFD"sv,
    "POSIXLY_CORRECT"sv,
    // secrets
    "AWS_ACCESS_KEY_ID"sv,
    "AWS_SECRET_ACCESS_KEY"sv,
    "AWS_SESSION_TOKEN"sv,
    "AZURE_CLIENT_SECRET"sv,
    "GOOGLE_APPLICATION_CREDENTIALS"sv,
    "GITHUB_TOKEN"sv,
    "GH_TOKEN"sv,
    "GITLAB_TOKEN"sv,
    "NPM_TOKEN"sv,
    "VAULT_TOKEN"sv,
    "KUBECONFIG"sv,
    "DOCKER_AUTH_CONFIG"sv,
    "SSH_AUTH_SOCK"sv,
};

constexpr std::pair<std::string_view, const char*> kFixed[] = {
    {"TZ", "UTC"}, {"LANG", "C.UTF-8"}, {"LC_ALL", "C.UTF-8"}, {"PYTHONHASHSEED", "0"}};

/// Windows does not tell "Ld_Preload" from "LD_PRELOAD"; asking everywhere costs nothing.
std::string upper(std::string_view name) {
  std::string text(name);
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return text;
}

bool is_denied(std::string_view name) {
  const std::string text = upper(name);
  const std::string_view view = text;
  return std::ranges::find(kDeniedNames, view) != kDeniedNames.end() ||
         std::ranges::any_of(kDeniedPrefixes,
                             [view](auto prefix) { return view.starts_with(prefix); }) ||
         std::ranges::any_of(kDeniedSuffixes,
                             [view](auto suffix) { return view.ends_with(suffix); });
}

// The last ones are where toolchains put themselves, on hosts and in their own images.
constexpr const char* kPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    ":/usr/local/go/bin:/usr/local/cargo/bin:/opt/java/openjdk/bin";

bool is_variable(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  constexpr auto kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"sv;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of(kLetters) == text.npos &&
         !(text.front() >= '0' && text.front() <= '9');
}

// Only whole paths: others would mean what lies beside the program.
std::string with_places_of(std::string_view image_path) {
  const std::vector<std::string_view> usual = split(kPath, ':');
  std::string path;
  for (const std::string_view place : split(image_path, ':')) {
    const bool is_new = std::ranges::find(usual, place) == usual.end();
    if (is_new && place.starts_with('/')) path.append(place).append(":");
  }
  return path + kPath;
}

}  // namespace

std::map<std::string, std::string> base_environment(double cpus) {
  std::map<std::string, std::string> variables = {
      {"PATH", kPath}, {"HOME", "/work"}, {"LANG", "C.UTF-8"}, {"TZ", "UTC"}, {"TMPDIR", "/tmp"},
  };
  const auto threads = std::to_string(static_cast<long>(std::ceil(cpus)));
  for (const auto* name :
       {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS",
        "GOMAXPROCS", "UV_THREADPOOL_SIZE", "PYTHON_CPU_COUNT"}) {
    variables.emplace(name, threads);
  }
  return variables;
}

void fix_environment(std::map<std::string, std::string>& variables) {
  std::erase_if(variables, [](const auto& each) { return is_fixed_variable(each.first); });
  for (const auto& [name, value] : kFixed) variables.emplace(name, value);
}

void add_of_image(std::map<std::string, std::string>& variables,
                  std::span<const std::string> of_image, bool is_deterministic) {
  constexpr std::size_t kMost = 128UL << 10;
  std::size_t total = 0;
  for (const std::string& variable : of_image) {
    const std::size_t equals = std::min(variable.find('='), variable.size());
    const std::string name = variable.substr(0, equals);
    const std::string value = variable.substr(std::min(equals + 1, variable.size()));
    const bool is_fixed = is_deterministic && is_fixed_variable(name);
    total += variable.size();
    if (is_fixed || total > kMost || value.find('\0') != value.npos || !check_variable(name).ok())
      continue;
    const auto own = variables.find(name);
    if (own == variables.end())
      variables.emplace(name, value);
    else if (name == "PATH" && own->second == kPath)
      own->second = with_places_of(value);
  }
}

std::map<std::string, std::string> way_out_environment() {
  const std::string proxy = "http://127.0.0.1:" + std::to_string(kWayOutPort);
  const std::string nobody = "localhost,127.0.0.1,::1";
  std::map<std::string, std::string> variables = {
      {"NO_PROXY", nobody}, {"no_proxy", nobody}, {"NODE_USE_ENV_PROXY", "1"}};
  for (const auto* const name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    variables.emplace(name, proxy);
  return variables;
}

bool is_fixed_variable(std::string_view name) {
  const bool is_pythons = name.starts_with("PYTHON") && name != "PYTHON_CPU_COUNT";
  return is_pythons || name == "LANGUAGE" || name.starts_with("LC_") ||
         std::ranges::any_of(kFixed, [name](const auto& each) { return each.first == name; });
}

Status check_variable(std::string_view name) {
  if (!is_variable(name)) {
    return Error(Errc::invalid_argument, in_quotes(name) + " is not the name of a variable");
  }
  if (is_denied(name)) {
    return Error(Errc::permission_denied, "the variable " + std::string(name) + " is denied")
        .with_hint("it changes how programs are loaded or carries a secret; use another name");
  }
  return {};
}

}  // namespace lazaret::policy
