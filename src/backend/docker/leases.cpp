#include "backend/docker/leases.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.hpp"
#include "os/init.hpp"

namespace lazaret::backend::docker {

Leases::Leases(const std::optional<std::filesystem::path>& folder, std::string place,
               Instance instance)
    : folder_(folder), place_(std::move(place)), instance_(std::move(instance)) {
  if (!folder) return;
  auto opened = journal::LeaseJournal::open(*folder);
  if (opened.ok())
    journal_ = std::move(opened).value();
  else
    trouble_ = std::move(opened).error();
}

// A directory is on this machine, whatever engine is to read it.
journal::Thing Leases::thing(journal::Kind kind, const std::string& name) const {
  return {kind, kind == journal::Kind::directory ? "" : place_, name};
}

Status Leases::intend(journal::Kind kind, const std::string& name) const {
  if (trouble_) return *trouble_;
  if (!journal_) return {};
  LAZARET_CHECK(show_presence());
  return journal_->intend(thing(kind, name), instance_);
}

Status Leases::show_presence() const {
  return debt_.with([this](Debt& debt) -> Status {
    if (!debt.presence) {
      LAZARET_TRY(debt.presence, journal::Presence::hold(*folder_, instance_.id));
    }
    ++debt.leases;
    return {};
  });
}

void Leases::settle(journal::Kind kind, const std::string& name) const {
  if (!journal_ || !journal_->settle(thing(kind, name), instance_.id).ok()) return;
  debt_.with([](Debt& debt) { debt.leases -= std::min<std::size_t>(debt.leases, 1); });
}

// A fork has a copy of us, but no say.
Leases::~Leases() {
  debt_.with([this](const Debt& debt) {
    if (debt.presence && debt.leases == 0 && instance_.pid == os::process_id())
      debt.presence->leave();
  });
}

journal::Standing Leases::standing_of(const Instance& owner) const {
  const journal::Standing seen = journal::standing_of(owner, instance_);
  if (seen != journal::Standing::other_namespace || !folder_) return seen;
  return journal::presence_of(*folder_, owner.id);
}

void Leases::forget_gone() const {
  if (!journal_) return;
  const auto all = journal_->leases();
  if (!all.ok()) return;
  std::set<std::string> owing;
  for (const journal::Lease& lease : *all) owing.insert(lease.owner.id);
  journal::forget_gone(*folder_, owing);
}

}  // namespace lazaret::backend::docker
