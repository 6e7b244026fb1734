#include "backend/linux/foundation.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

using Kind = TreeEntry::Kind;

constexpr const char* kPasswd =
    "root:x:0:0:root:/:/usr/sbin/nologin\n"
    "nobody:x:65534:65534:nobody:/work:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\nnogroup:x:65534:\n";
constexpr const char* kHosts = "127.0.0.1 localhost\n::1 localhost\n";
constexpr const char* kNsswitch = "passwd: files\ngroup: files\nhosts: files\n";

// What interpreters, compilers and the dynamic linker read; none of it is about this host's users
// or network. Not /etc/python3*, by which a host has something of its own done whenever Python
// starts (sitecustomize).
constexpr const char* kEtc[] = {
    "ld.so.cache",     "ld.so.conf",      "ld.so.conf.d", "alternatives",
    "mime.types",      "nodejs",          "services",     "protocols",
    "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk",
    "matplotlibrc",    "ssl/certs",
};

// Programs and libraries, and what they read; nothing else that lies beside them, such as sources,
// games, and a machine's own settings in /usr/local/etc.
constexpr const char* kUsr[] = {"bin",    "sbin",    "lib",   "lib32",  "lib64",
                                "libx32", "libexec", "share", "include"};
constexpr const char* kUsrLocal[] = {"bin",     "sbin",  "lib",     "lib32", "lib64", "libx32",
                                     "libexec", "share", "include", "go",    "cargo", "rustup"};
// Of toolchains, as x86_64-w64-mingw32.
constexpr std::size_t kMostTriplets = 8, kLongestTriplet = 40;

// tty: of the box's own terminals, where it has any.
constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};

constexpr std::pair<const char*, const char*> kDeviceLinks[] = {
    {"dev/fd", "/proc/self/fd"},       {"dev/stdin", "/proc/self/fd/0"},
    {"dev/stdout", "/proc/self/fd/1"}, {"dev/stderr", "/proc/self/fd/2"},
    {"dev/ptmx", "pts/ptmx"},
};

// Each mount costs every box a mount, a line of its mountinfo and an unmount; a file that is copied
// costs a spawner less than that once. All that is copied must leave room in the root.
constexpr std::uint64_t kMostCopied = 1UL << 20;

// Of memory, in pages of up to 64 KiB.
std::uint64_t taken_by(const struct stat& facts) {
  constexpr std::uint64_t kLargePage = 64UL << 10;
  return (static_cast<std::uint64_t>(facts.st_size) + kLargePage - 1) / kLargePage * kLargePage;
}

std::int64_t changed_ns(const struct stat& facts) {
  return std::int64_t{facts.st_ctim.tv_sec} * 1'000'000'000 + facts.st_ctim.tv_nsec;
}

// Whether a file or directory is still the one that was looked at. What is bound shows its own
// changes; a copy does not, nor a directory of which parts are shown.
bool is_the_same(const TreeEntry& entry) {
  struct stat facts {};
  return ::stat(entry.source.data(), &facts) == 0 && facts.st_dev == entry.device &&
         facts.st_ino == entry.inode &&
         (entry.kind == Kind::bind || changed_ns(facts) == entry.changed_ns);
}

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
    const std::string host = "/" + name;
    struct stat facts {};
    if (::lstat(host.c_str(), &facts) != 0) return;
    if (S_ISLNK(facts.st_mode)) {
      std::error_code ignored;
      add(Kind::link, name, std::filesystem::read_symlink(host, ignored).string());
    } else if (S_ISDIR(facts.st_mode)) {
      show(Kind::bind, name, host, facts);
    }
  }
  /// Of a directory these parts alone; a link to one leads where it does on the host.
  void add_parts(const std::string& name, std::span<const char* const> parts) {
    struct stat facts {};
    if (::lstat(("/" + name).c_str(), &facts) != 0) return;
    if (!S_ISDIR(facts.st_mode)) return add_system_directory(name);
    show(Kind::directory, name, "/" + name, facts);
    for (const char* const part : parts) add_system_directory(name + "/" + part);
  }
  void add_triplets() {
    std::error_code error;
    std::size_t left = kMostTriplets;
    for (const auto& entry : std::filesystem::directory_iterator("/usr", error)) {
      const std::string name = entry.path().filename().string();
      if (std::ranges::count(name, '-') < 2 || name.size() > kLongestTriplet || left == 0) continue;
      add_system_directory("usr/" + name);
      --left;
    }
  }
  void add_if_there(const std::string& path) {
    struct stat facts {};
    const std::string host = "/" + path;
    if (::stat(host.c_str(), &facts) != 0) return;
    show(may_be_copied(facts) ? Kind::copy : Kind::bind, path, host, facts);
  }
  [[nodiscard]] bool fits() const noexcept { return fits_; }

 private:
  // Of what not everybody may read the mode must stay.
  [[nodiscard]] bool may_be_copied(const struct stat& facts) const noexcept {
    return S_ISREG(facts.st_mode) && (facts.st_mode & S_IROTH) != 0 &&
           taken_by(facts) <= left_to_copy_;
  }
  void show(Kind kind, std::string_view target, std::string_view source,
            const struct stat& facts) {
    add(kind, target, source);
    if (!fits_) return;
    TreeEntry& entry = foundation_.entries[foundation_.entry_count - 1];
    entry.device = facts.st_dev;
    entry.inode = facts.st_ino;
    entry.changed_ns = changed_ns(facts);
    entry.size = static_cast<std::uint64_t>(facts.st_size);
    if (kind == Kind::copy) left_to_copy_ -= taken_by(facts);
  }

  Foundation& foundation_;
  std::uint64_t left_to_copy_ = kMostCopied;
  bool fits_ = true;
};

// Where node looks last for what a program wants, whoever imports it and how.
constexpr const char* kNodeModules = "mnt/packages/node_modules";

bool shows_packages(const Foundation& foundation) {
  const std::span folders(foundation.folders.data(), foundation.folder_count);
  return std::ranges::any_of(folders, &Folder::is_packages);
}

bool put_tree(Foundation& foundation) {
  Tree tree(foundation);
  // etc/accounts: covered as a whole in boxes that show no names of users.
  for (const char* const name : {"proc", "dev", "dev/pts", "dev/shm", "etc", "etc/accounts",
                                 "etc/ssl", "mnt", "work", "tmp", "var", "var/empty"}) {
    tree.add(Kind::directory, name, "");
  }
  tree.add(Kind::link, "var/tmp", "../tmp");
  tree.add_parts("usr", kUsr);
  tree.add_triplets();
  tree.add_parts("usr/local", kUsrLocal);
  for (const char* const name : {"bin", "sbin", "lib", "lib32", "lib64", "libx32"}) {
    tree.add_system_directory(name);
  }
  tree.add(Kind::file, "etc/accounts/passwd", kPasswd);
  tree.add(Kind::file, "etc/accounts/group", kGroup);
  tree.add(Kind::link, "etc/passwd", "accounts/passwd");
  tree.add(Kind::link, "etc/group", "accounts/group");
  tree.add(Kind::file, "etc/hosts", kHosts);
  tree.add(Kind::file, "etc/nsswitch.conf", kNsswitch);
  for (const char* const name : kEtc) tree.add_if_there(std::string("etc/") + name);
  for (const char* const name : kDevices) {
    tree.add(Kind::device, std::string("dev/") + name, std::string("/dev/") + name);
  }
  for (const auto& [target, source] : kDeviceLinks) tree.add(Kind::link, target, source);
  if (shows_packages(foundation)) tree.add(Kind::link, "node_modules", kNodeModules);
  return tree.fits();
}

// Root's alone by its mode: no box can open it, whatever else holds the box. What has no type was
// not looked at, whatever stat(2) has said.
bool is_closed(const struct stat& facts, HostIdentity identity) {
  if (identity == HostIdentity::caller || (facts.st_mode & S_IFMT) == 0) return false;
  return facts.st_uid == 0 && facts.st_gid == 0 && (facts.st_mode & S_IRWXO) == 0;
}

bool put_masks(Foundation& foundation) {
  for (const std::string_view path : masked_proc_paths()) {
    struct stat facts {};
    const bool is_there = ::stat(std::string(path).c_str(), &facts) == 0;
    if (is_there && is_closed(facts, foundation.identity.kind)) continue;
    if (foundation.mask_count == foundation.masks.size()) return false;
    Mask& mask = foundation.masks[foundation.mask_count++];
    if (path.copy(mask.path.data(), mask.path.size()) == mask.path.size()) return false;
    if (is_there && (facts.st_mode & S_IFMT) != 0)
      mask.kind = S_ISDIR(facts.st_mode) ? Mask::Kind::folder : Mask::Kind::file;
  }
  return true;
}

}  // namespace

Result<Foundation> foundation_of_host(const Identity& identity, std::span<const Folder> folders) {
  Foundation foundation;
  foundation.identity = identity;
  std::ranges::copy(folders, foundation.folders.begin());
  foundation.folder_count = static_cast<std::uint32_t>(folders.size());
  if (!put_tree(foundation) || !put_masks(foundation))
    return Error(Errc::too_large,
                 "this host's programs and libraries do not fit into a box's root");
  return foundation;
}

bool still_holds(const Foundation& foundation) {
  const std::span entries(foundation.entries.data(), foundation.entry_count);
  return std::ranges::all_of(entries, [](const TreeEntry& entry) {
    const bool is_of_host = entry.kind == Kind::bind || entry.kind == Kind::copy ||
                            (entry.kind == Kind::directory && entry.source.front() != '\0');
    return !is_of_host || is_the_same(entry);
  });
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
