#pragma once

#include "engine/client.hpp"

namespace lazaret::backend::docker {

/// Everything in which a box is made or read differently on the two engines, measured on Docker
/// 20.10 and Podman 4.3.
struct Differences {
  /// SecurityOpt seccomp= takes the profile itself, or a path on the engine's machine (P-41).
  bool seccomp_by_path;
  /// Podman knows neither nr_inodes nor uid as option of a tmpfs, but hands those of a volume of
  /// type tmpfs to mount(8): its boxes have a volume for each writable directory.
  bool scratch_by_volume;
  /// Without these Podman asks for 1048576 of each, which needs CAP_SYS_RESOURCE.
  bool needs_nproc;
  /// With a read-only root Podman adds writable, executable tmpfs on /run and /var/tmp; covered by
  /// empty read-only ones.
  bool adds_tmpfs;
  /// MaskedPaths, ReadonlyPaths, Init and NetworkDisabled are obeyed and shown by inspect (P-42).
  bool has_docker_only_fields;
  /// OomScoreAdj can be given (P-43).
  bool takes_oom_score;
  /// inspect shows HostConfig.Mounts; Podman turns them into Binds.
  bool shows_mounts;
  /// inspect shows CgroupnsMode; Podman's compatible API ignores it, so that the engine's default
  /// holds: private on cgroup v2, the host's on v1.
  bool shows_cgroup_mode;
};

[[nodiscard]] const Differences& differences_of(engine::Kind kind) noexcept;

}  // namespace lazaret::backend::docker
