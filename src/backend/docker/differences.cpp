#include "backend/docker/differences.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr Differences kDocker = {.seccomp_by_path = false,
                                 .scratch_by_volume = false,
                                 .needs_nproc = false,
                                 .adds_tmpfs = false,
                                 .has_docker_only_fields = true,
                                 .takes_oom_score = true,
                                 .shows_mounts = true,
                                 .shows_cgroup_mode = true};
constexpr Differences kPodman = {.seccomp_by_path = true,
                                 .scratch_by_volume = true,
                                 .needs_nproc = true,
                                 .adds_tmpfs = true,
                                 .has_docker_only_fields = false,
                                 .takes_oom_score = false,
                                 .shows_mounts = false,
                                 .shows_cgroup_mode = false};

}  // namespace

const Differences& differences_of(engine::Kind kind) noexcept {
  return kind == engine::Kind::docker ? kDocker : kPodman;
}

}  // namespace lazaret::backend::docker
