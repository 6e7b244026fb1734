#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Whether what the inputs name is there. Errors: not_found, naming it.
[[nodiscard]] Status look_for(const std::vector<Input>& inputs);

/// Whether an error is one of the box or of the way there, after which it is of no use.
[[nodiscard]] bool is_of_box(Errc code) noexcept;

/// What becomes of a file or a link where one is to be put.
enum class Existing { stay, give_way };

/// What is to be put below /work; of a source's files the one at `code` is left out.
struct Cargo {
  const std::vector<Input>& inputs;
  std::string_view code;
  Existing existing = Existing::stay;
};

/// Has a box's runner put it, and says what became of it. Memory is bounded whatever they hold.
/// Errors: those of reading a source, invalid_argument for what cannot be put (a device, a link
/// that leads out), and those of the wire; after one the box is of no use.
[[nodiscard]] Result<runner::Placed> put_inputs(runner::Client& client, const Cargo& cargo,
                                                const Call& call);

}  // namespace lazaret::core
