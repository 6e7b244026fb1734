#include "backend/linux/foundation.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "backend/linux/standard_filter.hpp"
#include "backend/linux/subordinate.hpp"
#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;
using Kind = TreeEntry::Kind;

constexpr const char* kPasswd =
    "root:x:0:0:root:/:/usr/sbin/nologin\n"
    "nobody:x:65534:65534:nobody:/work:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\nnogroup:x:65534:\n";
constexpr const char* kHosts = "127.0.0.1 localhost\n::1 localhost\n";
constexpr const char* kNsswitch = "passwd: files\ngroup: files\nhosts: files\n";

// What interpreters and the dynamic linker read; none of it is about this host's users or network.
constexpr const char* kEtc[] = {
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "mime.types", "python3",
    "python3.11",  "python3.12", "python3.13",   "nodejs",       "services",   "protocols",
};

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};

constexpr std::pair<const char*, const char*> kDeviceLinks[] = {
    {"dev/fd", "/proc/self/fd"},
    {"dev/stdin", "/proc/self/fd/0"},
    {"dev/stdout", "/proc/self/fd/1"},
    {"dev/stderr", "/proc/self/fd/2"},
};

// Collects entries; the first that does not fit makes the whole thing fail.
class Tree {
 public:
  explicit Tree(Foundation& foundation) : foundation_(foundation) {}

  void add(Kind kind, std::string_view target, std::string_view source) {
    TreeEntry entry;
    fits_ = fits_ && foundation_.entry_count < foundation_.entries.size() &&
            target.size() < entry.target.size() && source.size() < entry.source.size();
    if (!fits_) return;
    entry.kind = kind;
    target.copy(entry.target.data(), target.size());
    source.copy(entry.source.data(), source.size());
    foundation_.entries[foundation_.entry_count++] = entry;
  }
  // /bin and its like are links into /usr on merged systems, directories on others.
  void add_system_directory(const std::string& name) {
    const fs::path host = "/" + name;
    std::error_code ignored;
    if (fs::is_symlink(host, ignored)) {
      add(Kind::link, name, fs::read_symlink(host, ignored).string());
    } else if (fs::is_directory(host, ignored)) {
      add(Kind::bind, name, host.string());
    }
  }
  void add_if_there(const std::string& path) {
    std::error_code ignored;
    if (fs::exists("/" + path, ignored)) add(Kind::bind, path, "/" + path);
  }
  [[nodiscard]] bool fits() const noexcept { return fits_; }

 private:
  Foundation& foundation_;
  bool fits_ = true;
};

bool put_tree(Foundation& foundation) {
  Tree tree(foundation);
  for (const char* const name : {"proc", "dev", "dev/shm", "etc", "mnt", "work", "tmp", "var"}) {
    tree.add(Kind::directory, name, "");
  }
  tree.add(Kind::link, "var/tmp", "../tmp");
  for (const char* const name : {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"}) {
    tree.add_system_directory(name);
  }
  tree.add(Kind::file, "etc/passwd", kPasswd);
  tree.add(Kind::file, "etc/group", kGroup);
  tree.add(Kind::file, "etc/hosts", kHosts);
  tree.add(Kind::file, "etc/nsswitch.conf", kNsswitch);
  for (const char* const name : kEtc) tree.add_if_there(std::string("etc/") + name);
  for (const char* const name : kDevices) {
    tree.add(Kind::device, std::string("dev/") + name, std::string("/dev/") + name);
  }
  for (const auto& [target, source] : kDeviceLinks) tree.add(Kind::link, target, source);
  return tree.fits();
}

bool put_masks(Foundation& foundation) {
  for (const std::string_view path : masked_proc_paths()) {
    if (foundation.mask_count == foundation.masks.size()) return false;
    auto& mask = foundation.masks[foundation.mask_count++];
    if (path.copy(mask.data(), mask.size()) == mask.size()) return false;
  }
  return true;
}

bool put_filter(Foundation& foundation) {
  const sock_fprog program = standard_filter();
  if (program.len > foundation.filter.size()) return false;
  std::copy_n(program.filter, program.len, foundation.filter.begin());
  foundation.step_count = program.len;
  return true;
}

// Whether an id map of ours has a line that holds `id` (user_namespaces(7): inside, outside,
// count).
bool maps(const char* path, std::uint64_t id) {
  std::ifstream file(path);
  for (std::uint64_t inside = 0, outside = 0, count = 0; file >> inside >> outside >> count;) {
    if (id >= inside && id - inside < count) return true;
  }
  return false;
}

// Root with its usual capabilities, in a namespace that has somebody for nobody.
bool may_give_ids() {
  constexpr std::uint64_t kSetgid = 1ULL << 6, kSetuid = 1ULL << 7, kSysAdmin = 1ULL << 21;
  constexpr std::uint64_t kNeeded = kSetgid | kSetuid | kSysAdmin;
  std::ifstream status("/proc/self/status");
  std::uint64_t effective = 0;
  for (std::string word; status >> word;) {
    if (word == "CapEff:") status >> std::hex >> effective;
  }
  return ::geteuid() == 0 && (effective & kNeeded) == kNeeded &&
         maps("/proc/self/uid_map", kInsideId) && maps("/proc/self/gid_map", kInsideId);
}

void put_identity(Foundation& foundation) {
  if (may_give_ids()) {
    foundation.identity = HostIdentity::nobody;
    return;
  }
  const auto ids = ::geteuid() == 0 ? std::nullopt : subordinate_ids();
  if (!ids) return;
  foundation.identity = HostIdentity::subordinate;
  foundation.host_user = ids->user;
  foundation.host_group = ids->group;
}

}  // namespace

Result<Foundation> foundation_of_host() {
  Foundation foundation;
  foundation.owner = ::getpid();
  put_identity(foundation);
  if (!put_tree(foundation) || !put_masks(foundation) || !put_filter(foundation))
    return Error(Errc::too_large,
                 "this host's programs and libraries do not fit into a box's root");
  return foundation;
}

const std::vector<std::string_view>& masked_proc_paths() {
  static const std::vector<std::string_view> paths = {
      "/proc/acpi",          "/proc/asound",      "/proc/bus",
      "/proc/config.gz",     "/proc/fs",          "/proc/interrupts",
      "/proc/irq",           "/proc/kallsyms",    "/proc/kcore",
      "/proc/key-users",     "/proc/keys",        "/proc/kmsg",
      "/proc/kpagecgroup",   "/proc/kpagecount",  "/proc/kpageflags",
      "/proc/latency_stats", "/proc/modules",     "/proc/sched_debug",
      "/proc/scsi",          "/proc/slabinfo",    "/proc/sysrq-trigger",
      "/proc/timer_list",    "/proc/timer_stats", "/proc/vmallocinfo",
      "/proc/iomem",         "/proc/ioports",     "/proc/cmdline",
      "/proc/swaps",
  };
  return paths;
}

}  // namespace lazaret::backend::native
