#include "core/cpu_budget.hpp"

#include <algorithm>
#include <cmath>

namespace lazaret::core {
namespace {

// A single process is the kernel's to end, which counts by itself.
constexpr std::chrono::milliseconds kSlack{250};

std::optional<std::uint64_t> used_in(backend::Box& box) {
  const auto seen = box.counters();
  return seen ? seen->usage.cpu_ms : std::nullopt;
}

}  // namespace

void CpuBudget::begin() {
  if (limits_.cpu_time) before_ = used_in(box_);
}

const char* CpuBudget::lack(bool of_a_context) const {
  if (!limits_.cpu_time || before_) return nullptr;
  return of_a_context ? "the processor time of contexts is not limited here: nobody counts it"
                      : "the processor time is limited for each process alone: nobody counts here "
                        "that of all together";
}

std::optional<std::chrono::milliseconds> CpuBudget::until_spent() const {
  if (!limits_.cpu_time) return std::nullopt;
  const auto now = used_in(box_);
  if (!now) return std::nullopt;
  const std::chrono::milliseconds so_far(*now - std::min(*now, before_.value_or(0)));
  const std::chrono::milliseconds left = *limits_.cpu_time + kSlack - so_far;
  return left / static_cast<int>(std::ceil(std::max(1.0, limits_.cpus)));
}

}  // namespace lazaret::core
