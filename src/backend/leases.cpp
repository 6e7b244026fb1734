#include "backend/leases.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.hpp"
#include "os/init.hpp"

namespace lazaret::backend {

Leases::Leases(const std::optional<std::filesystem::path>& folder, std::string place,
               journal::Owner owner)
    : folder_(folder), place_(std::move(place)), owner_(std::move(owner)) {
  if (!folder) return;
  auto opened = journal::LeaseJournal::open(*folder);
  if (opened.ok())
    journal_ = std::move(opened).value();
  else
    trouble_ = std::move(opened).error();
}

// All but these are on this machine, whatever engine is to read them.
journal::Thing Leases::thing(journal::Kind kind, const std::string& name) const {
  const bool is_of_engine = kind == journal::Kind::container || kind == journal::Kind::volume;
  return {kind, is_of_engine ? place_ : "", name};
}

Status Leases::intend(journal::Kind kind, const std::string& name) const {
  if (trouble_) return *trouble_;
  if (!journal_) return {};
  LAZARET_CHECK(show_presence());
  Status written = journal_->intend(thing(kind, name), owner_);
  if (!written.ok()) owe_less();
  return written;
}

Status Leases::show_presence() const {
  return debt_.with([this](Debt& debt) -> Status {
    if (!debt.presence) {
      LAZARET_TRY(debt.presence, journal::Presence::hold(*folder_, owner_.id));
    }
    ++debt.leases;
    return {};
  });
}

void Leases::settle(journal::Kind kind, const std::string& name) const {
  if (!journal_ || owner_.pid != os::process_id()) return;
  if (journal_->settle(thing(kind, name), owner_.id).ok()) owe_less();
}

void Leases::owe_less() const {
  debt_.with([](Debt& debt) { debt.leases -= std::min<std::size_t>(debt.leases, 1); });
}

// A fork has a copy of us, but no say.
Leases::~Leases() {
  debt_.with([this](const Debt& debt) {
    if (debt.presence && debt.leases == 0 && owner_.pid == os::process_id())
      debt.presence->leave();
  });
}

journal::Standing Leases::standing_of(const journal::Owner& owner) const {
  const journal::Standing seen = journal::standing_of(owner, owner_);
  if (seen != journal::Standing::other_namespace || !folder_) return seen;
  return journal::presence_of(*folder_, owner.id);
}

std::vector<journal::Lease> Leases::all() const {
  if (!journal_) return {};
  auto read = journal_->leases();
  return read.ok() ? std::move(read).value() : std::vector<journal::Lease>();
}

std::vector<journal::Lease> Leases::left() const {
  std::vector<journal::Lease> dead = all();
  std::erase_if(dead, [this](const journal::Lease& lease) {
    return lease.thing.kind == journal::Kind::unknown ||
           standing_of(lease.owner) != journal::Standing::dead;
  });
  return dead;
}

void Leases::forget_gone() const {
  if (!journal_) return;
  const auto all = journal_->leases();
  if (!all.ok()) return;
  std::set<std::string> owing;
  for (const journal::Lease& lease : *all) owing.insert(lease.owner.id);
  journal::forget_gone(*folder_, owing);
}

std::string warning_of_no_row(const Error& error) {
  const std::string warning = error.message() + "; should Lazaret be killed, run lazaret gc";
  return error.hint().empty() ? warning : warning + " (" + error.hint() + ")";
}

}  // namespace lazaret::backend
