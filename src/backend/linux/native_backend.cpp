#include "backend/linux/native_backend.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "backend/linux/native_box.hpp"
#include "backend/linux/observe.hpp"
#include "backend/linux/seccomp_program.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/pipe.hpp"
#include "os/wire.hpp"
#include "runner/client.hpp"
#include "runner/image.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::uint32_t kInsideId = 65534;

Result<os::Handle> high(os::Handle handle, std::string_view what) {
  if (!handle.valid()) return os::last_error(what);
  os::Handle moved(::fcntl(handle.get(), F_DUPFD_CLOEXEC, 10));
  if (!moved.valid()) return os::last_error(what);
  return moved;
}

// In memory and sealed: there is no file to be replaced, and the box cannot write to it.
Result<os::Handle> sealed_runner() {
  LAZARET_TRY(os::Handle file, high(os::Handle(::memfd_create("lazaret-runner", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
                                    "memfd_create"));
  for (Bytes left = runner::runner_image(); !left.empty();) {
    LAZARET_TRY(const std::size_t count, os::write_now(file.get(), left));
    left = left.subspan(count);
  }
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return os::last_error("sealing the runner");
  return file;
}

// Runtimes that reserve far more address space than they use die under RLIMIT_AS (P-50).
bool reserves_address_space(const policy::Spec& spec) {
  constexpr std::array kNames = {"node", "nodejs", "deno", "bun", "java", "go", "dotnet"};
  const std::string& path = spec.program.argv.front();
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<Limit> limits_of(const policy::Spec& spec, bool with_cgroup) {
  const Limits& limits = spec.limits;
  std::vector<Limit> list = {
      {RLIMIT_NOFILE, {limits.open_files, limits.open_files}},
      {RLIMIT_FSIZE, {limits.file_bytes, limits.file_bytes}},
      {RLIMIT_CORE, {0, 0}},
      {RLIMIT_MEMLOCK, {64UL << 10, 64UL << 10}},
      {RLIMIT_MSGQUEUE, {64UL << 10, 64UL << 10}},
      // Counted in the box's own user namespace (Linux 5.14), so it is exact for one box (P-51).
      {RLIMIT_NPROC, {limits.pids, limits.pids}},
  };
  if (!with_cgroup && !reserves_address_space(spec)) {
    list.push_back({RLIMIT_AS, {limits.memory_bytes, limits.memory_bytes}});
  }
  return list;
}

std::string tmpfs_options(const Limits& limits, const char* mode) {
  return "size=" + std::to_string(limits.disk_bytes) + ",nr_inodes=" + std::to_string(limits.disk_files) +
         ",mode=" + mode;
}

// What stands in for the cgroup where there is none: said as it is, never more.
std::vector<Reading> readings_without_cgroup(const policy::Spec& spec, const std::string& why) {
  const auto no = EvidenceStatus::not_enforced;
  const std::string source = "absence of a cgroup";
  std::vector<Reading> readings = {
      {Control::swap, no, why, source},
      {Control::cpu, no, why, source},
      {Control::pids, EvidenceStatus::enforced, "RLIMIT_NPROC " + std::to_string(spec.limits.pids) +
           " in a user namespace of its own", "runner report"},
  };
  if (reserves_address_space(spec)) {
    readings.push_back({Control::memory, no, why + "; this runtime cannot live under RLIMIT_AS", source});
  } else {
    readings.push_back({Control::memory, EvidenceStatus::partial,
                        "RLIMIT_AS " + std::to_string(spec.limits.memory_bytes) + " bytes for each process; " + why,
                        "runner report"});
  }
  return readings;
}

std::string cgroup_name() {
  static std::atomic<unsigned> next{0};
  return "lazaret-" + std::to_string(::getpid()) + "-" + std::to_string(next++);
}

Reading timeout_reading(const policy::Spec& spec) {
  return {Control::timeout, EvidenceStatus::enforced,
          "SIGKILL through a pidfd after " + std::to_string(spec.limits.timeout.count()) + " ms and grace",
          "pidfd held"};
}

Status verify(NativeBox::Parts& parts, const policy::Spec& spec, const CgroupBase& base, const Call& call) {
  runner::Client client(*parts.wire);
  LAZARET_TRY(const runner::Greeting greeting, client.greet(call));
  std::vector<Reading> readings = read_report(parse_report(greeting.report), spec);
  const auto add = [&readings](std::vector<Reading> more) {
    readings.insert(readings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(read_proc(parts.launched.pid));
  add(parts.cgroup ? parts.cgroup->readings(spec.limits) : readings_without_cgroup(spec, base.why_not));
  readings.push_back(timeout_reading(spec));
  parts.evidence = judge(readings, spec);
  return require(parts.evidence, spec);
}

}  // namespace

Result<std::unique_ptr<Backend>> NativeBackend::create() {
  Shared shared;
  shared.tree = RootTree::of_host();
  LAZARET_TRY(shared.filter, compile(seccomp::standard_profile()));
  LAZARET_TRY(shared.runner, sealed_runner());
  LAZARET_TRY(shared.null, high(os::Handle(::open("/dev/null", O_RDWR | O_CLOEXEC)), "opening /dev/null"));
  shared.cgroups = find_cgroup_base();
  return std::unique_ptr<Backend>(new NativeBackend(std::move(shared)));
}

std::string NativeBackend::runtime() const {
  utsname facts{};
  (void)::uname(&facts);
  return std::string("Linux ") + facts.release;
}

Result<std::unique_ptr<Box>> NativeBackend::open(const policy::Spec& spec, const Call& call) {
  NativeBox::Parts parts;
  if (!shared_.cgroups.directory.empty()) {
    LAZARET_TRY(Cgroup cgroup, Cgroup::create(shared_.cgroups, cgroup_name(), spec.limits));
    parts.cgroup.emplace(std::move(cgroup));
  }
  LAZARET_TRY(auto ends, os::stream_pair());
  LAZARET_TRY(const os::Handle theirs, high(std::move(ends.second), "socketpair"));
  const std::string options = tmpfs_options(spec.limits, "0700");
  const std::string shared_options = tmpfs_options(spec.limits, "1777");
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV;
  const std::array scratch = {Scratch{"work", options.c_str(), kFlags},
                              Scratch{"tmp", shared_options.c_str(), kFlags},
                              Scratch{"dev/shm", shared_options.c_str(), kFlags | MS_NOEXEC}};
  const std::vector<Limit> limits = limits_of(spec, parts.cgroup.has_value());
  const bool root = ::geteuid() == 0;
  ChildPlan plan{};
  plan.wire = theirs.get();
  plan.null = shared_.null.get();
  plan.runner = shared_.runner.get();
  plan.uid = plan.gid = kInsideId;
  plan.clear_groups = root;
  plan.tree = shared_.tree.entries();
  plan.scratch = {scratch.data(), scratch.size()};
  plan.masked = {masked_proc_paths().data(), masked_proc_paths().size()};
  plan.limits = {limits.data(), limits.size()};
  plan.filter = {static_cast<unsigned short>(shared_.filter.size()), const_cast<sock_filter*>(shared_.filter.data())};
  const LaunchOptions launch_options{root ? kInsideId : ::geteuid(), root ? kInsideId : ::getegid(),
                                     parts.cgroup ? parts.cgroup->descriptor() : -1};
  LAZARET_TRY(parts.launched, launch(plan, launch_options, call));
  parts.wire = os::wire_over(std::move(ends.first));
  parts.pid_namespace = namespace_of(parts.launched.pid, "pid").value_or("");
  const Status verified = verify(parts, spec, shared_.cgroups, call);
  auto box = std::make_unique<NativeBox>(std::move(parts));  // from here on its destructor ends it
  if (!verified.ok()) return Error(verified.error()).within("verifying the box");
  return std::unique_ptr<Box>(std::move(box));
}

}  // namespace lazaret::backend::native
