#pragma once

#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// Makes the read-only root that all boxes will see and enters it; the host's tree is gone
/// afterwards. Meant for the first process of a pid namespace in its own user and mount namespaces.
/// The name of the step that failed, with errno, or nothing.
[[nodiscard]] const char* lay_ground(const Foundation& foundation) noexcept;

}  // namespace lazaret::backend::native
