#pragma once

#include <string>
#include <vector>

#include "engine/client.hpp"

namespace lazaret::bench {

/// What any run on an engine has to ask of it: create, attach, start, wait, remove. Nothing is
/// hardened and nothing is verified.
void bare_calls(const engine::EngineClient& client, const std::string& image,
                const std::vector<std::string>& argv);

}  // namespace lazaret::bench
