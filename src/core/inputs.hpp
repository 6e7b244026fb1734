#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Whether what the inputs name is there. Errors: not_found, naming it.
[[nodiscard]] Status look_for(const std::vector<Input>& inputs);

/// Has a box's runner put the inputs below /work, and says what became of it; of a source's files
/// the one at `code` is left out. Memory is bounded whatever they hold. Errors: those of reading a
/// source, invalid_argument for what cannot be put (a device, a link that leads out), and those of
/// the wire; after one the box is of no use.
[[nodiscard]] Result<runner::Placed> put_inputs(runner::Client& client,
                                                const std::vector<Input>& inputs,
                                                std::string_view code, const Call& call);

}  // namespace lazaret::core
