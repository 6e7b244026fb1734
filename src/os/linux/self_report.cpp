#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "os/handle.hpp"
#include "os/init.hpp"
#include "os/linux/outcome.hpp"
#include "os/linux/subprocess.hpp"
#include "os/linux/system_file.hpp"

namespace lazaret::os {
namespace {

constexpr std::size_t kUsualReportBytes = 16UL << 10;

Handle folder(const char* path) { return Handle(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)); }

void add(std::string& report, std::string_view key, std::string_view value) {
  report.append(key).append("=").append(value).append("\n");
}

// One line for each line of a file of the kernel's, `key` in front. WHY not its text first: in a
// box, memory is mapped and given back for each that is larger than a page.
void add_lines(std::string& report, std::string_view key, RawHandle folder, const char* name) {
  bool begins = true;
  read_system_file(folder, name, [&](std::string_view piece) {
    while (!piece.empty()) {
      if (begins) report.append(key).append("=");
      const std::size_t size = std::min(piece.find('\n'), piece.size() - 1) + 1;
      begins = piece[size - 1] == '\n';
      report.append(piece.substr(0, size));
      piece.remove_prefix(size);
    }
  });
  if (!begins) report.append("\n");
}

// proc(5), /proc/pid/status.
std::uint64_t ignored_signals_in(const std::string& report) {
  constexpr std::string_view kKey = "\nstatus=SigIgn:\t";
  const std::size_t at = report.find(kKey);
  if (at == std::string::npos) return kEverySignal;
  return number_at(report, at + kKey.size(), 16).value_or(kEverySignal);
}

void add_limits(std::string& report) {
  constexpr std::pair<const char*, decltype(RLIMIT_NOFILE)> kLimits[] = {
      {"limit.nofile", RLIMIT_NOFILE}, {"limit.fsize", RLIMIT_FSIZE}, {"limit.core", RLIMIT_CORE},
      {"limit.nproc", RLIMIT_NPROC},   {"limit.as", RLIMIT_AS},
      {"limit.data", RLIMIT_DATA},
  };
  for (const auto& [key, resource] : kLimits) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) continue;
    add(report, key, std::to_string(limit.rlim_cur) + " " + std::to_string(limit.rlim_max));
  }
}

void add_disk(std::string& report, const char* path) {
  struct statfs facts {};
  if (::statfs(path, &facts) != 0) return;
  const auto bytes =
      static_cast<std::uint64_t>(facts.f_blocks) * static_cast<std::uint64_t>(facts.f_bsize);
  add(report, std::string("disk.") + path,
      std::to_string(facts.f_type) + " " + std::to_string(bytes) + " " +
          std::to_string(facts.f_files));
}

void add_namespaces(std::string& report, RawHandle self) {
  constexpr std::pair<const char*, const char*> kLinks[] = {
      {"ns.user", "ns/user"},     {"ns.mnt", "ns/mnt"}, {"ns.pid", "ns/pid"},
      {"ns.net", "ns/net"},       {"ns.ipc", "ns/ipc"}, {"ns.uts", "ns/uts"},
      {"ns.cgroup", "ns/cgroup"},
  };
  for (const auto& [key, link] : kLinks) {
    std::array<char, 64> target;
    const ssize_t size = ::readlinkat(self, link, target.data(), target.size());
    if (size <= 0) continue;
    add(report, key, std::string_view(target.data(), static_cast<std::size_t>(size)));
  }
}

void add_view(std::string& report, RawHandle self) {
  add_namespaces(report, self);
  add_lines(report, "net", self, "net/dev");
  add_lines(report, "mount", self, "mountinfo");
}

void add_cgroup(std::string& report) {
  constexpr std::pair<const char*, const char*> kFiles[] = {
      {"cgroup.memory", "memory.max"},
      {"cgroup.memory", "memory/memory.limit_in_bytes"},
      {"cgroup.swap", "memory.swap.max"},
      {"cgroup.memsw", "memory/memory.memsw.limit_in_bytes"},
      {"cgroup.pids", "pids.max"},
      {"cgroup.pids", "pids/pids.max"},
      {"cgroup.cpu", "cpu.max"},
      {"cgroup.cpu_quota", "cpu/cpu.cfs_quota_us"},
      {"cgroup.cpu_period", "cpu/cpu.cfs_period_us"},
  };
  const Handle root = folder("/sys/fs/cgroup");
  if (!root.valid()) return;
  for (const auto& [key, name] : kFiles) add_lines(report, key, root.get(), name);
}

int outcome_of_socket(int family, int type) noexcept {
  const int descriptor = ::socket(family, type | SOCK_CLOEXEC, 0);
  const int code = outcome(descriptor);
  if (descriptor >= 0) ::close(descriptor);
  return code;
}

// connect(2) of a datagram socket only asks for a route; it sends nothing. 192.0.2.1 is TEST-NET-1.
int route_out() noexcept {
  const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(0xC0000201);
  const int code =
      outcome(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address));
  ::close(descriptor);
  return code;
}

int write_to_root() noexcept {
  const int descriptor = ::open("/.lazaret-probe", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int code = outcome(descriptor);
  if (descriptor >= 0) {
    ::close(descriptor);
    ::unlink("/.lazaret-probe");
  }
  return code;
}

// Landlock is asked before the capability that is missing: EACCES is its answer, EPERM the other.
int make_device_file() noexcept {
  constexpr const char* kPath = "/dev/shm/.lazaret-probe";
  const int code = outcome(::mknod(kPath, S_IFBLK | 0600, 0));
  if (code == 0) ::unlink(kPath);
  return code;
}

// With a flag that unshare(2) does not know, so that a kernel that lets us through answers EINVAL
// and has made nothing: the runner must not end up in a namespace by asking.
int user_namespace() noexcept { return outcome(::unshare(CLONE_NEWUSER | CLONE_PTRACE)); }

int ring() noexcept {
  io_uring_params parameters{};
  const long descriptor = ::syscall(SYS_io_uring_setup, 1, &parameters);
  const int code = outcome(descriptor);
  if (descriptor >= 0) ::close(static_cast<int>(descriptor));
  return code;
}

// connect(2) of a datagram socket only asks for a route.
int loopback() noexcept {
  const Handle socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return outcome(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
}

int user_names() noexcept {
  return outcome(Handle(::open("/etc/passwd", O_RDONLY | O_CLOEXEC)).get());
}

// Flags that memfd_create(2) does not know: where it may be called, nothing is made.
int memory_file() noexcept { return outcome(::syscall(SYS_memfd_create, "", ~0U)); }

// Each value is the errno of really trying, 0 for success.
void add_probes(std::string& report) {
  const std::pair<const char*, int> probes[] = {
      {"probe.route", route_out()},
      {"probe.root_write", write_to_root()},
      {"probe.device_file", make_device_file()},
      {"probe.vsock", outcome_of_socket(AF_VSOCK, SOCK_STREAM)},
      {"probe.alg", outcome_of_socket(AF_ALG, SOCK_SEQPACKET)},
      {"probe.packet", outcome_of_socket(AF_PACKET, SOCK_RAW)},
      {"probe.io_uring", ring()},
      {"probe.clone3", outcome(::syscall(SYS_clone3, nullptr, 0))},
      {"probe.keyctl", outcome(::syscall(SYS_keyctl, 0, -3, 0))},
      {"probe.bpf", outcome(::syscall(SYS_bpf, 0, nullptr, 0))},
      {"probe.mount", outcome(::mount("none", "/proc", nullptr, MS_REMOUNT | MS_BIND, nullptr))},
      {"probe.user_namespace", user_namespace()},
      {"probe.setuid", outcome(::setuid(0))},
      {"probe.loopback", loopback()},
      {"probe.user_names", user_names()},
      {"probe.memory_file", memory_file()},
  };
  for (const auto& [key, code] : probes) add(report, key, std::to_string(code));
}

}  // namespace

SelfReport self_report(Subprocess subprocess, Known known) {
  SelfReport made;
  std::string& report = made.text;
  report.reserve(kUsualReportBytes);
  add(report, "pid", std::to_string(::getpid()));
  const Handle self = folder("/proc/self");
  add_lines(report, "status", self.get(), "status");
  made.ignored_signals = ignored_signals_in(report);
  add_limits(report);
  add_cgroup(report);
  for (const char* const path : {"/work", "/tmp", "/dev/shm"}) add_disk(report, path);
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) add(report, "hostname", host.data());
  if (known == Known::by_namespaces) add_view(report, self.get());
  add_probes(report);
  if (subprocess == Subprocess::deny) report += try_subprocess_filter();
  return made;
}

}  // namespace lazaret::os
