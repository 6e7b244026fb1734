#include "backend/linux/spawner/ground.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "backend/linux/beneath.hpp"
#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/step.hpp"
#include "os/handle.hpp"

namespace lazaret::backend::native {
namespace {

// Only as the place of the new root, in a mount namespace of our own.
constexpr const char* kRoot = "/tmp";

// Of root's capabilities those that make boxes, also in a cgroup that a user owns, and nothing of
// its groups.
bool keep_what_makes_boxes() noexcept {
  constexpr std::uint32_t kKept = kMakesBoxes | 1U << CAP_DAC_OVERRIDE;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct kept[2] = {{kKept, kKept, 0}, {0, 0, 0}};
  return done(::setgroups(0, nullptr)) && done(::syscall(SYS_capset, &header, kept));
}

// Without root's capabilities 0 means somebody only now that the maps are written
// (user_namespaces(7)).
bool take_identity(const Foundation& foundation) noexcept {
  if (foundation.identity.kind == HostIdentity::nobody) return keep_what_makes_boxes();
  if (foundation.identity.kind == HostIdentity::subordinate && !done(::setgroups(0, nullptr)))
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
                      "size=2m,nr_inodes=256,mode=0755")) &&
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

// What has changed since it was looked at makes the spawner a stale one. Whoever may mount a file
// and not read it has it mounted.
bool copy_here(const TreeEntry& entry) noexcept {
  const os::Handle source(::open(entry.source.data(), O_RDONLY | O_CLOEXEC));
  if (!source.valid() && (errno == EACCES || errno == EPERM)) return bind_here(entry);
  if (!source.valid()) return errno == ENOENT;
  const os::Handle target(
      ::open(entry.target.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  ssize_t count = target.valid() ? 1 : -1;
  for (std::uint64_t left = entry.size; count > 0 && left > 0;) {
    count = ::sendfile(target.get(), source.get(), nullptr, left);
    left -= count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }
  return done(count);
}

bool make_entry(const TreeEntry& entry) noexcept {
  const char* const target = entry.target.data();
  switch (entry.kind) {
    case TreeEntry::Kind::directory: return done(::mkdir(target, 0755));
    case TreeEntry::Kind::link: return done(::symlink(entry.source.data(), target));
    case TreeEntry::Kind::file: return make_file(target, entry.source.data());
    case TreeEntry::Kind::copy: return copy_here(entry);
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

// Nothing else of the spawner's has such numbers.
int handle_of(std::uint32_t folder) noexcept { return 64 + static_cast<int>(folder); }

// Lazaret's own handle is of another mount namespace, from which nothing can be bound. So the path
// is opened once more, and what is found must be what Lazaret has looked at and holds open.
os::Handle open_same(const Folder& folder) noexcept {
  os::Handle handle = open_beneath_root(folder.source.data());
  struct stat facts {};
  if (!handle.valid() || !done(::fstat(handle.get(), &facts))) return {};
  if (facts.st_dev == folder.device && facts.st_ino == folder.inode) return handle;
  errno = ESTALE;
  return {};
}

// Before anything covers the host's tree. What is mounted below is not taken along.
bool take_folder(const Folder& folder, int number) noexcept {
  const os::Handle source = open_same(folder);
  if (!source.valid()) return false;
  const os::Handle tree(static_cast<int>(::syscall(
      SYS_open_tree, source.get(), "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH)));
  mount_attr attributes{};
  attributes.attr_set = folder.attributes;
  attributes.propagation = MS_PRIVATE;
  return tree.valid() && done(::dup3(tree.get(), number, O_CLOEXEC)) &&
         done(::syscall(SYS_mount_setattr, number, "", AT_EMPTY_PATH, &attributes,
                        sizeof attributes));
}

bool take_folders(const Foundation& foundation) noexcept {
  for (std::uint32_t index = 0; index < foundation.folder_count; ++index) {
    if (!take_folder(foundation.folders[index], handle_of(index))) return false;
  }
  return true;
}

bool make_places(const Foundation& foundation) noexcept {
  if (foundation.folder_count == 0) return true;
  const os::Handle place(::open("mnt", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::uint32_t index = 0; index < foundation.folder_count; ++index) {
    if (!done(::mkdirat(place.get(), foundation.folders[index].name.data(), 0755))) return false;
  }
  return true;
}

bool add_folders(const Foundation& foundation) noexcept {
  if (foundation.folder_count == 0) return true;
  const os::Handle place(::open("mnt", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::uint32_t index = 0; index < foundation.folder_count; ++index) {
    const os::Handle tree(handle_of(index));
    const char* const name = foundation.folders[index].name.data();
    if (!done(
            ::syscall(SYS_move_mount, tree.get(), "", place.get(), name, MOVE_MOUNT_F_EMPTY_PATH)))
      return false;
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
constexpr Step<Foundation> kGroundSteps[] = {
    {"take identity", take_identity},   {"name host", name_host},
    {"take folders", take_folders},     {"new root", new_root},
    {"make tree", make_tree},           {"make places", make_places},
    {"make read-only", make_read_only}, {"add devices", add_devices},
    {"add folders", add_folders},       {"add proc", add_proc},
    {"enter root", enter_root},
};

}  // namespace

const char* lay_ground(const Foundation& foundation) noexcept {
  return take_all(kGroundSteps, foundation);
}

}  // namespace lazaret::backend::native
