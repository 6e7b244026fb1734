#include "policy/config.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/try.hpp"
#include "policy/config_key.hpp"
#include "policy/limit_table.hpp"

namespace lazaret::policy {
namespace {

using nlohmann::json;

Status store(Config& config, const ConfigKey& key, const json& value, const Source& source) {
  LAZARET_CHECK(key.store(config, value, source.origin).within(key.path).within(source.name));
  config.sources[key.path] = source;
  return {};
}

Error unknown(const std::string& path, const Source& source) {
  const auto nearest = nearest_key(path);
  return Error(Errc::invalid_argument, source.name + ": unknown key " + in_quotes(path) +
                                           "; the nearest valid key is " + nearest)
      .with_hint("did you mean " + nearest);
}

Error not_for_projects(const std::string& path, const Source& source) {
  return Error(Errc::permission_denied,
               source.name + ": " + path +
                   ": a project file comes with the code to be run and may only narrow, so it "
                   "cannot set this key")
      .with_hint("set it in the user's or the system's configuration, or by a flag");
}

Status apply_section(Config& config, const json& tree, const Source& source,
                     const std::string& prefix) {
  if (tree.is_null()) return {};  // a section whose keys are all commented out
  if (!tree.is_object()) {
    return Error(Errc::invalid_argument,
                 source.name + ": " + (prefix.empty() ? "the file" : prefix) +
                     " must hold keys and values");
  }
  for (const auto& [name, value] : tree.items()) {
    const auto path = prefix.empty() ? name : prefix + "." + name;
    const auto* key = key_at(path);
    if (key == nullptr && is_section(path)) {
      LAZARET_CHECK(apply_section(config, value, source, path));
      continue;
    }
    if (key == nullptr) return unknown(path, source);
    if (source.origin == Origin::project_file && key->project == ProjectMay::nothing) {
      return not_for_projects(path, source);
    }
    LAZARET_CHECK(store(config, *key, value, source));
  }
  return {};
}

Status apply_files(Config& config, const std::vector<FileLayer>& files) {
  for (const auto origin : {Origin::system_file, Origin::user_file, Origin::project_file}) {
    for (const auto& file : files) {
      if (file.origin != origin) continue;
      LAZARET_CHECK(apply_section(config, file.tree, {origin, file.name}, ""));
    }
  }
  return {};
}

Status apply_environment(Config& config, const EnvironmentLookup& lookup) {
  for (const auto& key : key_table()) {
    if (key.variable.empty() || !lookup) continue;
    const auto text = lookup(key.variable);
    if (!text || text->empty()) continue;
    json value = *text;
    if (key.variable == "SANDBOX_TIMEOUT_SEC") {
      LAZARET_TRY(value, parse_plain_seconds(*text).within(key.variable));
    }
    LAZARET_CHECK(store(config, key, value, {Origin::environment, key.variable}));
  }
  return {};
}

Status apply_flags(Config& config, const SandboxOptions& flags) {
  const auto set = [&config](const char* path, const char* flag, const std::string& text) {
    return store(config, *key_at(path), text, {Origin::flag, flag});
  };
  if (flags.type) LAZARET_CHECK(set("type", "--type", *flags.type));
  if (flags.host) LAZARET_CHECK(set("host", "--host", *flags.host));
  if (flags.fallback) {
    LAZARET_CHECK(set("fallback", "--fallback", *flags.fallback ? "allow" : "never"));
  }
  return {};
}

std::string place_of(const Config& config, const std::string& key) {
  const auto source = config.source_of(key);
  return source.origin == Origin::built_in ? "built-in" : source.name;
}

/// Each value may be fine where it stands, and still be above the maximum from another file.
Status check_maxima(const Config& config) {
  for (const auto& row : limit_rows()) {
    const auto limit = row.get(config.limits);
    const auto maximum = row.get(config.maxima);
    if (!limit || !maximum || *limit <= *maximum) continue;
    const auto limit_key = "limits." + std::string(row.key);
    const auto maximum_key = "maxima." + std::string(row.key);
    return Error(Errc::invalid_argument,
                 limit_key + " is " + show_quantity(*limit, row.unit) + " (" +
                     place_of(config, limit_key) + "), above " + maximum_key + ", which is " +
                     show_quantity(*maximum, row.unit) + " (" + place_of(config, maximum_key) + ")")
        .with_hint("lower the limit, or raise the maximum in the user's or the system's file");
  }
  return {};
}

void pass_variables(Config& config, const EnvironmentLookup& lookup) {
  for (const auto& name : config.environment_allow) {
    if (!lookup) return;
    if (auto value = lookup(name)) config.passed_environment.emplace(name, std::move(*value));
  }
}

}  // namespace

std::string_view name_of(BackendType type) noexcept {
  switch (type) {
    case BackendType::local: return "local";
    case BackendType::docker: return "docker";
    case BackendType::podman: return "podman";
    case BackendType::automatic: return "auto";
  }
  return "";
}

std::string_view name_of(FallbackRule rule) noexcept {
  switch (rule) {
    case FallbackRule::allow: return "allow";
    case FallbackRule::never: return "never";
  }
  return "";
}

std::string_view name_of(Origin origin) noexcept {
  switch (origin) {
    case Origin::flag: return "flag";
    case Origin::environment: return "environment";
    case Origin::project_file: return "project file";
    case Origin::user_file: return "user file";
    case Origin::system_file: return "system file";
    case Origin::built_in: return "default";
  }
  return "";
}

Source Config::source_of(std::string_view key) const {
  const auto found = sources.find(key);
  return found == sources.end() ? Source{} : found->second;
}

Result<Config> merge(const Layers& layers) {
  Config config;
  LAZARET_CHECK(apply_files(config, layers.files));
  LAZARET_CHECK(apply_environment(config, layers.environment));
  LAZARET_CHECK(apply_flags(config, layers.flags));
  LAZARET_CHECK(check_maxima(config));
  pass_variables(config, layers.environment);
  return config;
}

std::vector<ConfigRow> rows_of(const Config& config) {
  std::vector<ConfigRow> rows;
  for (const auto& key : key_table()) {
    rows.push_back({key.path, key.show(config), config.source_of(key.path)});
  }
  return rows;
}

std::vector<std::string> config_keys() {
  std::vector<std::string> keys;
  for (const auto& key : key_table()) keys.push_back(key.path);
  return keys;
}

}  // namespace lazaret::policy
