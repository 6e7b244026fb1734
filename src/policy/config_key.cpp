#include "policy/config_key.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/letters.hpp"
#include "base/try.hpp"
#include "policy/config_value.hpp"
#include "policy/environment.hpp"
#include "policy/hosts.hpp"
#include "policy/image_name.hpp"
#include "policy/invalid.hpp"
#include "policy/limit_table.hpp"
#include "policy/mounts.hpp"
#include "policy/packages.hpp"
#include "policy/ready_wishes.hpp"

namespace lazaret::policy {
namespace {

using nlohmann::json;

Error loosens(std::string_view what) {
  return Error(Errc::permission_denied,
               "a project file comes with the code to be run and may only narrow: " +
                   std::string(what))
      .with_hint("set it in the user's or the system's configuration, or by a flag");
}

Result<std::string> text_of(const json& value) {
  if (!value.is_string()) return invalid("must be text");
  return value.get<std::string>();
}

template <typename Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + std::string(name);
  return text;
}

Status store_type(Config& config, const json& value, Origin) {
  LAZARET_TRY(const auto text, text_of(value));
  const auto word = lower_case(text);
  for (const auto type :
       {BackendType::local, BackendType::docker, BackendType::podman, BackendType::automatic}) {
    if (word != name_of(type)) continue;
    config.type = type;
    return {};
  }
  constexpr std::string_view kValid = "valid values are local, docker, podman and auto";
  if (word == "e2b" || word == "kubernetes") {
    return Error(Errc::unsupported, in_quotes(text) + " is not available in this version")
        .with_hint(std::string(kValid));
  }
  return invalid(in_quotes(text) + " is not a kind of sandbox; " + std::string(kValid))
      .with_hint(std::string(kValid));
}

Status store_host(Config& config, const json& value, Origin) {
  constexpr std::size_t kLongest = 1024;
  LAZARET_TRY(auto text, text_of(value));
  const bool printable =
      std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter < 0x7f; });
  if (text.empty() || text.size() > kLongest || !printable) {
    return invalid("must be an endpoint such as unix:///run/docker.sock");
  }
  config.host = std::move(text);
  return {};
}

Status store_fallback(Config& config, const json& value, Origin origin) {
  LAZARET_TRY(const auto text, text_of(value));
  const auto word = lower_case(text);
  if (word != "allow" && word != "never") {
    return invalid(in_quotes(text) + " is neither allow nor never");
  }
  const auto rule = word == "never" ? FallbackRule::never : FallbackRule::allow;
  if (origin == Origin::project_file && rule == FallbackRule::allow &&
      config.fallback == FallbackRule::never) {
    return loosens("it cannot allow a fallback that is forbidden");
  }
  config.fallback = rule;
  return {};
}

Status store_amount(const LimitRow& row, Limits& limits, const json& value, Origin origin) {
  LAZARET_TRY(const auto amount, amount_of(row.unit, value));
  LAZARET_CHECK(check_range(row, amount));
  const auto present = row.get(limits);
  if (origin == Origin::project_file && present && amount > *present) {
    return loosens("it cannot raise " + show_quantity(*present, row.unit) + " to " +
                   show_quantity(amount, row.unit));
  }
  row.set(limits, amount);
  return {};
}

std::string show_amount(const LimitRow& row, const Limits& limits) {
  const auto amount = row.get(limits);
  return amount ? show_quantity(*amount, row.unit) : "unset";
}

ConfigKey amount_key(const LimitRow& row, std::string section, Limits Config::*limits) {
  std::string variable;
  if (section == "limits") {
    variable = "LAZARET_" + std::string(row.key);
    std::ranges::transform(variable, variable.begin(), [](char letter) {
      return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
  }
  if (variable == "LAZARET_TIMEOUT") variable = "SANDBOX_TIMEOUT_SEC";
  return {std::move(section) + "." + std::string(row.key), std::move(variable), ProjectMay::narrow,
          [&row, limits](Config& config, const json& value, Origin origin) {
            return store_amount(row, config.*limits, value, origin);
          },
          [&row, limits](const Config& config) { return show_amount(row, config.*limits); }};
}

ConfigKey image_key(const std::string& language) {
  std::string variable = "LAZARET_IMAGE_";
  for (const char letter : language) variable += static_cast<char>(letter - 'a' + 'A');
  const auto store = [language](Config& config, const json& value, Origin) -> Status {
    LAZARET_TRY(auto name, text_of(value));
    if (!is_image_reference(name)) return invalid(in_quotes(name) + " is not the name of an image");
    config.images[language] = std::move(name);
    return {};
  };
  const auto show = [language](const Config& config) { return config.images.at(language); };
  return {"images." + language, std::move(variable), ProjectMay::nothing, store, show};
}

Status store_required(Config& config, const json& value, Origin origin) {
  LAZARET_TRY(const auto words, words_of(value));
  if (origin == Origin::project_file && words.empty()) {
    return loosens("it can add required controls but not drop them");
  }
  std::set<Control> controls;
  if (origin == Origin::project_file) controls = config.required_controls;
  for (const auto& word : words) {
    const auto control = control_named(word);
    if (!control) {
      std::vector<std::string_view> names;
      for (const auto each : all_controls()) names.push_back(name_of(each));
      return invalid(in_quotes(word) + " is not a control; there are " + joined(names));
    }
    controls.insert(*control);
  }
  config.required_controls = std::move(controls);
  return {};
}

std::string show_required(const Config& config) {
  std::vector<std::string_view> names;
  for (const auto control : config.required_controls) names.push_back(name_of(control));
  return joined(names);
}

template <typename T>
Result<T> word_of(const json& value, std::optional<T> (*named)(std::string_view) noexcept,
                  std::string_view otherwise) {
  LAZARET_TRY(const auto text, text_of(value));
  const auto chosen = named(lower_case(text));
  if (!chosen) return invalid(in_quotes(text) + " is " + std::string(otherwise));
  return *chosen;
}

Status store_subprocess(Config& config, const json& value, Origin origin) {
  LAZARET_TRY(const auto chosen, word_of(value, subprocess_named, "neither allow nor deny"));
  if (origin == Origin::project_file && chosen < config.subprocess)
    return loosens("it cannot allow the subprocesses that are denied");
  config.subprocess = chosen;
  return {};
}

Status store_profile(Config& config, const json& value, Origin origin) {
  LAZARET_TRY(const auto chosen, word_of(value, profile_named, "none of strict, standard and dev"));
  if (origin == Origin::project_file && chosen < config.profile)
    return loosens("it cannot choose a profile that allows more");
  config.profile = chosen;
  return {};
}

Status store_loopback(Config& config, const json& value, Origin) {
  LAZARET_TRY(config.loopback, word_of(value, loopback_named, "neither up nor down"));
  return {};
}

ConfigKey words_key(std::string key, std::string variable, std::set<std::string> Config::*member,
                    Status (*check)(std::string_view word)) {
  const auto store = [member, check](Config& config, const json& value, Origin) -> Status {
    LAZARET_TRY(const auto words, words_of(value));
    for (const auto& word : words) LAZARET_CHECK(check(word));
    config.*member = {words.begin(), words.end()};
    return {};
  };
  const auto show = [member](const Config& config) { return joined(config.*member); };
  return {std::move(key), std::move(variable), ProjectMay::nothing, store, show};
}

constexpr double kMostInPool = 256;

Status store_pool_most(Config& config, const json& value, Origin) {
  LAZARET_TRY(const double number, amount_of(Unit::count, value));
  if (number < 0 || number > kMostInPool) return invalid("must be a number from 0 to 256");
  config.pool.most = static_cast<std::uint32_t>(number);
  return {};
}

Status store_pool_idle(Config& config, const json& value, Origin) {
  constexpr double kSecond = 1000, kHour = 3600 * kSecond;
  LAZARET_TRY(const double span, amount_of(Unit::milliseconds, value));
  if (span < kSecond || span > kHour) return invalid("must be a time from 1s to 1h");
  config.pool.idle = std::chrono::milliseconds(static_cast<std::int64_t>(span));
  return {};
}

Status store_pool_memory(Config& config, const json& value, Origin) {
  constexpr double kMiB = 1 << 20;
  LAZARET_TRY(const double bytes, amount_of(Unit::bytes, value));
  if (bytes < kMiB || bytes > kMiB * kMiB) return invalid("must be from 1MiB to 1TiB");
  config.pool.memory_bytes = static_cast<std::uint64_t>(bytes);
  return {};
}

Status store_pool_rate(Config& config, const json& value, Origin) {
  constexpr double kMost = 10'000;
  LAZARET_TRY(const double number, amount_of(Unit::count, value));
  if (number < 1 || number > kMost) return invalid("must be a number from 1 to 10000");
  config.pool.rate = static_cast<std::uint32_t>(number);
  return {};
}

Status store_pool_ready(Config& config, const json& value, Origin) {
  LAZARET_TRY(config.pool.ready, ready_wishes(value, config));
  return {};
}

std::vector<ConfigKey> make_table() {
  std::vector<ConfigKey> table = {
      {"type", "SANDBOX_TYPE", ProjectMay::set, store_type,
       [](const Config& config) { return std::string(name_of(config.type)); }},
      {"host", "LAZARET_HOST", ProjectMay::nothing, store_host,
       [](const Config& config) { return config.host.value_or("unset"); }},
      {"fallback", "SANDBOX_FALLBACK", ProjectMay::narrow, store_fallback,
       [](const Config& config) { return std::string(name_of(config.fallback)); }},
  };
  for (const auto& row : limit_rows()) table.push_back(amount_key(row, "limits", &Config::limits));
  for (const auto& row : limit_rows()) table.push_back(amount_key(row, "maxima", &Config::maxima));
  for (const char* const name : {"python", "bash", "javascript", "typescript", "sh", "c", "cpp",
                                 "rust", "go", "java", "exec"})
    table.push_back(image_key(name));
  table.push_back({"required_controls", "LAZARET_REQUIRED_CONTROLS", ProjectMay::narrow,
                   store_required, show_required});
  table.push_back({"subprocess", "LAZARET_SUBPROCESS", ProjectMay::narrow, store_subprocess,
                   [](const Config& config) { return std::string(name_of(config.subprocess)); }});
  table.push_back({"profile", "LAZARET_PROFILE", ProjectMay::narrow, store_profile,
                   [](const Config& config) { return std::string(name_of(config.profile)); }});
  table.push_back({"loopback", "LAZARET_LOOPBACK", ProjectMay::nothing, store_loopback,
                   [](const Config& config) { return std::string(name_of(config.loopback)); }});
  table.push_back(
      words_key("mounts.allow", "LAZARET_MOUNTS_ALLOW", &Config::mount_sources, check_source));
  table.push_back(words_key("packages.hosts", "LAZARET_PACKAGES_HOSTS", &Config::package_hosts,
                            check_package_host));
  table.push_back(
      words_key("egress.hosts", "LAZARET_EGRESS_HOSTS", &Config::egress_hosts, check_egress_host));
  table.push_back({"pool.most", "LAZARET_POOL_MOST", ProjectMay::nothing, store_pool_most,
                   [](const Config& config) { return std::to_string(config.pool.most); }});
  table.push_back({"pool.idle", "LAZARET_POOL_IDLE", ProjectMay::nothing, store_pool_idle,
                   [](const Config& config) {
                     return show_quantity(static_cast<double>(config.pool.idle.count()),
                                          Unit::milliseconds);
                   }});
  table.push_back({"pool.memory", "LAZARET_POOL_MEMORY", ProjectMay::nothing, store_pool_memory,
                   [](const Config& config) {
                     return show_quantity(static_cast<double>(config.pool.memory_bytes),
                                          Unit::bytes);
                   }});
  table.push_back({"pool.rate", "LAZARET_POOL_RATE", ProjectMay::nothing, store_pool_rate,
                   [](const Config& config) { return std::to_string(config.pool.rate); }});
  table.push_back(
      {"pool.ready", "LAZARET_POOL_READY", ProjectMay::nothing, store_pool_ready,
       [](const Config& config) { return show_wishes(config.pool.ready); }});
  table.push_back(words_key("environment.allow", "LAZARET_ENVIRONMENT_ALLOW",
                            &Config::environment_allow, check_variable));
  return table;
}

/// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t column = 0; column <= b.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= a.size(); ++line) {
    std::size_t diagonal = std::exchange(row[0], line);
    for (std::size_t column = 1; column <= b.size(); ++column) {
      const auto replaced = diagonal + (a[line - 1] == b[column - 1] ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({replaced, row[column] + 1, row[column - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<ConfigKey>& key_table() {
  static const std::vector<ConfigKey> table = make_table();
  return table;
}

const ConfigKey* key_at(std::string_view path) {
  const auto& table = key_table();
  const auto found = std::ranges::find(table, path, &ConfigKey::path);
  return found == table.end() ? nullptr : &*found;
}

bool is_section(std::string_view path) {
  const auto prefix = std::string(path) + ".";
  return std::ranges::any_of(
      key_table(), [&prefix](const ConfigKey& key) { return key.path.starts_with(prefix); });
}

std::string nearest_key(std::string_view path) {
  constexpr std::size_t kEnough = 100;  // longer keys are nobody's typing error
  const auto& table = key_table();
  const auto start = path.substr(0, kEnough);
  return std::ranges::min_element(
             table, {}, [start](const ConfigKey& key) { return distance(start, key.path); })
      ->path;
}

}  // namespace lazaret::policy
