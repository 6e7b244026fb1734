#include "backend/linux/native_backend.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <span>
#include <thread>

#include "backend/linux/control.hpp"
#include "backend/linux/foundation.hpp"
#include "backend/linux/host_facts.hpp"
#include "backend/linux/identity.hpp"
#include "backend/linux/native_box.hpp"
#include "backend/linux/observe.hpp"
#include "backend/linux/observe_mounts.hpp"
#include "backend/linux/plan.hpp"
#include "backend/linux/shared_folder.hpp"
#include "backend/linux/without_cgroup.hpp"
#include "base/try.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"
#include "runner/client.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

// A box says hello within milliseconds; one that never does must not hold its caller up.
constexpr std::chrono::seconds kGreetingBound{10};
// Each has two processes of its own.
constexpr std::size_t kMostSpawners = 16;

// Those that this process may use now.
Processors own_processors() {
  Processors processors{};
  if (::syscall(SYS_sched_getaffinity, 0, sizeof processors, processors.data()) < 0) return {};
  return processors;
}

Reading timeout_reading() {
  return {Control::timeout, EvidenceStatus::enforced,
          "SIGKILL through a pidfd after that and the grace", "pidfd held"};
}

Reading way_out_reading() {
  return {Control::network, EvidenceStatus::enforced, "one way out, by a proxy to what was asked",
          "socket held"};
}

OutsideIdentity outside_identity(const Identity& identity) {
  using Groups = OutsideIdentity::Groups;
  switch (identity.kind) {
    case HostIdentity::nobody: return {Groups::none, kInsideId, kInsideId};
    case HostIdentity::subordinate: return {Groups::none, identity.user, identity.group};
    case HostIdentity::caller: break;
  }
  return {Groups::of_caller, ::geteuid(), ::getegid()};
}

bool has_ended(const os::Handle& pidfd) {
  pollfd entry{pidfd.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

// What has left a box that has said hello by now.
Status take_way_out(NativeBox::Parts& parts) {
  std::uint16_t port = 0;
  os::Handle socket;
  const ssize_t count = receive_message(
      parts.way_out.get(), std::as_writable_bytes(std::span(&port, 1)), std::span(&socket, 1));
  if (count != sizeof port || !socket.valid())
    return Error(Errc::protocol, "the box's way out did not leave it");
  int listens = 0;
  socklen_t size = sizeof listens;
  (void)::getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
  if (listens != 1 || os::port_of(socket.get()) != policy::kWayOutPort)
    return Error(Errc::enforcement_mismatch, "the box's way out is another socket");
  parts.way_out = std::move(socket);
  return {};
}

Status verify(NativeBox::Parts& parts, const policy::Spec& spec, const CgroupBase& cgroups,
              const Call& call) {
  runner::Client client(*parts.wire);
  LAZARET_TRY(const runner::Greeting greeting, client.greet(call.within(kGreetingBound)));
  if (!spec.egress.hosts.empty()) LAZARET_CHECK(take_way_out(parts));
  const os::Handle folder = folder_of(parts.launched.pid);
  const SelfReport report = parse_report(greeting.report + seen_from_outside(folder));
  parts.resting_bytes = report.resident_bytes();
  std::vector<Reading> readings = read_report(report, spec);
  const auto add = [&readings](std::vector<Reading> more) {
    readings.insert(readings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  const Namespaces theirs = namespaces_of(folder);
  parts.pid_namespace = pid_namespace_of(theirs);
  add(read_namespaces(theirs, parts.spawner->outside(), parts.spawner->own()));
  add(read_proc(folder, outside_identity(parts.spawner->foundation().identity)));
  add(read_limits(folder, spec, parts.cgroup ? HeldBy::cgroup : HeldBy::limits));
  if (spec.loopback == Loopback::down) {
    if (auto silence = read_silence(folder)) readings.push_back(std::move(*silence));
  }
  readings.push_back(read_proc_mounts(report, parts.spawner->foundation()));
  readings.push_back(read_scratch_mounts(report, spec.profile));
  add(parts.cgroup ? parts.cgroup->readings(spec.limits, parts.launched.pid)
                   : readings_without_cgroup(spec, report, cgroups.why_not));
  readings.push_back(timeout_reading());
  if (!spec.egress.hosts.empty()) readings.push_back(way_out_reading());
  // What was read by number was this process only if it is still there (P-05).
  if (has_ended(parts.launched.pidfd))
    return Error(Errc::connection_lost, "the box's first process ended while it was looked at");
  parts.evidence = judge(readings, spec);
  return require(parts.evidence, spec);
}

// What differs between spawners: what their boxes are shown, and where they are at home.
struct Ground {
  std::span<const Folder> folders;
  Processors home{};
};

// Beside it, as loading what writes the journal takes a millisecond. Where there is no thread to be
// had, or no memory, it is written right before the first cgroup is made.
std::jthread row_written_for(const CgroupBase& cgroups) try {
  if (cgroups.directory.empty() || !cgroups.row) return {};
  return std::jthread([row = cgroups.row] {
    try {
      (void)row->write().ok();
    } catch (const std::exception&) {
    }
  });
} catch (const std::exception&) {
  return {};
}

// The host is looked at while the spawner makes its namespaces.
Result<Spawners::Shared> start_as(const Identity& identity, const Ground& ground,
                                  const CgroupBase& cgroups, const Call& call) {
  LAZARET_TRY(Spawners::Shared spawner, Spawner::begin(identity));
  const std::jthread writing = row_written_for(cgroups);
  LAZARET_TRY(Foundation foundation, foundation_of_host(identity, ground.folders));
  foundation.home = ground.home;
  LAZARET_CHECK(spawner->lay_ground(foundation, cgroups, call));
  return spawner;
}

Result<Spawners::Shared> start_spawner(const Identity& identity, const Ground& ground,
                                       const CgroupBase& cgroups, const Call& call) {
  auto started = start_as(identity, ground, cgroups, call);
  const bool refused = !started.ok() && started.error().code() == Errc::permission_denied;
  if (!refused || identity.kind != HostIdentity::subordinate) return started;
  return start_as({}, ground, cgroups, call);  // as without a range; the evidence says it
}

}  // namespace

NativeBackend::NativeBackend(Serves serves, const std::optional<fs::path>& state)
    : cgroups_(find_cgroup_base(state ? std::make_shared<CgroupRow>(state) : nullptr)),
      processors_(own_processors()),
      identity_(identity_of_host()),
      serves_(serves),
      spawners_(processors_, serves == Serves::one_run ? 1 : kMostSpawners,
                [this](const Processors& home, const Call& call) {
                  return start_spawner(identity_, {{}, home}, cgroups_, call);
                }) {}

std::string NativeBackend::runtime() const {
  utsname facts{};
  (void)::uname(&facts);
  return std::string("Linux ") + facts.release;
}

std::vector<HostFact> NativeBackend::host() const {
  const Spawners::Shared spawner = spawners_.any();
  if (!spawner) return facts_of_host(cgroups_, {});
  return facts_of_host(spawner->better_of(cgroups_), spawner->foundation().identity);
}

// What is shared is opened before the ground is laid, and again on it: the handles are kept until
// then, so that what was looked at is what is shown.
Result<Spawners::Choice> NativeBackend::spawner_of(NativeBox::Parts& parts,
                                                   const policy::Spec& spec, const Call& call) {
  if (spec.mounts.empty()) return spawners_.choose(call);
  const OutsideIdentity outside = outside_identity(identity_);
  std::vector<os::Handle> open;
  std::vector<Folder> folders;
  for (const Mount& mount : spec.mounts) {
    LAZARET_TRY(SharedFolder shared, open_folder(mount, spec, {outside.user, outside.group}));
    folders.push_back(shared.folder);
    open.push_back(std::move(shared.handle));
    parts.shared.push_back(std::move(shared.look));
    if (!shared.warning.empty()) parts.warnings.push_back(std::move(shared.warning));
  }
  LAZARET_TRY(auto spawner, start_spawner(identity_, {folders}, cgroups_, call));
  return Spawners::Choice{std::move(spawner), spawners_.take_seat()};
}

// A scope goes with its spawner, and what is in the scope with it. In a box that is kept the runner
// outlives its program.
Status NativeBackend::make_cgroup(NativeBox::Parts& parts, const policy::Spec& spec) {
  const CgroupBase& cgroups = parts.spawner->better_of(cgroups_);
  parts.cgroup.reset();
  if (cgroups.directory.empty()) return {};
  const Foundation& foundation = parts.spawner->foundation();
  std::call_once(disks_seen_, [&] { tree_disks_ = disks_behind_tree(foundation); });
  const Disks disks = with_folders(tree_disks_, foundation);
  const auto victims = spec.keeps_box ? Cgroup::Victims::one : Cgroup::Victims::all;
  LAZARET_TRY(Cgroup cgroup, Cgroup::create(cgroups, spec.limits, victims, disks));
  parts.cgroup.emplace(std::move(cgroup));
  const Status noted = cgroups.row ? cgroups.row->write() : Status();
  if (noted.ok()) return {};
  std::string warning = warning_of_no_row(noted.error());
  if (std::ranges::find(parts.warnings, warning) == parts.warnings.end())
    parts.warnings.push_back(std::move(warning));
  return {};
}

Status NativeBackend::ask(NativeBox::Parts& parts, Spawners::Choice choice,
                          const policy::Spec& spec, const Call& call) {
  parts.spawner = std::move(choice.spawner);
  parts.seat = std::move(choice.seat);
  LAZARET_CHECK(make_cgroup(parts, spec));
  LAZARET_TRY(auto ends, os::stream_pair());
  Order order = order_of(spec, parts.cgroup ? HeldBy::cgroup : HeldBy::limits);
  order.processors = share_of(processors_, spec.limits.cpus, parts.seat.turn());
  const int cgroup = parts.cgroup ? parts.cgroup->descriptor() : -1;
  std::pair<os::Handle, os::Handle> exit;
  if (order.way_out != 0) {
    LAZARET_TRY(exit, control_pair());
  }
  if (!spec.mounts.empty()) order.ground = next_ground_++;
  const Spawner::Belongings belongings{ends.second.get(), cgroup, exit.second.get()};
  LAZARET_TRY(parts.launched, parts.spawner->make(order, belongings, call));
  parts.wire = os::wire_over(std::move(ends.first));
  parts.way_out = std::move(exit.first);
  return {};
}

Status NativeBackend::launch(NativeBox::Parts& parts, const policy::Spec& spec, const Call& call) {
  LAZARET_TRY(Spawners::Choice choice, spawner_of(parts, spec, call));
  Status asked = ask(parts, std::move(choice), spec, call);
  const bool lost = !asked.ok() && asked.error().code() == Errc::connection_lost;
  if (!asked.ok() && call.check().ok()) spawners_.avoid(parts.spawner);
  if (!lost || !spec.mounts.empty()) return asked;
  LAZARET_TRY(choice, spawners_.choose(call));  // it was killed; another one is as good
  return ask(parts, std::move(choice), spec, call);
}

Result<std::unique_ptr<Box>> NativeBackend::open(const policy::Spec& spec, const Call& call) {
  NativeBox::Parts parts;
  LAZARET_CHECK(launch(parts, spec, call));
  parts.is_last = serves_ == Serves::one_run && !parts.cgroup;
  const Status verified = verify(parts, spec, parts.spawner->better_of(cgroups_), call);
  auto box = std::make_unique<NativeBox>(std::move(parts));  // from here on its destructor ends it
  if (!verified.ok()) return Error(verified.error()).within("verifying the box");
  return std::unique_ptr<Box>(std::move(box));
}

}  // namespace lazaret::backend::native
