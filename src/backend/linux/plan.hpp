#pragma once

#include <array>
#include <string>
#include <vector>

#include "backend/linux/child.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend::native {

/// The id that a box has inside, whoever it is outside.
inline constexpr std::uint32_t kInsideId = 65534;

/// Whether a cgroup holds memory and tasks, or resource limits have to.
enum class HeldBy { cgroup, limits };

/// A ChildPlan for one box, and everything it points to. Stays where it was made.
class Plan {
 public:
  struct Shared {
    View<TreeEntry> tree;
    sock_fprog filter;
    int runner;
    int null;
  };
  Plan(const policy::Spec& spec, const Shared& shared, HeldBy held_by);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// `wire` becomes the runner's end of the stream.
  [[nodiscard]] ChildPlan with_wire(int wire) const;

 private:
  std::string private_options_;
  std::string shared_options_;
  std::array<Scratch, 3> scratch_;
  std::vector<Limit> limits_;
  ChildPlan child_{};
};

/// Runtimes that reserve far more address space than they use die under RLIMIT_AS (P-50).
[[nodiscard]] bool reserves_address_space(const policy::Spec& spec);

}  // namespace lazaret::backend::native
