#pragma once

#include "runner/message.hpp"

namespace lazaret::runner {

/// Has a name below /work changed as the host wishes, and says what became of it. No link is
/// followed, and no program may run meanwhile.
[[nodiscard]] Placed carry_out(const Change& change);

}  // namespace lazaret::runner
