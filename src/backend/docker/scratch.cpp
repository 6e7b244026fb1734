#include "backend/docker/scratch.hpp"

#include <cstdint>

namespace lazaret::backend::docker {
namespace {

constexpr std::uint64_t kBlockBytes = 4096;

// WHY: nr_blocks and not size, which Podman takes for a project quota of the volume's directory.
std::string volume_options(const Scratch& scratch, const Limits& limits) {
  return std::string("nosuid,nodev,") + scratch.execute +
         ",nr_blocks=" + std::to_string(limits.disk_bytes / kBlockBytes) +
         ",nr_inodes=" + std::to_string(limits.disk_files) + "," + scratch.owner;
}

}  // namespace

std::string tmpfs_options(const Scratch& scratch, const Limits& limits) {
  return std::string("rw,nosuid,nodev,") + scratch.execute +
         ",size=" + std::to_string(limits.disk_bytes) +
         ",nr_inodes=" + std::to_string(limits.disk_files) + "," + scratch.owner;
}

std::vector<ScratchVolume> scratch_volumes(const std::string& box, const Limits& limits) {
  std::vector<ScratchVolume> volumes;
  for (const Scratch& scratch : kScratch) {
    const std::string options = volume_options(scratch, limits);
    volumes.push_back({box + scratch.suffix,
                       scratch.target,
                       scratch.execute,
                       {{"type", "tmpfs"}, {"device", "tmpfs"}, {"o", options}}});
  }
  return volumes;
}

}  // namespace lazaret::backend::docker
