#include "backend/linux/spawner/ground.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/step.hpp"

namespace lazaret::backend::native {
namespace {

// Only as the place of the new root, in a mount namespace of our own.
constexpr const char* kRoot = "/tmp";

// Of root's capabilities those that make boxes, also in a cgroup that a user owns, and nothing of
// its groups.
bool keep_what_makes_boxes() noexcept {
  constexpr std::uint32_t kOverride = 1U << 1, kSetgid = 1U << 6, kSetuid = 1U << 7,
                          kSysAdmin = 1U << 21;
  constexpr std::uint32_t kKept = kOverride | kSetgid | kSetuid | kSysAdmin;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct kept[2] = {{kKept, kKept, 0}, {0, 0, 0}};
  return done(::setgroups(0, nullptr)) && done(::syscall(SYS_capset, &header, kept));
}

// Without root's capabilities 0 means somebody only now that the maps are written
// (user_namespaces(7)).
bool take_identity(const Foundation& foundation) noexcept {
  if (foundation.identity == HostIdentity::nobody) return keep_what_makes_boxes();
  if (foundation.identity == HostIdentity::subordinate && !done(::setgroups(0, nullptr)))
    return false;
  return done(::setresgid(0, 0, 0)) && done(::setresuid(0, 0, 0));
}

bool name_host(const Foundation&) noexcept { return done(::sethostname("lazaret", 7)); }

bool is_tmpfs(const char* path) noexcept {
  struct statfs facts {};
  return done(::statfs(path, &facts)) && facts.f_type == TMPFS_MAGIC;
}

// Looked at as well: everything from here on would be done to the host's tree.
bool new_root(const Foundation&) noexcept {
  return done(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr)) &&
         keeps_mounts_to_itself() &&
         done(::mount("tmpfs", kRoot, "tmpfs", MS_NOSUID | MS_NODEV,
                      "size=1m,nr_inodes=256,mode=0755")) &&
         done(::chdir(kRoot)) && is_tmpfs(".");
}

// What is missing on the host now was there when it was looked at, or is not needed.
bool bind_here(const TreeEntry& entry) noexcept {
  struct stat facts {};
  if (::stat(entry.source.data(), &facts) != 0) return errno == ENOENT;
  const char* const target = entry.target.data();
  const bool made = S_ISDIR(facts.st_mode) ? done(::mkdir(target, 0755)) : make_file(target, "");
  return made && bind_tree(entry.source.data(), target);
}

bool make_entry(const TreeEntry& entry) noexcept {
  const char* const target = entry.target.data();
  switch (entry.kind) {
    case TreeEntry::Kind::directory: return done(::mkdir(target, 0755));
    case TreeEntry::Kind::link: return done(::symlink(entry.source.data(), target));
    case TreeEntry::Kind::file: return make_file(target, entry.source.data());
    case TreeEntry::Kind::bind: return bind_here(entry);
    case TreeEntry::Kind::device: return make_file(target, "");
  }
  return false;
}

bool make_tree(const Foundation& foundation) noexcept {
  for (std::uint32_t index = 0; index < foundation.entry_count; ++index) {
    if (!make_entry(foundation.entries[index])) return false;
  }
  return true;
}

// Everything that is mounted so far, the root itself included. What comes later is mounted on top.
bool make_read_only(const Foundation&) noexcept {
  return restrict_mount(".", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                        AT_RECURSIVE);
}

bool add_devices(const Foundation& foundation) noexcept {
  constexpr std::uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
  for (std::uint32_t index = 0; index < foundation.entry_count; ++index) {
    const TreeEntry& entry = foundation.entries[index];
    if (entry.kind != TreeEntry::Kind::device) continue;
    const char* const target = entry.target.data();
    if (!bind_tree(entry.source.data(), target) || !restrict_mount(target, kFlags, 0)) return false;
  }
  return true;
}

// WHY: a box may mount a /proc of its own only where one is seen whole already; this one shows the
// spawner alone, and is covered by the box's own.
bool add_proc(const Foundation&) noexcept {
  return done(::mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
}

// pivot_root(2), "pivot_root(".", ".")": the old root ends up on top of the new one and is
// detached.
bool enter_root(const Foundation&) noexcept {
  return done(::syscall(SYS_pivot_root, ".", ".")) && done(::umount2(".", MNT_DETACH)) &&
         done(::chdir("/"));
}

// The order matters: docs/native-backend.md says why each step stands where it stands.
constexpr Step<Foundation> kSteps[] = {
    {"take identity", take_identity},
    {"name host", name_host},
    {"new root", new_root},
    {"make tree", make_tree},
    {"make read-only", make_read_only},
    {"add devices", add_devices},
    {"add proc", add_proc},
    {"enter root", enter_root},
};

}  // namespace

const char* lay_ground(const Foundation& foundation) noexcept {
  return take_all(kSteps, foundation);
}

}  // namespace lazaret::backend::native
