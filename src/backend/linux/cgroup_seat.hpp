#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>

#include "backend/linux/cgroup_row.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::native {

/// This process in a leaf of its own beneath a cgroup, because a cgroup that hands controllers to
/// its children may hold no process itself (cgroups(7), "no internal processes", P-52). Several
/// seats of one process share the leaf, even those of several copies of this library; each has an
/// empty directory beside it to say so. The last one's destructor goes back and takes the leaf and
/// the controllers away, unless somebody else needs them by now.
class CgroupSeat {
 public:
  CgroupSeat() = default;
  /// Only where this process is the only one, or in the leaf already. What it makes stands in the
  /// row, unless that is null. Errors: permission_denied, not_found, system.
  [[nodiscard]] static Result<CgroupSeat> take(const std::filesystem::path& directory,
                                               std::shared_ptr<CgroupRow> row);
  CgroupSeat(CgroupSeat&& other) noexcept;
  CgroupSeat& operator=(CgroupSeat&& other) noexcept;
  ~CgroupSeat();

 private:
  void leave() noexcept;

  std::shared_ptr<CgroupRow> row_;
  pid_t owner_ = -1;                 // a fork has a copy of it, but no say
  std::filesystem::path directory_;  // empty when there is nothing to go back to
  std::filesystem::path claim_;
};

}  // namespace lazaret::backend::native
