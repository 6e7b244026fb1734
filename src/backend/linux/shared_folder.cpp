#include "backend/linux/shared_folder.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string>

#include "backend/linux/beneath.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/user.hpp"
#include "policy/mounts.hpp"

namespace lazaret::backend::native {
namespace {

Result<os::Handle> opened(const std::string& path) {
  os::Handle handle = open_beneath_root(path.c_str());
  if (handle.valid()) return handle;
  Error error = os::last_error("opening " + path);
  if (error.os_error() == ELOOP)
    return std::move(error).with_hint("links are not followed; give its real path");
  if (error.os_error() == ENOTDIR)
    return std::move(error).with_hint("only directories can be shared");
  return error;
}

// What it is called now, whatever it was called when it was opened.
std::string path_of(const os::Handle& handle) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(handle.get());
  return ::readlink(link.c_str(), path.data(), path.size() - 1) > 0 ? path.data() : "/";
}

// By the mode alone: what more an access control list allows is not looked at.
bool may(const struct stat& facts, const Visitor& visitor, mode_t wanted) {
  unsigned shift = 0;
  if (facts.st_gid == visitor.group) shift = 3;
  if (facts.st_uid == visitor.user) shift = 6;
  return (facts.st_mode >> shift & wanted) == wanted;
}

std::string warning_for(const Mount& mount, const struct stat& facts, const Visitor& visitor) {
  constexpr mode_t kLook = 05, kChange = 07;
  const bool writes = mount.access == MountAccess::read_write;
  if (may(facts, visitor, writes ? kChange : kLook)) return "";
  return mount.target + ": the box is user " + std::to_string(visitor.user) +
         " on this machine, who may not " + (writes ? "write" : "read") + " there";
}

// Of a mount that was changed or covered by another the number or the flags (ST_RDONLY) differ.
SharedFolder::Look look_of(const std::string& source, const os::Handle& handle,
                           const struct stat& facts) {
  struct statx more {};
  struct statvfs mount {};
  (void)::statx(handle.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &more);
  (void)::fstatvfs(handle.get(), &mount);
  return {source,       facts.st_dev,  facts.st_ino, more.stx_mnt_id,
          mount.f_flag, facts.st_mode, facts.st_uid, facts.st_gid};
}

bool may_look(const os::Handle& handle) {
  return ::faccessat(handle.get(), ".", R_OK | X_OK, AT_EACCESS) == 0;
}

}  // namespace

Result<SharedFolder> open_folder(const Mount& mount, const policy::Spec& spec,
                                 const Visitor& visitor) {
  SharedFolder shared;
  LAZARET_TRY(shared.handle, opened(mount.source));
  shared.folder.is_packages = mount.source == spec.packages;
  if (!shared.folder.is_packages &&
      policy::is_never_shared(path_of(shared.handle), os::home_directory().string()))
    return policy::never_shared(mount.source);
  if (!may_look(shared.handle)) return os::last_error("looking into " + mount.source);
  struct stat facts {};
  if (::fstat(shared.handle.get(), &facts) != 0) return os::last_error("fstat");
  shared.folder.device = facts.st_dev;
  shared.folder.inode = facts.st_ino;
  shared.folder.attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (mount.access == MountAccess::read_only) shared.folder.attributes |= MOUNT_ATTR_RDONLY;
  if (spec.profile == Profile::strict) shared.folder.attributes |= MOUNT_ATTR_NOEXEC;
  mount.source.copy(shared.folder.source.data(), shared.folder.source.size() - 1);
  mount.target.substr(mount.target.rfind('/') + 1)
      .copy(shared.folder.name.data(), shared.folder.name.size() - 1);
  shared.warning = warning_for(mount, facts, visitor);
  shared.look = look_of(mount.source, shared.handle, facts);
  return shared;
}

bool is_as_seen(const SharedFolder::Look& look) {
  const auto there = opened(look.source);
  struct stat facts {};
  return there.ok() && ::fstat(there->get(), &facts) == 0 && may_look(*there) &&
         look_of(look.source, *there, facts) == look;
}

}  // namespace lazaret::backend::native
