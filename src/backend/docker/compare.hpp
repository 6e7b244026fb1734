#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "backend/verdict.hpp"
#include "engine/client.hpp"
#include "policy/spec.hpp"

/// Asked for is not had (P-40): what the engine says it has made, against what it was sent.
namespace lazaret::backend::docker {

struct Comparison {
  engine::Kind kind;
  const nlohmann::json& sent;  ///< the create body
  const nlohmann::json& seen;  ///< GET /containers/{id}/json
};

/// A reading for each field that a control hangs on, and for each that must have stayed empty.
/// Pure. Engines spell things differently; the meaning is compared.
[[nodiscard]] std::vector<Reading> compare(const Comparison& comparison);

/// Where volumes are mounted that nobody has asked for: those that the image declares. At most 32,
/// and absolute paths only; what is left out is a difference.
[[nodiscard]] std::vector<std::string> declared_volumes(const Comparison& comparison);

/// What the engine said when it was told to create: a limit that it has discarded is a control that
/// is missing (P-39).
[[nodiscard]] std::vector<Reading> read_warnings(const std::vector<std::string>& warnings);

/// The networks of a container; one that has an address is a control that is missing.
[[nodiscard]] Reading read_networks(const nlohmann::json& seen);

/// As require(), looking only at the controls that have been read so far.
[[nodiscard]] Status require_so_far(const std::vector<Reading>& readings, const policy::Spec& spec);

}  // namespace lazaret::backend::docker
