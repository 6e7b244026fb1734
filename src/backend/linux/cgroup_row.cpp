#include "backend/linux/cgroup_row.hpp"

#include <algorithm>
#include <vector>

#include "backend/linux/cgroup_directory.hpp"
#include "backend/sweep.hpp"
#include "base/guarded.hpp"
#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

// A box is waited for meanwhile: what takes longer is left to the next one, and to lazaret gc.
constexpr std::chrono::milliseconds kSweepBound{200};
constexpr std::chrono::seconds kRetry{5};

bool is_owed(const Leases& leases) {
  return std::ranges::any_of(leases.left(), [](const journal::Lease& lease) {
    return lease.thing.kind == journal::Kind::cgroup;
  });
}

// What shows processes of other pid namespaces that the owner of a row lives goes with the process,
// after all that is static.
Guarded<std::vector<std::unique_ptr<Leases>>>& kept_until_the_end() {
  static auto* const all = new Guarded<std::vector<std::unique_ptr<Leases>>>;
  return *all;
}

}  // namespace

// A fork makes no boxes by a backend of its parent's, whose locks it may have in any state.
Status CgroupRow::write() {
  if (::getpid() != owner_) return {};
  const std::scoped_lock lock(writing_);
  const bool is_to_be_tried = !written_ || (!written_->ok() && Clock::now() >= not_before_);
  if (is_to_be_tried) written_ = begin();
  if (is_to_be_tried && !written_->ok()) not_before_ = Clock::now() + kRetry;
  return *written_;
}

Status CgroupRow::begin() {
  leases_ = std::make_unique<Leases>(state_, "", journal::this_process());
  name_ = own_cgroups();
  LAZARET_CHECK(leases_->intend(journal::Kind::cgroup, name_));
  if (!is_owed(*leases_)) return {};
  (void)sweep_native(*leases_, Act::remove, Call{}.within(kSweepBound));
  leases_->forget_gone();
  return {};
}

CgroupRow::~CgroupRow() {
  if (::getpid() != owner_ || !written_ || !written_->ok()) return;
  if (kept_)
    kept_until_the_end().with([this](auto& all) { all.push_back(std::move(leases_)); });
  else
    leases_->settle(journal::Kind::cgroup, name_);
}

}  // namespace lazaret::backend::native
