#include "backend/linux/native_backend.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "backend/linux/foundation.hpp"
#include "backend/linux/host_facts.hpp"
#include "backend/linux/native_box.hpp"
#include "backend/linux/observe.hpp"
#include "backend/linux/plan.hpp"
#include "backend/linux/without_cgroup.hpp"
#include "base/try.hpp"
#include "os/wire.hpp"
#include "runner/client.hpp"

namespace lazaret::backend::native {
namespace {

// A box says hello within milliseconds; one that never does must not hold its caller up.
constexpr std::chrono::seconds kGreetingBound{10};

// Every revealing entry of /proc that this kernel has must be covered, and what is left read-only.
Reading read_proc_mounts(const SelfReport& report) {
  std::set<std::string> covered;
  std::string open;
  for (const MountLine& mount : report.mounts) {
    if (mount.has("ro")) covered.insert(mount.target);
    // The box's own stands on the spawner's: one of them read-only is not enough.
    if (mount.target == "/proc" && !mount.has("ro")) open = "/proc is writable";
  }
  if (!covered.contains("/proc")) open = "/proc is missing";
  for (const std::string_view path : masked_proc_paths()) {
    const std::string name(path);
    if (::access(name.c_str(), F_OK) == 0 && !covered.contains(name)) open = name + " is open";
  }
  if (!open.empty())
    return {Control::filesystem, EvidenceStatus::not_enforced, open, "runner report"};
  return {Control::filesystem, EvidenceStatus::enforced, "sensitive kernel files covered",
          "runner report"};
}

// statfs(2) alone would take a part of the bounded root for a bounded file system.
Reading read_scratch_mounts(const SelfReport& report) {
  for (const char* const path : {"/work", "/tmp", "/dev/shm"}) {
    const bool own = std::any_of(
        report.mounts.begin(), report.mounts.end(),
        [path](const MountLine& mount) { return mount.target == path && mount.type == "tmpfs"; });
    if (own) continue;
    return {Control::disk, EvidenceStatus::not_enforced,
            std::string(path) + " is no file system of its own", "runner report"};
  }
  return {Control::disk, EvidenceStatus::enforced, "", "runner report"};
}

// Those that this process may use now.
Processors own_processors() {
  Processors processors{};
  if (::syscall(SYS_sched_getaffinity, 0, sizeof processors, processors.data()) < 0) return {};
  return processors;
}

std::string cgroup_name() {
  static std::atomic<unsigned> next{0};
  return "lazaret-" + std::to_string(::getpid()) + "-" + std::to_string(next++);
}

Reading timeout_reading(const policy::Spec& spec) {
  return {Control::timeout, EvidenceStatus::enforced,
          "SIGKILL through a pidfd after " + std::to_string(spec.limits.timeout.count()) +
              " ms and grace",
          "pidfd held"};
}

OutsideIdentity outside_identity(const Foundation& foundation) {
  using Groups = OutsideIdentity::Groups;
  switch (foundation.identity) {
    case HostIdentity::nobody: return {Groups::none, kInsideId, kInsideId};
    case HostIdentity::subordinate:
      return {Groups::none, foundation.host_user, foundation.host_group};
    case HostIdentity::caller: break;
  }
  return {Groups::of_caller, ::geteuid(), ::getegid()};
}

bool has_ended(const os::Handle& pidfd) {
  pollfd entry{pidfd.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

Status verify(NativeBox::Parts& parts, const policy::Spec& spec, const CgroupBase& cgroups,
              const Call& call) {
  runner::Client client(*parts.wire);
  LAZARET_TRY(const runner::Greeting greeting, client.greet(call.within(kGreetingBound)));
  const SelfReport report = parse_report(greeting.report);
  std::vector<Reading> readings = read_report(report, spec);
  const auto add = [&readings](std::vector<Reading> more) {
    readings.insert(readings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  add(read_proc(parts.launched.pid, outside_identity(parts.spawner->foundation())));
  readings.push_back(read_proc_mounts(report));
  readings.push_back(read_scratch_mounts(report));
  add(parts.cgroup ? parts.cgroup->readings(spec.limits)
                   : readings_without_cgroup(spec, report, cgroups.why_not));
  readings.push_back(timeout_reading(spec));
  // What was read by number was this process only if it is still there (P-05).
  if (has_ended(parts.launched.pidfd))
    return Error(Errc::connection_lost, "the box's first process ended while it was looked at");
  parts.evidence = judge(readings, spec);
  return require(parts.evidence, spec);
}

}  // namespace

Result<std::unique_ptr<Backend>> NativeBackend::create() {
  LAZARET_TRY(const Foundation foundation, foundation_of_host());
  return std::unique_ptr<Backend>(
      new NativeBackend(foundation, find_cgroup_base(), own_processors()));
}

std::string NativeBackend::runtime() const {
  utsname facts{};
  (void)::uname(&facts);
  return std::string("Linux ") + facts.release;
}

std::vector<HostFact> NativeBackend::host() const { return facts_of_host(cgroups_); }

// WHY under the lock: two first boxes at once must not start two spawners.
Result<NativeBackend::SharedSpawner> NativeBackend::spawner(const Call& call) {
  return spawner_.with([this, &call](SharedSpawner& spawner) -> Result<SharedSpawner> {
    if (spawner) return spawner;
    Foundation foundation = foundation_;
    foundation.owner = ::getpid();
    auto started = Spawner::start(foundation, call);
    if (!started.ok() && started.error().code() == Errc::permission_denied &&
        foundation.identity == HostIdentity::subordinate) {
      foundation.identity = HostIdentity::caller;  // as without a range; the evidence says it
      started = Spawner::start(foundation, call);
    }
    LAZARET_TRY(spawner, std::move(started));
    return spawner;
  });
}

void NativeBackend::forget(const SharedSpawner& spawner) {
  spawner_.with([&spawner](SharedSpawner& current) {
    if (current == spawner) current.reset();
  });
}

Status NativeBackend::launch(NativeBox::Parts& parts, const policy::Spec& spec, const Call& call) {
  if (!cgroups_.directory.empty()) {
    LAZARET_TRY(Cgroup cgroup, Cgroup::create(cgroups_, cgroup_name(), spec.limits));
    parts.cgroup.emplace(std::move(cgroup));
  }
  LAZARET_TRY(auto ends, os::stream_pair());
  Order order = order_of(spec, parts.cgroup ? HeldBy::cgroup : HeldBy::limits);
  order.processors = share_of(processors_, spec.limits.cpus, turn_++);
  const int cgroup = parts.cgroup ? parts.cgroup->descriptor() : -1;
  LAZARET_TRY(parts.spawner, spawner(call));
  const Spawner::Belongings belongings{ends.second.get(), cgroup};
  auto launched = parts.spawner->make(order, belongings, call);
  // An answer that was not awaited. What may still be made of this order ends with our end of the
  // wire; the boxes that are running keep their spawner.
  const Errc code = launched.ok() ? Errc::system : launched.error().code();
  if (code == Errc::timed_out || code == Errc::cancelled) forget(parts.spawner);
  if (code == Errc::connection_lost) {
    forget(parts.spawner);  // it was killed or belongs to our parent; the next one is as good
    LAZARET_TRY(parts.spawner, spawner(call));
    launched = parts.spawner->make(order, belongings, call);
  }
  LAZARET_TRY(parts.launched, std::move(launched));
  parts.wire = os::wire_over(std::move(ends.first));
  return {};
}

Result<std::unique_ptr<Box>> NativeBackend::open(const policy::Spec& spec, const Call& call) {
  NativeBox::Parts parts;
  LAZARET_CHECK(launch(parts, spec, call));
  parts.pid_namespace = namespace_of(parts.launched.pid, "pid").value_or("");
  const Status verified = verify(parts, spec, cgroups_, call);
  auto box = std::make_unique<NativeBox>(std::move(parts));  // from here on its destructor ends it
  if (!verified.ok()) return Error(verified.error()).within("verifying the box");
  return std::unique_ptr<Box>(std::move(box));
}

}  // namespace lazaret::backend::native
