#include "backend/linux/tree.hpp"

#include <filesystem>
#include <utility>

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

const char* RootTree::kept(std::string text) {
  return texts_.emplace_back(std::move(text)).c_str();
}

void RootTree::add(TreeEntry::Kind kind, std::string target, std::string source) {
  entries_.push_back({kind, kept(std::move(target)), kept(std::move(source)), true});
}

// /bin and its like are links into /usr on merged systems, directories on others.
void RootTree::add_system_directory(const std::string& name) {
  const fs::path host = "/" + name;
  std::error_code ignored;
  if (fs::is_symlink(host, ignored)) {
    add(TreeEntry::Kind::link, name, fs::read_symlink(host, ignored).string());
  } else if (fs::is_directory(host, ignored)) {
    add(TreeEntry::Kind::bind, name, host.string());
  }
}

RootTree RootTree::of_host() {
  using Kind = TreeEntry::Kind;
  RootTree tree;
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
  for (const char* const name : kEtc) {
    const std::string path = std::string("etc/") + name;
    std::error_code ignored;
    if (fs::exists("/" + path, ignored)) tree.add(Kind::bind, path, "/" + path);
  }
  for (const char* const name : kDevices) {
    tree.add(Kind::device, std::string("dev/") + name, std::string("/dev/") + name);
  }
  for (const auto& [target, source] : kDeviceLinks) tree.add(Kind::link, target, source);
  return tree;
}

const std::vector<const char*>& masked_proc_paths() {
  static const std::vector<const char*> paths = {
      "proc/acpi",          "proc/asound",      "proc/bus",
      "proc/config.gz",     "proc/fs",          "proc/interrupts",
      "proc/irq",           "proc/kallsyms",    "proc/kcore",
      "proc/key-users",     "proc/keys",        "proc/kmsg",
      "proc/kpagecgroup",   "proc/kpagecount",  "proc/kpageflags",
      "proc/latency_stats", "proc/modules",     "proc/sched_debug",
      "proc/scsi",          "proc/slabinfo",    "proc/sysrq-trigger",
      "proc/timer_list",    "proc/timer_stats", "proc/vmallocinfo",
      "proc/iomem",         "proc/ioports",     "proc/cmdline",
      "proc/swaps",
  };
  return paths;
}

}  // namespace lazaret::backend::native
