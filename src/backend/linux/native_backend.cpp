#include "backend/linux/native_backend.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <set>

#include "backend/linux/native_box.hpp"
#include "backend/linux/observe.hpp"
#include "backend/linux/plan.hpp"
#include "backend/linux/standard_filter.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/pipe.hpp"
#include "os/wire.hpp"
#include "runner/client.hpp"
#include "runner/image.hpp"

namespace lazaret::backend::native {
namespace {

Result<os::Handle> high(os::Handle handle, std::string_view what) {
  if (!handle.valid()) return os::last_error(what);
  os::Handle moved(::fcntl(handle.get(), F_DUPFD_CLOEXEC, 10));
  if (!moved.valid()) return os::last_error(what);
  return moved;
}

// In memory and sealed: there is no file to be replaced, and the box cannot write to it.
Result<os::Handle> sealed_runner() {
  LAZARET_TRY(os::Handle file,
              high(os::Handle(::memfd_create("lazaret-runner", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
                   "memfd_create"));
  for (Bytes left = runner::runner_image(); !left.empty();) {
    LAZARET_TRY(const std::size_t count, os::write_now(file.get(), left));
    left = left.subspan(count);
  }
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return os::last_error("sealing the runner");
  return file;
}

// Every revealing entry of /proc that this kernel has must be covered, and what is left read-only.
Reading read_proc_mounts(const SelfReport& report) {
  std::set<std::string> covered;
  for (const MountLine& mount : report.mounts) {
    if (mount.has("ro")) covered.insert(mount.target);
  }
  std::string open = covered.contains("/proc") ? "" : "/proc is writable";
  for (const char* const path : masked_proc_paths()) {
    const std::string absolute = std::string("/") + path;
    if (::access(absolute.c_str(), F_OK) == 0 && !covered.contains(absolute))
      open = absolute + " is open";
  }
  if (!open.empty())
    return {Control::filesystem, EvidenceStatus::not_enforced, open, "runner report"};
  return {Control::filesystem, EvidenceStatus::enforced, "sensitive kernel files covered",
          "runner report"};
}

// Memory without a cgroup: at best a bound on each process, and none on what belongs to no process.
Reading memory_without_cgroup(const policy::Spec& spec, const SelfReport& report,
                              const std::string& why) {
  if (reserves_address_space(spec)) {
    return {Control::memory, EvidenceStatus::not_enforced,
            why + "; this runtime cannot live under RLIMIT_AS", "absence of a cgroup"};
  }
  Reading reading = read_limit(report, {Control::memory, "limit.as", spec.limits.memory_bytes});
  if (reading.status == EvidenceStatus::enforced) reading.status = EvidenceStatus::partial;
  reading.applied += " bytes for each process, shared memory not counted; " + why;
  return reading;
}

// What stands in for the cgroup where there is none: said as it is, never more.
std::vector<Reading> readings_without_cgroup(const policy::Spec& spec, const SelfReport& report,
                                             const std::string& why) {
  const auto no = EvidenceStatus::not_enforced;
  const std::string source = "absence of a cgroup";
  Reading pids = read_limit(report, {Control::pids, "limit.nproc", spec.limits.pids});
  pids.applied += " in a user namespace of its own";
  return {{Control::swap, no, why, source},
          {Control::cpu, no, why, source},
          std::move(pids),
          memory_without_cgroup(spec, report, why)};
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

Status verify(NativeBox::Parts& parts, const policy::Spec& spec, const CgroupBase& base,
              const Call& call) {
  runner::Client client(*parts.wire);
  LAZARET_TRY(const runner::Greeting greeting, client.greet(call));
  const SelfReport report = parse_report(greeting.report);
  std::vector<Reading> readings = read_report(report, spec);
  const auto add = [&readings](std::vector<Reading> more) {
    readings.insert(readings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  add(read_proc(parts.launched.pid));
  readings.push_back(read_proc_mounts(report));
  add(parts.cgroup ? parts.cgroup->readings(spec.limits)
                   : readings_without_cgroup(spec, report, base.why_not));
  readings.push_back(timeout_reading(spec));
  parts.evidence = judge(readings, spec);
  return require(parts.evidence, spec);
}

}  // namespace

Result<std::unique_ptr<Backend>> NativeBackend::create() {
  Shared shared;
  shared.tree = RootTree::of_host();
  LAZARET_TRY(shared.runner, sealed_runner());
  LAZARET_TRY(shared.null,
              high(os::Handle(::open("/dev/null", O_RDWR | O_CLOEXEC)), "opening /dev/null"));
  shared.cgroups = find_cgroup_base();
  return std::unique_ptr<Backend>(new NativeBackend(std::move(shared)));
}

std::string NativeBackend::runtime() const {
  utsname facts{};
  (void)::uname(&facts);
  return std::string("Linux ") + facts.release;
}

Result<Launched> NativeBackend::start(const policy::Spec& spec, const NativeBox::Parts& parts,
                                      int wire, const Call& call) {
  const Plan::Shared shared{shared_.tree.entries(), standard_filter(), shared_.runner.get(),
                            shared_.null.get()};
  const Plan plan(spec, shared, parts.cgroup ? HeldBy::cgroup : HeldBy::limits);
  const bool root = ::geteuid() == 0;
  const LaunchOptions options{root ? kInsideId : ::geteuid(), root ? kInsideId : ::getegid(),
                              parts.cgroup ? parts.cgroup->descriptor() : -1};
  return launch(plan.with_wire(wire), options, call);
}

Result<std::unique_ptr<Box>> NativeBackend::open(const policy::Spec& spec, const Call& call) {
  NativeBox::Parts parts;
  if (!shared_.cgroups.directory.empty()) {
    LAZARET_TRY(Cgroup cgroup, Cgroup::create(shared_.cgroups, cgroup_name(), spec.limits));
    parts.cgroup.emplace(std::move(cgroup));
  }
  LAZARET_TRY(auto ends, os::stream_pair());
  {
    LAZARET_TRY(const os::Handle theirs, high(std::move(ends.second), "socketpair"));
    LAZARET_TRY(parts.launched, start(spec, parts, theirs.get(), call));
  }
  parts.wire = os::wire_over(std::move(ends.first));
  parts.pid_namespace = namespace_of(parts.launched.pid, "pid").value_or("");
  const Status verified = verify(parts, spec, shared_.cgroups, call);
  auto box = std::make_unique<NativeBox>(std::move(parts));  // from here on its destructor ends it
  if (!verified.ok()) return Error(verified.error()).within("verifying the box");
  return std::unique_ptr<Box>(std::move(box));
}

}  // namespace lazaret::backend::native
