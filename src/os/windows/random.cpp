#include <random>

#include "os/random.hpp"

namespace lazaret::os {

std::uint32_t random_word() noexcept { return std::random_device()(); }

}  // namespace lazaret::os
