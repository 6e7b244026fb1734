#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "journal/owner.hpp"
#include "lazaret/result.hpp"

/// Directories of the cgroup file system, version 2: what ours are called, and how they come and
/// go.
namespace lazaret::backend::native {

/// Whatever stands between them: spaces in cgroup.controllers, newlines in cgroup.procs.
[[nodiscard]] std::vector<std::string> words_of_cgroup_file(const std::filesystem::path& path);
/// In one write(2), as the kernel wants it. Answers errno, or 0.
[[nodiscard]] int write_cgroup_file(const std::filesystem::path& path, std::string_view text);
/// Whether no process but this one is in it.
[[nodiscard]] bool holds_nobody_else(const std::filesystem::path& directory);
[[nodiscard]] std::vector<std::filesystem::path> children_of(
    const std::filesystem::path& directory);

/// The process that a directory of ours belongs to, by its name: the lease of a thing that ends
/// with the machine's run.
struct CgroupName {
  std::uint64_t pid = 0;
  std::string namespaces;  ///< as in journal::Owner
  std::string started;
  bool is_seat = false;  ///< a process of Lazaret's own, no box
};
/// Nothing for names that we do not give, such as those of a service manager's units.
[[nodiscard]] std::optional<CgroupName> parse_cgroup_name(std::string_view name);
/// What this process can say of the owner of a directory, by its name and who may write to it.
[[nodiscard]] journal::Standing standing_of(const CgroupName& name,
                                            const std::filesystem::path& directory);
[[nodiscard]] std::uint64_t own_pid_namespace();
/// What the names of all of this process's cgroups have in common: "lazaret-PID-*-...".
[[nodiscard]] std::string own_cgroups();
/// The leaf for this process itself.
[[nodiscard]] std::filesystem::path seat_in(const std::filesystem::path& directory);
/// What a scope around this process is called (systemd.scope(5)), of all pid namespaces.
[[nodiscard]] std::string scope_name(pid_t pid);

/// Makes a directory beneath `parent` whose name nobody else uses: no process in whatever pid
/// namespace, and no other copy of this library in this one. Errors: permission_denied, not_found,
/// system.
[[nodiscard]] Result<std::filesystem::path> make_cgroup(const std::filesystem::path& parent);

/// Kills what is in the cgroup and removes it; waits until the last process is gone. One that is
/// not there is removed.
[[nodiscard]] Status remove_cgroup(const std::filesystem::path& directory, const Call& call);
/// One that a dead process of ours has left: a box's with what is in it, since nobody is there to
/// end it; a seat only when it is empty, since who lives there is no box.
[[nodiscard]] Status remove_left(const std::filesystem::path& directory, const CgroupName& name,
                                 const Call& call);

}  // namespace lazaret::backend::native
