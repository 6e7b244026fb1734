#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "backend/backend.hpp"
#include "lazaret/limits.hpp"

namespace lazaret::core {

/// The processor time of all processes of a box together, since a program of it began (L-09). The
/// kernel bounds that of each by itself.
class CpuBudget {
 public:
  /// Both must outlive it.
  CpuBudget(backend::Box& box, const Limits& limits) : box_(box), limits_(limits) {}

  /// The program begins: what was used until now is not its own.
  void begin();
  /// What of the limit does not hold, where begin() has found nobody who counts; nullptr: all does.
  /// The interpreter of a context outlives its cells, so that the kernel's own limit is none of
  /// theirs.
  [[nodiscard]] const char* lack(bool of_a_context) const;
  /// How long it takes at least to use up the rest; nothing where nobody counts or limits.
  [[nodiscard]] std::optional<std::chrono::milliseconds> until_spent() const;

 private:
  backend::Box& box_;
  const Limits& limits_;
  std::optional<std::uint64_t> before_;  // milliseconds
};

}  // namespace lazaret::core
