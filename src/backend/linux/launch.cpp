#include "backend/linux/launch.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "base/try.hpp"
#include "base/undo.hpp"
#include "os/error.hpp"
#include "os/linux/wait.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::native {
namespace {

constexpr const char* kNamespaceHint =
    "this kernel or host refuses unprivileged user namespaces; on Debian: sysctl "
    "kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 load an AppArmor profile that allows "
    "userns for this program; in a container: run it with --security-opt seccomp=unconfined, or "
    "use "
    "--type docker";

Result<os::Handle> high(int descriptor) {
  os::Handle moved(::fcntl(descriptor, F_DUPFD_CLOEXEC, 10));
  if (!moved.valid()) return os::last_error("fcntl F_DUPFD_CLOEXEC");
  return moved;
}

// One small write to a file of /proc; the kernel takes id maps only whole.
Status write_proc(pid_t pid, const char* name, const std::string& text) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const os::Handle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return os::last_error("opening " + std::string(name));
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return os::last_error("writing " + std::string(name));
  }
  return {};
}

std::string map_of(std::uint32_t inside, std::uint32_t outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

// user_namespaces(7): without privilege setgroups must be denied before a gid map may be written.
Status write_maps(pid_t pid, const ChildPlan& plan, const LaunchOptions& options) {
  if (!plan.clear_groups) LAZARET_CHECK(write_proc(pid, "setgroups", "deny"));
  LAZARET_CHECK(write_proc(pid, "gid_map", map_of(plan.gid, options.host_gid)));
  return write_proc(pid, "uid_map", map_of(plan.uid, options.host_uid));
}

Result<Launched> clone_child(const ChildPlan& plan, int cgroup) {
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                    CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  if (cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  }
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) enter_box(plan);
  if (pid < 0) return os::last_error("making namespaces (clone3)").with_hint(kNamespaceHint);
  return Launched{static_cast<pid_t>(pid), os::Handle(pidfd)};
}

// The report pipe closes on exec; anything that comes through it is a failure.
Status await_exec(int report, const Call& call) {
  LAZARET_CHECK(os::wait_for(report, POLLIN, call));
  StepFailure failure{};
  const ssize_t count = ::read(report, &failure, sizeof failure);
  if (count == 0) return {};
  if (count != sizeof failure) return Error(Errc::system, "the box died while it was made");
  return os::system_error(std::string("making the box: ") + name_of_step(failure.step),
                          failure.code);
}

struct Channels {
  std::pair<os::Handle, os::Handle> go;
  std::pair<os::Handle, os::Handle> report;
};

Result<Channels> open_channels(ChildPlan& plan) {
  Channels channels;
  LAZARET_TRY(channels.go, os::make_pipe());
  LAZARET_TRY(channels.report, os::make_pipe());
  LAZARET_TRY(channels.go.first, high(channels.go.first.get()));
  LAZARET_TRY(channels.report.second, high(channels.report.second.get()));
  plan.go = channels.go.first.get();
  plan.report = channels.report.second.get();
  return channels;
}

Status let_go(Channels& channels) {
  if (::write(channels.go.second.get(), "g", 1) != 1) return os::last_error("waking the box");
  return {};
}

}  // namespace

Result<Launched> launch(ChildPlan plan, const LaunchOptions& options, const Call& call) {
  LAZARET_TRY(Channels channels, open_channels(plan));
  LAZARET_TRY(Launched launched, clone_child(plan, options.cgroup));
  channels.report.second.reset();
  Undo undo;
  undo.add([&launched] {
    (void)end(launched, Call{}.within(std::chrono::seconds(5))).ok();
    (void)::waitpid(launched.pid, nullptr, WNOHANG);
  });
  LAZARET_CHECK(write_maps(launched.pid, plan, options));
  LAZARET_CHECK(let_go(channels));
  LAZARET_CHECK(await_exec(channels.report.first.get(), call));
  undo.release();
  return launched;
}

Status end(const Launched& launched, const Call& call) {
  // The kernel ends a pid namespace with its first process and waits for the rest (P-03, P-05).
  if (::syscall(SYS_pidfd_send_signal, launched.pidfd.get(), SIGKILL, nullptr, 0) != 0 &&
      errno != ESRCH) {
    return os::last_error("pidfd_send_signal");
  }
  return os::wait_for(launched.pidfd.get(), POLLIN, call).within("waiting for the box to end");
}

}  // namespace lazaret::backend::native
