#include "backend/linux/cgroup_row.hpp"

#include <algorithm>

#include "backend/linux/cgroup_directory.hpp"
#include "backend/sweep.hpp"

namespace lazaret::backend::native {
namespace {

// A box is waited for meanwhile: what takes longer is left to the next one, and to lazaret gc.
constexpr std::chrono::seconds kSweepBound{2};

bool is_owed(const Leases& leases) {
  return std::ranges::any_of(leases.left(), [](const journal::Lease& lease) {
    return lease.thing.kind == journal::Kind::cgroup;
  });
}

}  // namespace

Status CgroupRow::write() {
  const std::scoped_lock lock(writing_);
  if (!written_) written_ = begin();
  return *written_;
}

Status CgroupRow::begin() {
  leases_.emplace(state_, "", journal::this_process());
  if (is_owed(*leases_)) (void)sweep_native(*leases_, Act::remove, Call{}.within(kSweepBound));
  return leases_->intend(journal::Kind::cgroup, own_cgroups());
}

CgroupRow::~CgroupRow() {
  if (::getpid() != owner_ || !written_ || !written_->ok() || kept_) return;
  leases_->settle(journal::Kind::cgroup, own_cgroups());
}

}  // namespace lazaret::backend::native
