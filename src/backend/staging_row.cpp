#include "backend/staging_row.hpp"

#include <system_error>
#include <utility>

namespace lazaret::backend {
namespace {

namespace fs = std::filesystem;

bool is_gone(const fs::path& directory) {
  std::error_code error;
  return fs::symlink_status(directory, error).type() == fs::file_type::not_found;
}

// A container's may be where this process does not look.
bool is_gone_for_all(const journal::Lease& lease, const journal::Owner& here) {
  const fs::path directory = lease.thing.name;
  const bool is_seen =
      lease.owner.namespaces == here.namespaces && !is_gone(directory.parent_path());
  return is_gone(directory) && (is_seen || !is_younger(lease, kMayBeSeen));
}

}  // namespace

StagingRow::StagingRow(const std::optional<fs::path>& state, fs::path directory)
    : leases_(std::make_unique<const Leases>(state, "", journal::this_process())),
      directory_(std::move(directory)) {
  (void)leases_->intend(journal::Kind::staging, directory_.string()).ok();
  settle_stagings(*leases_);
}

StagingRow::~StagingRow() {
  if (leases_ && is_gone(directory_)) leases_->settle(journal::Kind::staging, directory_.string());
}

std::vector<fs::path> stagings_left(const Leases& leases) {
  std::vector<fs::path> directories;
  for (const journal::Lease& lease : leases.left()) {
    if (lease.thing.kind == journal::Kind::staging) directories.emplace_back(lease.thing.name);
  }
  return directories;
}

void settle_stagings(const Leases& leases) {
  for (const journal::Lease& lease : leases.left()) {
    if (lease.thing.kind == journal::Kind::staging && is_gone_for_all(lease, leases.owner()))
      (void)leases.journal()->settle(lease.thing, lease.owner.id).ok();
  }
}

}  // namespace lazaret::backend
