#pragma once

#include <cstddef>

namespace lazaret::backend::native {

/// One named step of making something; errno says why it was not taken.
template <typename Plan>
struct Step {
  const char* name;
  bool (*take)(const Plan&) noexcept;
};

/// Takes the steps in their order. The name of the one that failed, or nothing.
template <typename Plan, std::size_t kCount>
[[nodiscard]] const char* take_all(const Step<Plan> (&steps)[kCount], const Plan& plan) noexcept {
  for (const Step<Plan>& step : steps) {
    if (!step.take(plan)) return step.name;
  }
  return nullptr;
}

/// System calls answer with -1 and errno.
[[nodiscard]] inline bool done(long result) noexcept { return result >= 0; }

}  // namespace lazaret::backend::native
