#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "engine/client.hpp"
#include "lazaret/control.hpp"

/// Which field of what was sent is found where in what an engine shows, one row each.
namespace lazaret::backend::docker {

/// A field that was sent, and where it is found in what inspect shows; JSON pointers.
struct Row {
  Control control;
  const char* sent;
  const char* seen;
  bool (*same)(const nlohmann::json& sent, const nlohmann::json& seen);
};
[[nodiscard]] std::span<const Row> rows_of(engine::Kind kind) noexcept;

/// Never sent, and loosening where an engine or somebody between us and it has put them in.
struct Unasked {
  Control control;
  const char* seen;
};
[[nodiscard]] std::span<const Unasked> unasked_fields() noexcept;

/// Null, false, zero, or nothing in it.
[[nodiscard]] bool is_empty(const nlohmann::json& value);

}  // namespace lazaret::backend::docker
