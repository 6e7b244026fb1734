#pragma once

#include "backend/linux/order.hpp"

namespace lazaret::backend::native {

/// Who boxes that we make can be on this host: nobody for root with its usual capabilities, a
/// subordinate for a user who has ids to give and the programs that give them, and else himself.
[[nodiscard]] Identity identity_of_host();

}  // namespace lazaret::backend::native
