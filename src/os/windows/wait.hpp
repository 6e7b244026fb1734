#pragma once

#include "base/call.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// An event that stays signalled once it is set; born unset.
[[nodiscard]] Result<Handle> make_event();
/// Waits until `object` is signalled, the deadline passes or, within some milliseconds, the
/// stop token is triggered. Errors: timed_out, cancelled, system.
[[nodiscard]] Status wait_for(RawHandle object, const Call& call);

}  // namespace lazaret::os
