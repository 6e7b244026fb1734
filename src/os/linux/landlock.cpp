#include "os/landlock.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"

namespace lazaret::os {
namespace {

// Newer than the headers that we are built with (landlock.h of Linux 6.12).
constexpr std::uint64_t kTruncate = 1ULL << 14, kDeviceControl = 1ULL << 15;
constexpr std::uint64_t kBindTcp = 1ULL << 0, kConnectTcp = 1ULL << 1;
constexpr std::uint64_t kScopeAbstractSockets = 1ULL << 0, kScopeSignals = 1ULL << 1;
struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kUseDevice =
    kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceControl;
constexpr std::uint64_t kMakeDevice = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kAll = (kDeviceControl << 1) - 1;
constexpr std::uint64_t kWork = kAll & ~kMakeDevice;

struct Rule {
  const char* path;
  std::uint64_t allowed;
};
constexpr Rule kRules[] = {
    {"/", kRead}, {"/dev", kUseDevice}, {"/work", kWork}, {"/tmp", kWork}, {"/dev/shm", kWork},
};

// What the kernel's version of the interface knows of `kAll`.
std::uint64_t known_to(std::uint32_t version) {
  constexpr std::uint64_t kByVersion[] = {
      0, LANDLOCK_ACCESS_FS_REFER - 1, kTruncate - 1, kDeviceControl - 1, kDeviceControl - 1, kAll};
  return kByVersion[std::min<std::size_t>(version, std::size(kByVersion) - 1)];
}

// Where no socket of the Internet can be made, those are denied that came from elsewhere, too.
std::uint64_t network_known_to(std::uint32_t version) {
  const Handle socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return version >= 4 && !socket.valid() ? kBindTcp | kConnectTcp : 0;
}

Status add(int ruleset, const Rule& rule, std::uint64_t known) {
  const Handle place(::open(rule.path, O_PATH | O_CLOEXEC));
  if (!place.valid()) return last_error(rule.path);
  const landlock_path_beneath_attr beneath{rule.allowed & known, place.get()};
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
    return last_error("landlock_add_rule");
  return {};
}

// By its links, of which a folder in it is one (inode(7)); some file systems do not say it.
bool has_no_folders(const char* path) {
  struct stat facts {};
  return ::stat(path, &facts) == 0 && facts.st_nlink == 2;
}

// Directories of the host's that the box may write to; what is mounted read-only stays so.
Status add_folders(int ruleset, std::uint64_t known) {
  if (has_no_folders("/mnt")) return {};
  const std::unique_ptr<DIR, int (*)(DIR*)> place(::opendir("/mnt"), ::closedir);
  if (!place) return {};
  while (const dirent* const entry = ::readdir(place.get())) {
    if (entry->d_name[0] == '.' && entry->d_name[1] == '\0') continue;
    if (std::string_view(entry->d_name) == "..") continue;
    const std::string path = std::string("/mnt/") + entry->d_name;
    struct statvfs facts {};
    if (::statvfs(path.c_str(), &facts) != 0 || (facts.f_flag & ST_RDONLY) != 0) continue;
    LAZARET_CHECK(add(ruleset, {path.c_str(), kWork}, known));
  }
  return {};
}

}  // namespace

Result<std::uint32_t> restrict_access() {
  const long found =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (found <= 0) return Error(Errc::unsupported, "no Landlock").with_os_error(errno);
  const auto version = static_cast<std::uint32_t>(found);
  const Ruleset rules{known_to(version), network_known_to(version),
                      version >= 6 ? kScopeAbstractSockets | kScopeSignals : 0};
  std::size_t size = sizeof rules;
  if (version < 6) size = version < 4 ? offsetof(Ruleset, network) : offsetof(Ruleset, scopes);
  const Handle ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size, 0)));
  if (!ruleset.valid()) return last_error("landlock_create_ruleset");
  for (const Rule& rule : kRules) LAZARET_CHECK(add(ruleset.get(), rule, rules.files));
  LAZARET_CHECK(add_folders(ruleset.get(), rules.files));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
    return last_error("landlock_restrict_self");
  return version;
}

}  // namespace lazaret::os
