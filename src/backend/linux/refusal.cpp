#include "backend/linux/refusal.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "os/program.hpp"

namespace lazaret::backend::native {
namespace {

bool says(const char* path, char wanted) {
  std::ifstream file(path);
  char first = 0;
  return file.get(first) && first == wanted;
}

// clone(2), namespaces(7): ENOSPC is the bound on their number, which administrators set to 0.
std::string more_of(const std::string& number) {
  return "no more namespaces of one kind are allowed here; try: sysctl " + number +
         "=10000, or use --type docker";
}

std::string exhausted_number() {
  for (const char* const kind : {"user", "net", "mnt", "pid", "ipc", "uts", "cgroup", "time"}) {
    const std::string name = std::string("max_") + kind + "_namespaces";
    if (says(("/proc/sys/user/" + name).c_str(), '0')) return "user." + name;
  }
  return "";
}

constexpr const char* kContainer =
    "a container's seccomp filter forbids namespaces, and its covered /proc forbids a new one; "
    "start it with: docker run --security-opt seccomp=unconfined --security-opt "
    "systempaths=unconfined …, or podman run --security-opt seccomp=unconfined --security-opt "
    "unmask=ALL …, and where the engine uses AppArmor --security-opt apparmor=unconfined too; or "
    "run lazaret outside, with --type docker";

// P-47: such a namespace can be made, and nothing be done in it.
std::string allowed_by_apparmor(const std::string& profile) {
  return "kernel.apparmor_restrict_unprivileged_userns is 1: user namespaces have no capabilities "
         "here; allow the installed lazaret: sudo cp " +
         profile +
         " /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/lazaret; or every program: "
         "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0";
}

// Where it lies beside the program that runs, or where an installation puts it.
std::string apparmor_profile() {
  constexpr const char* kPlace = "share/lazaret/apparmor/lazaret";
  std::error_code ignored;
  const auto program = os::own_program();
  if (program.ok()) {
    const auto installed = program->parent_path().parent_path() / kPlace;
    if (std::filesystem::exists(installed, ignored)) return installed.string();
  }
  return std::string("PREFIX/") + kPlace;
}

constexpr const char* kDebian =
    "this host forbids unprivileged user namespaces; try: sudo sysctl "
    "kernel.unprivileged_userns_clone=1, or use --type docker";

constexpr const char* kCoveredProc =
    "something is mounted over a part of /proc, and then the kernel refuses a new one; unmount it, "
    "or use --type docker";

constexpr const char* kUnknown =
    "a security module, or a system call filter around this program, forbids namespaces; use "
    "--type docker";

// time_namespaces(7) is the youngest of them; clone3(2) calls flags that it does not know invalid.
constexpr const char* kKernel =
    "this kernel lacks a namespace that boxes need: user, mount, pid, ipc, uts, cgroup and time "
    "(Linux 5.6, CONFIG_TIME_NS); use --type docker";

// mount_setattr(2) is the youngest call that no box can be made without.
constexpr const char* kCall =
    "a system call that boxes are made with is missing: this kernel is older than Linux 5.12, or a "
    "system call filter around this program hides it; use --type docker";

constexpr const char* kPriority =
    "boxes must not have their caller's priority, and a system call filter around this program "
    "forbids to give it up; start it without one (nice, chrt, ionice), or allow the calls "
    "sched_setscheduler, setpriority and ioprio_set";

}  // namespace

HostTraits traits_of_host() {
  HostTraits traits{
      .in_container =
          ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0,
      .apparmor_restricts = says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'),
      .debian_forbids = says("/proc/sys/kernel/unprivileged_userns_clone", '0'),
      .apparmor_profile = apparmor_profile(),
  };
  traits.exhausted = exhausted_number();
  return traits;
}

std::string way_out(std::string_view step, int code, const HostTraits& traits) {
  if (step == "be ordinary") return kPriority;
  const bool makes_network = step == "make a network namespace" || step == "raise loopback";
  if (code == ENOSPC && (makes_network || step == "make namespaces")) {
    const char* const kind = makes_network ? "net" : "user";
    const std::string likely = std::string("user.max_") + kind + "_namespaces";
    return more_of(traits.exhausted.empty() ? likely : traits.exhausted);
  }
  if (code == EINVAL && step == "make namespaces") return kKernel;
  if (code == EINVAL && step == "make a network namespace") return kKernel;
  if (code != EPERM && code != EACCES && code != ENOSYS) return "";
  if (traits.in_container) return kContainer;
  if (code == ENOSYS) return kCall;
  if (traits.apparmor_restricts) return allowed_by_apparmor(traits.apparmor_profile);
  if (traits.debian_forbids) return kDebian;
  return step == "add proc" ? kCoveredProc : kUnknown;
}

}  // namespace lazaret::backend::native
