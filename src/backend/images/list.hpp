#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/images/definition.hpp"
#include "base/call.hpp"
#include "engine/client.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::images {

enum class State {
  current,   ///< made of the packages that this Lazaret wants
  outdated,  ///< made of other packages, or not by us
  missing,
};
[[nodiscard]] std::string_view name_of(State state) noexcept;

/// What an engine has under the reference of one definition.
struct Listed {
  std::string name;       ///< "python"
  std::string reference;  ///< "lazaret/python:latest"
  State state = State::missing;
  Contents contents = Contents::plain;
  std::string id;
  std::string digest;   ///< "docker.io/lazaret/python@sha256:…"; Docker gives imports none
  std::string version;  ///< of the Lazaret that made it
  std::int64_t size_bytes = 0;
  std::optional<std::chrono::sys_seconds> created;
};

/// From the engine's answer to an inspect.
[[nodiscard]] Listed listed_from(const Definition& definition, const nlohmann::json& inspected);

/// One row for each definition, in their order.
[[nodiscard]] Result<std::vector<Listed>> list(const engine::EngineClient& client,
                                               const Call& call);

}  // namespace lazaret::backend::images
