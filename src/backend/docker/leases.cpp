#include "backend/docker/leases.hpp"

#include <utility>

namespace lazaret::backend::docker {

Leases::Leases(const std::optional<std::filesystem::path>& folder, std::string place,
               Instance instance)
    : place_(std::move(place)), instance_(std::move(instance)) {
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
  return journal_ ? journal_->intend(thing(kind, name), instance_) : Status();
}

void Leases::settle(journal::Kind kind, const std::string& name) const {
  if (journal_) (void)journal_->settle(thing(kind, name), instance_.id).ok();
}

}  // namespace lazaret::backend::docker
