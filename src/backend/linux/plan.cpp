#include "backend/linux/plan.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>

#include "backend/linux/tree.hpp"

namespace lazaret::backend::native {
namespace {

constexpr unsigned long kScratchFlags = MS_NOSUID | MS_NODEV;
constexpr rlim_t kSmallBytes = 64UL << 10;

std::string tmpfs_options(const Limits& limits, const char* mode) {
  return "size=" + std::to_string(limits.disk_bytes) +
         ",nr_inodes=" + std::to_string(limits.disk_files) + ",mode=" + mode;
}

std::vector<Limit> limits_of(const policy::Spec& spec, HeldBy held_by) {
  const Limits& limits = spec.limits;
  std::vector<Limit> list = {
      {RLIMIT_NOFILE, {limits.open_files, limits.open_files}},
      {RLIMIT_FSIZE, {limits.file_bytes, limits.file_bytes}},
      {RLIMIT_CORE, {0, 0}},
      {RLIMIT_MEMLOCK, {kSmallBytes, kSmallBytes}},
      {RLIMIT_MSGQUEUE, {kSmallBytes, kSmallBytes}},
      // Counted in the box's own user namespace (Linux 5.14), so it is exact for one box (P-51).
      {RLIMIT_NPROC, {limits.pids, limits.pids}},
  };
  if (held_by == HeldBy::limits && !reserves_address_space(spec)) {
    list.push_back({RLIMIT_AS, {limits.memory_bytes, limits.memory_bytes}});
  }
  return list;
}

}  // namespace

bool reserves_address_space(const policy::Spec& spec) {
  constexpr std::array kNames = {"node", "nodejs", "deno", "bun", "java", "go", "dotnet"};
  const std::string& path = spec.program.argv.front();
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Plan::Plan(const policy::Spec& spec, const Shared& shared, HeldBy held_by)
    : private_options_(tmpfs_options(spec.limits, "0700")),
      shared_options_(tmpfs_options(spec.limits, "1777")),
      scratch_{Scratch{"work", private_options_.c_str(), kScratchFlags},
               Scratch{"tmp", shared_options_.c_str(), kScratchFlags},
               Scratch{"dev/shm", shared_options_.c_str(), kScratchFlags | MS_NOEXEC}},
      limits_(limits_of(spec, held_by)) {
  child_.null = shared.null;
  child_.runner = shared.runner;
  child_.uid = child_.gid = kInsideId;
  child_.clear_groups = ::geteuid() == 0;
  child_.tree = shared.tree;
  child_.scratch = {scratch_.data(), scratch_.size()};
  child_.masked = {masked_proc_paths().data(), masked_proc_paths().size()};
  child_.limits = {limits_.data(), limits_.size()};
  child_.filter = shared.filter;
}

ChildPlan Plan::with_wire(int wire) const {
  ChildPlan child = child_;
  child.wire = wire;
  return child;
}

}  // namespace lazaret::backend::native
