#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "backend/leases.hpp"

/// Directories that core makes packages in, as they stand in the lease journal.
namespace lazaret::backend {

/// The row of one. Without a journal it is none: whose such a directory is, is told by what is in
/// it as well.
class StagingRow {
 public:
  StagingRow() = default;
  /// Before the directory is made. `state` as of Surroundings.
  StagingRow(const std::optional<std::filesystem::path>& state, std::filesystem::path directory);
  StagingRow(StagingRow&&) = default;
  StagingRow& operator=(StagingRow&&) = delete;
  /// Takes the row back where the directory is gone.
  ~StagingRow();

 private:
  std::unique_ptr<const Leases> leases_;
  std::filesystem::path directory_;
};

/// Those of dead processes, wherever they lie.
[[nodiscard]] std::vector<std::filesystem::path> stagings_left(const Leases& leases);
/// Takes back the rows of those that are gone.
void settle_stagings(const Leases& leases);

}  // namespace lazaret::backend
