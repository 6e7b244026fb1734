#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/request.hpp"
#include "os/plain_file.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Whether what the inputs name is there. Errors: not_found, naming it.
[[nodiscard]] Status look_for(const std::vector<Input>& inputs);

/// Whether a file whose size is 0 is empty: those of /proc say so and are not. Errors:
/// invalid_argument, naming the source, and those of reading.
[[nodiscard]] Status check_empty(const std::filesystem::path& source, const os::PlainFile& file);

/// Whether an error is one of the box or of the way there, not of what was to be put.
[[nodiscard]] bool is_of_box(Errc code) noexcept;

/// Whether the target of a link, by its words alone, is outside of the directory that the link's
/// path is relative to.
[[nodiscard]] bool leads_out(std::string_view link, std::string_view target);

/// What is to be put below /work; of a source's files the one at `code` is left out.
struct Cargo {
  const std::vector<Input>& inputs;
  std::string_view code;
  runner::Entry::Existing existing = runner::Entry::Existing::stays;
};

/// Has a box's runner put it, and says what became of it. Memory is bounded whatever they hold.
/// Errors: those of reading a source, invalid_argument for what cannot be put (a device, a link
/// that leads out), and those of the wire; the client says whether it is still in step.
[[nodiscard]] Result<runner::Placed> put_inputs(runner::Client& client, const Cargo& cargo,
                                                const Call& call);

}  // namespace lazaret::core
