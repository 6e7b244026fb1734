#include <sys/random.h>

#include <exception>

#include "os/random.hpp"

namespace lazaret::os {

// So few bytes come whole, and no signal interrupts it (getrandom(2)).
std::uint32_t random_word() noexcept {
  std::uint32_t word = 0;
  if (::getrandom(&word, sizeof word, 0) != sizeof word) std::terminate();
  return word;
}

}  // namespace lazaret::os
