#include "backend/linux/spawner/service.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "backend/linux/spawner/box.hpp"
#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/step.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::uint64_t kNewTime = 0x80;  // CLONE_NEWTIME: for clone3(2) only

// SCM_RIGHTS, at most one descriptor.
bool send_answer(int control, const Answer& answer, int handle) {
  iovec part{const_cast<Answer*>(&answer), sizeof answer};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (handle >= 0) {
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof handle);
    ::memcpy(CMSG_DATA(header), &handle, sizeof handle);
  }
  return done(::sendmsg(control, &message, MSG_NOSIGNAL));
}

// The box's one id; setgroups(2) stays refused in it for ever.
bool write_maps(pid_t pid, std::uint32_t outside) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  const std::string map = std::to_string(kInsideId) + " " + std::to_string(outside) + " 1";
  return write_file((folder + "setgroups").c_str(), "deny") &&
         write_file((folder + "gid_map").c_str(), map.c_str()) &&
         write_file((folder + "uid_map").c_str(), map.c_str());
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

// namespaces(7): two are the same if and only if their numbers are.
ino_t own_network() {
  struct stat facts {};
  return done(::stat("/proc/self/ns/net", &facts)) ? facts.st_ino : 0;
}

Epitaph epitaph_of(const rusage& usage) {
  return {millis(usage.ru_utime) + millis(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

Service::Service(Watched watched, const Foundation& foundation)
    : watched_(std::move(watched)), foundation_(foundation) {}

void Service::run() {
  for (;;) {
    // Made ahead, used once: an empty network namespace takes longer than all the rest of a box.
    network_is_fresh_ = network_is_fresh_ || refresh_network();
    pollfd entries[] = {{watched_.control.get(), POLLIN, 0},
                        {watched_.children.get(), POLLIN, 0},
                        {watched_.owner.get(), POLLIN, 0}};
    if (::poll(entries, std::size(entries), -1) < 0 && errno != EINTR) return;
    if (entries[2].revents != 0) return;
    if (entries[1].revents != 0) bury();
    if (entries[0].revents != 0 && !take_order()) return;
  }
}

// Looked at as well: two boxes must not find each other in one network.
bool Service::refresh_network() {
  const ino_t before = own_network();
  if (!done(::unshare(CLONE_NEWNET))) return false;
  errno = EPERM;
  return own_network() != before;
}

bool Service::take_order() {
  Received received;
  return receive(received) && make_box(received);
}

bool Service::refuse(const char* step) const {
  Answer answer;
  answer.code = errno;
  ::strncpy(answer.failed_step.data(), step, answer.failed_step.size() - 1);
  return send_answer(watched_.control.get(), answer, -1);
}

bool Service::receive(Received& received) const {
  iovec part{&received.order, sizeof received.order};
  constexpr std::size_t kMostBytes = CMSG_SPACE(sizeof(int) * kMostOrderHandles);
  alignas(cmsghdr) std::array<char, kMostBytes> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const ssize_t count = ::recvmsg(watched_.control.get(), &message, MSG_CMSG_CLOEXEC);
  if (count != sizeof received.order) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return false;
  const std::size_t handles = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t index = 0; index < std::min(handles, kMostOrderHandles); ++index) {
    int handle = -1;
    ::memcpy(&handle, CMSG_DATA(header) + index * sizeof handle, sizeof handle);
    received.handles[index].reset(handle);
  }
  return received.handles[0].valid() && received.handles[1].valid();
}

// False when Lazaret cannot be told what has become of its order: it must not wait for an answer,
// and hears at once that the spawner has ended.
bool Service::make_box(Received& received) {
  auto& [wire, epitaph, cgroup] = received.handles;
  auto go = os::make_pipe();
  if (!go.ok()) return refuse("make a pipe");
  if (!network_is_fresh_ && !refresh_network()) return refuse("make a network namespace");
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                    CLONE_NEWCGROUP | kNewTime | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  if (received.order.in_cgroup) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(cgroup.get());
  }
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) {
    go->second.reset();
    become_box({foundation_, received.order, go->first.get()}, wire.get());
  }
  if (pid < 0) return refuse("make namespaces");
  const os::Handle first_process(pidfd);
  network_is_fresh_ = false;
  wards_.push_back({static_cast<pid_t>(pid), std::move(epitaph)});
  // In the spawner's eyes: the caller is 0 there, and the other two are what they are inside.
  const bool is_caller = foundation_.identity == HostIdentity::caller;
  if (!write_maps(static_cast<pid_t>(pid), is_caller ? 0 : kInsideId)) {
    const bool told = refuse("write id maps");
    (void)::kill(static_cast<pid_t>(pid), SIGKILL);
    return told;
  }
  (void)!::write(go->second.get(), "g", 1);
  return send_answer(watched_.control.get(), {}, first_process.get());
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
    wards_.erase(ward);
  }
}

}  // namespace lazaret::backend::native
