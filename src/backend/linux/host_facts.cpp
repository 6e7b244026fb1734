#include "backend/linux/host_facts.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "backend/linux/landlock_trial.hpp"
#include "backend/linux/refusal.hpp"
#include "backend/linux/subordinate.hpp"
#include "backend/linux/throwaway.hpp"
#include "os/linux/subprocess.hpp"

namespace lazaret::backend::native {
namespace {

// L-53. What a user's service manager has not got from the system's, it gives to nobody
// (systemd.resource-control(5), Delegate=).
constexpr const char* kDelegateToUser =
    "sudo systemctl edit user@.service, with: [Service] Delegate=cpu io memory pids; then "
    "log in anew";
constexpr const char* kDelegateToRoot =
    "in a service: Delegate=yes; in a container: of an engine that hands them out";

HostFact fact_of_controllers(const CgroupBase& base) {
  const std::string place = "boxes beneath " + base.directory.string();
  const std::string missing = controllers_missing_in(base.directory);
  if (missing.empty()) return {"Cgroups delegation", Presence::there, place, ""};
  const auto mount = unified_mount();
  const bool are_there = !mount || controllers_unknown_to(*mount, missing).empty();
  const char* const fix = ::geteuid() == 0 ? kDelegateToRoot : kDelegateToUser;
  return {"Cgroups delegation", Presence::missing, place + ", without: " + missing,
          are_there ? fix : "a kernel that has them, and in version 2 (cgroup_no_v1=all)"};
}

void add_cgroups(std::vector<HostFact>& facts, const CgroupBase& base) {
  const bool root = ::geteuid() == 0;
  const auto mount = unified_mount();
  if (!mount && base.directory.empty()) {
    facts.push_back({"Cgroups v2", Presence::missing, "not usable: " + base.why_not,
                     "boot with systemd.unified_cgroup_hierarchy=1 cgroup_no_v1=all"});
    return;
  }
  facts.push_back({"Cgroups v2", Presence::there,
                   "available at " + mount.value_or(base.directory).string(), ""});
  if (!base.directory.empty()) return facts.push_back(fact_of_controllers(base));
  facts.push_back({"Cgroups delegation", Presence::missing,
                   std::string(root ? "limited: " : "limited (non-root user): ") + base.why_not,
                   std::string("systemd-run ") + (root ? "" : "--user ") +
                       "--scope -p Delegate=yes lazaret …"});
}

struct Trial {
  const char* step = "";  ///< empty: it worked
  int code = 0;
};

// The host name needs a capability that some hosts take away from new user namespaces (P-47).
Trial try_namespaces(unsigned long flags) {
  const bool named = (flags & CLONE_NEWUTS) != 0;
  const auto code = in_throwaway(flags, [named] {
    return named && ::syscall(SYS_sethostname, "lazaret", 7) != 0 ? errno : 0;
  });
  if (!code) return {errno == ECANCELED ? "name host" : "make namespaces", errno};
  return *code == 0 ? Trial{} : Trial{"name host", *code};
}

void add_namespaces(std::vector<HostFact>& facts) {
  constexpr std::pair<const char*, unsigned long> kTrials[] = {
      {"User namespaces", CLONE_NEWUSER | CLONE_NEWUTS},
      {"Network namespaces", CLONE_NEWUSER | CLONE_NEWNET},
  };
  for (const auto& [name, flags] : kTrials) {
    const Trial trial = try_namespaces(flags);
    if (trial.code == 0) {
      facts.push_back({name, Presence::there, "available", ""});
      continue;
    }
    facts.push_back({name, Presence::missing,
                     std::string("refused: ") + trial.step + ": " + std::strerror(trial.code),
                     way_out(trial.step, trial.code, traits_of_host())});
  }
}

std::string not_held(const LandlockTrial& trial) {
  std::string text;
  for (const auto& [name, holds] : {std::pair{"files", trial.files},
                                    {"abstract sockets", trial.sockets},
                                    {"signals", trial.signals}}) {
    if (!holds) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

void add_landlock(std::vector<HostFact>& facts) {
  const LandlockTrial trial = try_landlock();
  const std::string version = "version " + std::to_string(trial.version);
  if (trial.version == 0) {
    facts.push_back(
        {"Landlock", Presence::missing, "not in this kernel, or off",
         "boot with landlock first in lsm=, as in lsm=landlock,lockdown,yama,apparmor"});
  } else if (!trial.was_tried) {
    facts.push_back({"Landlock", Presence::missing, version + ", which could not be tried",
                     "a process more must be allowed to this user (ulimit -u)"});
  } else if (const std::string open = not_held(trial); !open.empty()) {
    facts.push_back({"Landlock", Presence::missing, version + ", which does not hold " + open,
                     "Linux 6.12 has version 6"});
  } else {
    facts.push_back({"Landlock", Presence::there,
                     version + ": files, abstract sockets and signals were refused", ""});
  }
}

constexpr const char* kFilterFix = "a kernel with CONFIG_SECCOMP_FILTER";

// Whether a filter that refuses one call is taken, and refuses it (P-48); with errno.
bool holds_filter() {
  const auto tried = in_throwaway(0, [] {
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(steps)), steps};
    if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      return errno;
    return ::syscall(SYS_getppid) == -1 && errno == EDOM ? 0 : ENOSYS;
  });
  if (tried) errno = *tried;
  return tried == 0;
}

void add_seccomp(std::vector<HostFact>& facts) {
  const bool holds = holds_filter();
  facts.push_back({"Seccomp", holds ? Presence::there : Presence::missing,
                   holds ? "available" : "refused: " + std::string(std::strerror(errno)),
                   holds ? "" : kFilterFix});
}

// Flags and arguments that could make no process and execute nothing, were they let through.
bool denies_subprocesses() {
  const auto filter = os::SubprocessFilter::make();
  if (!filter.ok()) return false;
  const auto tried = in_throwaway(0, [&filter] {
    errno = 0;
    if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !filter->install())
      return errno == 0 ? ENOSYS : errno;
    const bool is_refused =
        ::syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0) < 0 && errno == EPERM &&
        ::syscall(SYS_execve, nullptr, nullptr, nullptr, 0, 0, 0) < 0 && errno == EPERM;
    return is_refused ? 0 : ENOSYS;
  });
  if (tried) errno = *tried;
  return tried == 0;
}

void add_subprocess_filter(std::vector<HostFact>& facts) {
  const bool holds = denies_subprocesses();
  facts.push_back({"Denial of subprocesses", holds ? Presence::there : Presence::missing,
                   holds ? "clone and execve were refused"
                         : "refused: " + std::string(std::strerror(errno)),
                   holds ? "" : kFilterFix});
}

// Whether a descriptor beyond a limit of one's own is refused; with errno.
bool holds_limit() {
  const auto tried = in_throwaway(0, [] {
    const rlimit none{0, 0};
    if (::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &none, nullptr) != 0) return errno;
    const long opened = ::syscall(SYS_memfd_create, "lazaret", 0);
    return opened < 0 && errno == EMFILE ? 0 : ENOSYS;
  });
  if (tried) errno = *tried;
  return tried == 0;
}

void add_limits(std::vector<HostFact>& facts) {
  rlimit limit{};
  if (!holds_limit() || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    facts.push_back({"Resource limits", Presence::missing,
                     "refused: " + std::string(std::strerror(errno)),
                     "a filter above Lazaret must let it call prlimit"});
    return;
  }
  const std::string most =
      limit.rlim_max == RLIM_INFINITY ? "any number of" : std::to_string(limit.rlim_max);
  facts.push_back(
      {"Resource limits", Presence::there, "available, " + most + " open files at most", ""});
}

HostFact without_ids(const std::string& why, const char* fix) {
  return {"Subordinate ids", Presence::missing, why + "boxes are the caller, with his groups", fix};
}

// Who a box has come to be says more than files and programs.
HostFact fact_of_ids(const std::optional<Identity>& tried) {
  const auto ids = subordinate_ids();
  const bool is_program = ::access("/usr/bin/newuidmap", X_OK) == 0;
  if (ids && (tried ? tried->kind == HostIdentity::subordinate : is_program))
    return {"Subordinate ids", Presence::there, "a range up to user " + std::to_string(ids->user),
            ""};
  if (!is_program) return without_ids("", "sudo apt-get install uidmap");
  if (ids)
    return without_ids("newuidmap or newgidmap refuses them: ",
                       "what they say: unshare --user --map-auto true");
  return without_ids(
      "", "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER");
}

}  // namespace

std::vector<HostFact> facts_of_host(const CgroupBase& cgroups,
                                    const std::optional<Identity>& tried) {
  std::vector<HostFact> facts;
  add_cgroups(facts, cgroups);
  add_namespaces(facts);
  add_landlock(facts);
  add_seccomp(facts);
  add_subprocess_filter(facts);
  add_limits(facts);
  if (::geteuid() != 0) facts.push_back(fact_of_ids(tried));
  return facts;
}

}  // namespace lazaret::backend::native
