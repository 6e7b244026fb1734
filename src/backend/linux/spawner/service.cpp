#include "backend/linux/spawner/service.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "backend/linux/control.hpp"
#include "backend/linux/spawner/box.hpp"
#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/step.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::uint64_t kNewTime = 0x80;  // CLONE_NEWTIME: for clone3(2) only

// The box's one id; setgroups(2) stays refused in it for ever.
bool write_maps(pid_t pid, std::uint32_t outside) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  const std::string map = std::to_string(kInsideId) + " " + std::to_string(outside) + " 1";
  return write_file((folder + "setgroups").c_str(), "deny") &&
         write_file((folder + "gid_map").c_str(), map.c_str()) &&
         write_file((folder + "uid_map").c_str(), map.c_str());
}

// What it cannot have is no reason to have no spawner: its boxes inherit what it has then.
Processors settle(const Processors& home) {
  Processors own{};
  if (home != Processors{}) (void)::syscall(SYS_sched_setaffinity, 0, sizeof home, home.data());
  if (!done(::syscall(SYS_sched_getaffinity, 0, sizeof own, own.data()))) own = {};
  return own;
}

// In the child everything below is undone by the box's own steps; the wire becomes 0 and 1.
[[noreturn]] void become_box(const BoxPlan& plan, int wire) {
  if (!done(::dup2(wire, 0)) || !done(::dup2(wire, 1))) ::_exit(127);
  become_runner(plan);
}

std::uint64_t millis(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
         static_cast<std::uint64_t>(time.tv_usec) / 1000;
}

Epitaph epitaph_of(const rusage& usage) {
  return {millis(usage.ru_utime) + millis(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

Service::Service(Watched watched, const Foundation& foundation, Networks networks)
    : watched_(std::move(watched)),
      foundation_(foundation),
      networks_(std::move(networks)),
      own_processors_(settle(foundation.home)) {}

void Service::run() {
  for (;;) {
    // Ahead, unless it would hold up a box that is being made; asked again for each box.
    if (wards_.empty()) (void)networks_.prepare();
    pollfd entries[] = {{watched_.control.get(), POLLIN, 0},
                        {watched_.children.get(), POLLIN, 0},
                        {watched_.owner.get(), POLLIN, 0}};
    if (::poll(entries, std::size(entries), -1) < 0 && errno != EINTR) return;
    if (entries[2].revents != 0) return;
    if (entries[1].revents != 0) bury();
    if (entries[0].revents != 0 && !take_order()) return;
  }
}

bool Service::take_order() {
  Received received;
  return receive(received) && make_box(received);
}

bool Service::answer(const Answer& answer, std::span<const int> handles) const {
  return send_message(watched_.control.get(), raw(answer), handles);
}

bool Service::refuse(const char* step) const { return answer(failure_of(step), {}); }

bool Service::receive(Received& received) const {
  const auto order = std::as_writable_bytes(std::span(&received.order, 1));
  const ssize_t count = receive_message(watched_.control.get(), order, received.handles);
  return count == sizeof received.order && received.handles[0].valid() &&
         received.handles[1].valid();
}

// False when Lazaret cannot be told what has become of its order: it must not wait for an answer,
// and hears at once that the spawner has ended.
bool Service::make_box(Received& received) {
  auto& [wire, epitaph, third, fourth] = received.handles;
  const os::Handle& exit = received.order.in_cgroup ? fourth : third;
  auto go = os::make_pipe();
  if (!go.ok()) return refuse("make a pipe");
  const bool has_network = networks_.prepare();
  if (!has_network && !may_share(received.order)) return refuse("make a network namespace");
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                    CLONE_NEWCGROUP | kNewTime | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  if (received.order.in_cgroup) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(third.get());
  }
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    go->second.reset();
    become_box({foundation_, received.order, go->first.get(), exit.get(), !has_network},
               wire.get());
  }
  if (pid < 0) return refuse("make namespaces");
  const os::Handle first_process(pidfd);
  wards_.push_back({static_cast<pid_t>(pid), std::move(epitaph), networks_.hand_out()});
  if (const char* const step = fit_out(static_cast<pid_t>(pid), received.order)) {
    const bool told = refuse(step);
    (void)::kill(static_cast<pid_t>(pid), SIGKILL);
    return told;
  }
  (void)!::write(go->second.get(), "g", 1);
  return answer({}, std::array{first_process.get()});
}

// The caller's network, where none can be had (L-48): never one that was another box's.
bool Service::may_share(const Order& order) const {
  const int why = errno;
  const bool is_denied = why == ENOSPC || why == EPERM || why == EINVAL;
  const bool may = order.may_share_network && is_denied && networks_.is_at_home();
  errno = why;
  return may;
}

// What a clone that waits cannot do for itself, or only at the price of a change of processors. The
// step that failed, with errno, or nothing.
const char* Service::fit_out(pid_t pid, const Order& order) const {
  // In the spawner's eyes: the caller is 0 there, and the other two are what they are inside.
  const bool is_caller = foundation_.identity.kind == HostIdentity::caller;
  if (!write_maps(pid, is_caller ? 0 : kInsideId)) return "write id maps";
  return bind_processors(pid, order.processors) ? nullptr : "bind processors";
}

bool Service::bind_processors(pid_t pid, const Processors& processors) const {
  if (processors == Processors{} || processors == own_processors_) return true;
  const bool bound =
      done(::syscall(SYS_sched_setaffinity, pid, sizeof processors, processors.data()));
  return bound || errno == EINVAL;  // not ours any more (cpuset(7)); what it has is in the evidence
}

void Service::bury() {
  signalfd_siginfo drained{};
  (void)!::read(watched_.children.get(), &drained, sizeof drained);
  rusage usage{};
  for (pid_t pid = 0; (pid = ::wait4(-1, nullptr, WNOHANG, &usage)) > 0;) {
    const auto ward = std::find_if(wards_.begin(), wards_.end(),
                                   [pid](const Ward& one) { return one.pid == pid; });
    if (ward == wards_.end()) continue;
    const Epitaph epitaph = epitaph_of(usage);
    (void)!::write(ward->epitaph.get(), &epitaph, sizeof epitaph);
    networks_.take_back(std::move(ward->network));
    wards_.erase(ward);
  }
}

}  // namespace lazaret::backend::native
