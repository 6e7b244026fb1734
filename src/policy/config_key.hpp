#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policy/config.hpp"

/// The table of everything that can be configured. For config.cpp only.
namespace lazaret::policy {

/// What a project file may do with a key, given that it comes with the foreign code.
enum class ProjectMay { set, narrow, nothing };

struct ConfigKey {
  std::string path;      ///< "limits.timeout"
  std::string variable;  ///< "" where the environment has no say
  ProjectMay project;
  /// Reads, checks and stores. `origin` decides between replacing and narrowing.
  std::function<Status(Config& config, const nlohmann::json& value, Origin origin)> store;
  std::function<std::string(const Config& config)> show;
};

[[nodiscard]] const std::vector<ConfigKey>& key_table();
/// Null when there is none.
[[nodiscard]] const ConfigKey* key_at(std::string_view path);
/// Whether keys exist below this one.
[[nodiscard]] bool is_section(std::string_view path);
/// The existing key that looks most like this one.
[[nodiscard]] std::string nearest_key(std::string_view path);

}  // namespace lazaret::policy
