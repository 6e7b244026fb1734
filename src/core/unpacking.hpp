#pragma once

#include <functional>
#include <string>

#include "base/call.hpp"
#include "core/transfer.hpp"
#include "lazaret/limits.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// More of an archive; nothing at its end.
using ArchiveSource = std::function<Result<std::string>(const Call& call)>;

/// Where an archive goes.
struct Destination {
  std::string directory;  ///< below /work, which is made; "." is /work itself
  const Limits& limits;   ///< of the box
};

/// Has a box's runner put what an archive holds; what is there gives way, but no directory, and of
/// entries with one name the last stays. Memory is bounded whatever it holds. After an error what
/// came before is there, and nothing of the entry itself; the client says whether it is still in
/// step. Errors: those of the source and of the wire, invalid_argument for an archive, or an entry,
/// that cannot be, and those of place_error().
[[nodiscard]] Status unpack(runner::Client& client, const Destination& destination,
                            const ArchiveSource& source, const Calls& calls);

}  // namespace lazaret::core
