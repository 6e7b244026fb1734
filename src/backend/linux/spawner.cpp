#include "backend/linux/spawner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <algorithm>
#include <string>
#include <string_view>

#include "backend/linux/control.hpp"
#include "backend/linux/refusal.hpp"
#include "backend/linux/service_manager.hpp"
#include "backend/linux/spawner_image.hpp"
#include "backend/linux/subordinate.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/system_file.hpp"
#include "os/linux/wait.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::chrono::seconds kStartBound{10};
constexpr std::chrono::seconds kAnswerBound{5};
constexpr std::chrono::seconds kEndBound{5};
constexpr std::chrono::seconds kEpitaphBound{1};
constexpr std::chrono::milliseconds kBetweenLooks{20};
constexpr int kControlInside = 3;

constexpr const char* kStartHint =
    "/proc must be mounted, and a process that has changed its user without executing a program "
    "must be made dumpable first (prctl PR_SET_DUMPABLE); an AppArmor profile that confines this "
    "program must let it execute a file in memory (flags=(attach_disconnected) and the rule / ix), "
    "and so must sysctl vm.memfd_noexec, which may be 0 or 1";

// Away from the number that the control socket takes in the child.
Result<os::Handle> above_control(os::Handle from) {
  os::Handle moved(::fcntl(from.get(), F_DUPFD_CLOEXEC, kControlInside + 1));
  if (!moved.valid()) return os::last_error("fcntl F_DUPFD_CLOEXEC");
  return moved;
}

// In memory and sealed: there is no file to be replaced, and no box can write to it.
Result<os::Handle> sealed_program() {
  // Since Linux 6.3 an administrator may want to be told who executes files in memory (sysctl
  // vm.memfd_noexec); older kernels do not know the word.
  constexpr unsigned kExecutable = 0x10;
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  os::Handle first(::memfd_create("lazaret-spawner", kFlags | kExecutable));
  if (!first.valid() && errno == EINVAL) first.reset(::memfd_create("lazaret-spawner", kFlags));
  if (!first.valid()) return os::last_error("memfd_create");
  LAZARET_TRY(os::Handle file, above_control(std::move(first)));
  for (Bytes left = spawner_image(); !left.empty();) {
    LAZARET_TRY(const std::size_t count, os::write_now(file.get(), left));
    left = left.subspan(count);
  }
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return os::last_error("sealing the spawner");
  return file;
}

// The program that we are part of may reap our child before us: only a descriptor names it (P-05).
Result<os::Handle> descriptor_of(pid_t pid) {
  os::Handle pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) return os::last_error("pidfd_open of the spawner");
  return pidfd;
}

// posix_spawn(3) neither copies our memory nor runs anything of ours in the child.
Result<pid_t> execute(const os::Handle& program, const os::Handle& control) {
  const std::string path = "/proc/self/fd/" + std::to_string(program.get());
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, control.get(), kControlInside);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  char name[] = "lazaret-spawner";
  char* const argv[] = {name, nullptr};
  char* const environment[] = {nullptr};
  pid_t pid = -1;
  const int code = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, argv, environment);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    return os::system_error("starting the spawner from " + path, code).with_hint(kStartHint);
  return pid;
}

// One small write to a file of /proc; the kernel takes id maps only whole.
Status write_proc(pid_t pid, const char* name, const std::string& text) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const os::Handle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return os::last_error("opening " + path);
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return os::last_error("writing " + path);
  }
  return {};
}

// Without help an ordinary user has one id to give (user_namespaces(7)): setgroups must be denied
// before it may be written.
Status map_caller(pid_t pid) {
  LAZARET_CHECK(write_proc(pid, "setgroups", "deny"));
  LAZARET_CHECK(write_proc(pid, "gid_map", "0 " + std::to_string(::getegid()) + " 1"));
  return write_proc(pid, "uid_map", "0 " + std::to_string(::geteuid()) + " 1");
}

Status write_maps(pid_t pid, const Identity& identity, const Call& call) {
  switch (identity.kind) {
    case HostIdentity::nobody: return {};
    case HostIdentity::subordinate:
      return map_subordinate(pid, kInsideId, {identity.user, identity.group}, call);
    case HostIdentity::caller: return map_caller(pid);
  }
  return {};
}

Status say(int control, std::span<const std::byte> message, std::span<const int> handles) {
  if (!send_message(control, message, handles)) return os::last_error("asking the spawner");
  return {};
}

Status checked(const Answer& answer) {
  const std::string step(answer.failed_step.data());
  if (step.empty()) return {};
  Error error = os::system_error("making the box: " + step, answer.code);
  return std::move(error).with_hint(way_out(step, answer.code, traits_of_host()));
}

// The answer, and the descriptor that came with it, if one did.
Result<os::Handle> answer_of(int control, const Call& call) {
  LAZARET_CHECK(os::wait_for(control, POLLIN, call));
  Answer answer;
  os::Handle handle;
  const ssize_t count = receive_message(control, std::as_writable_bytes(std::span(&answer, 1)),
                                        std::span(&handle, 1));
  if (count != sizeof answer) return Error(Errc::connection_lost, "the spawner ended");
  LAZARET_CHECK(checked(answer));
  return handle;
}

// pidfd_open(2): /proc/self/fdinfo tells the number in our own pid namespace.
Result<pid_t> number_of(const os::Handle& pidfd) {
  const std::string path = "/proc/self/fdinfo/" + std::to_string(pidfd.get());
  const std::string text = os::text_of_system_file(AT_FDCWD, path.c_str());
  constexpr std::string_view kField = "\nPid:";
  const std::size_t found = text.find(kField);
  const auto pid = os::number_at(text, std::min(found, text.size()) + kField.size(), 10);
  if (found == text.npos || !pid || *pid == 0)  // "-1" once it is over
    return Error(Errc::system, "the box's first process is gone already");
  return static_cast<pid_t>(*pid);
}

}  // namespace

Result<std::unique_ptr<Spawner>> Spawner::begin(const Identity& identity) {
  LAZARET_TRY(const os::Handle program, sealed_program());
  LAZARET_TRY(auto ends, control_pair());
  const os::Handle folder = folder_of_thread();
  if (!folder.valid()) return os::last_error("opening /proc/thread-self").with_hint(kStartHint);
  LAZARET_CHECK(say(ends.first.get(), raw(Start{::getpid(), identity}), {}));
  LAZARET_TRY(const pid_t pid, execute(program, ends.second));
  LAZARET_TRY(os::Handle process, descriptor_of(pid));
  return std::unique_ptr<Spawner>(new Spawner(identity, namespaces_of(folder), pid,
                                              std::move(process), std::move(ends.first)));
}

Status Spawner::lay_ground(const Foundation& foundation, const CgroupBase& callers,
                           const Call& call) {
  foundation_ = foundation;
  // Before it forks: its child, which clones the boxes, is born there.
  if (callers.directory.empty() || callers.managed) scope_ = scope_of(pid_, callers, call);
  const Call bounded = call.within(kStartBound);
  LAZARET_CHECK(answer_of(control_.get(), bounded));
  if (const Status mapped = write_maps(pid_, foundation.identity, bounded); !mapped.ok()) {
    const Error& error = mapped.error();
    return Error(error).with_hint(way_out("write id maps", error.os_error(), traits_of_host()));
  }
  LAZARET_CHECK(say(control_.get(), raw(foundation_), {}));
  own_ = namespaces_of(folder_of(pid_));  // while it lays the ground
  LAZARET_CHECK(answer_of(control_.get(), bounded));
  return {};
}

const CgroupBase& Spawner::better_of(const CgroupBase& callers) const noexcept {
  const bool no_scope = scope_.directory.empty();
  return no_scope && !callers.directory.empty() ? callers : scope_;
}

bool Spawner::holds_like(const Spawner& other) const noexcept {
  return foundation_.identity.kind == other.foundation_.identity.kind &&
         scope_.directory.empty() == other.scope_.directory.empty();
}

// A dozen stat(2): not for each of many boxes at once.
bool Spawner::is_stale() const {
  const auto now = std::chrono::steady_clock::now();
  if (now < looked_at_.load() + kBetweenLooks) return false;
  if (!still_holds(foundation_)) return true;
  looked_at_ = now;
  return false;
}

bool Spawner::is_spent() const {
  pollfd entry{process_.get(), POLLIN, 0};
  return retired_ || ::getpid() != owner_ || ::poll(&entry, 1, 0) > 0;
}

// Closing the socket ends the spawner, and with it every box that is left; one that has owed us an
// answer, or the end of a box, is not waited for. A fork of the program that we are part of has a
// copy of us, but no say.
Spawner::~Spawner() {
  control_.reset();
  if (::getpid() != owner_) return;
  const auto gone_within = [this](std::chrono::seconds span) {
    return os::wait_for(process_.get(), POLLIN, Call{}.within(span)).ok();
  };
  if (!gone_within(retired_ ? std::chrono::seconds(0) : kEndBound)) {
    (void)::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
    (void)gone_within(kEndBound);
  }
  siginfo_t info{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info, WEXITED | WNOHANG);
}

// A late answer could not be told from the next, so that one that was missed is the last; the
// socket stays open all the same, since its end would be that of the boxes that are running.
Result<os::Handle> Spawner::converse(const Order& order, std::span<const int> handles,
                                     const Call& call) {
  LAZARET_TRY(const Turn::Held turn, conversation_.take(call));
  if (retired_ || ::getpid() != owner_)
    return Error(Errc::connection_lost, "the spawner is not there for this process any more");
  const Status sent = say(control_.get(), raw(order), handles);
  if (!sent.ok()) retired_ = true;
  LAZARET_CHECK(sent);
  auto answer = answer_of(control_.get(), call.within(kAnswerBound));
  const bool missed = !answer.ok() && (answer.error().code() == Errc::timed_out ||
                                       answer.error().code() == Errc::cancelled ||
                                       answer.error().code() == Errc::connection_lost);
  if (missed) retired_ = true;
  return answer;
}

Result<Launched> Spawner::make(const Order& order, const Belongings& belongings, const Call& call) {
  LAZARET_TRY(auto epitaph, os::make_pipe());
  std::vector<int> handles = {belongings.wire, epitaph.second.get()};
  for (const int more : {belongings.cgroup, belongings.exit}) {
    if (more >= 0) handles.push_back(more);
  }
  Launched launched;
  LAZARET_TRY(launched.pidfd, converse(order, handles, call));
  launched.epitaph = std::move(epitaph.first);
  LAZARET_TRY(launched.pid, number_of(launched.pidfd));
  return launched;
}

Status Spawner::let_go(const Launched& last) {
  const Status killed = kill_first(last);
  (void)::shutdown(control_.get(), SHUT_RDWR);
  return killed;
}

// The kernel ends a pid namespace with its first process and waits for the rest (P-03, P-05).
Status kill_first(const Launched& launched) {
  if (::syscall(SYS_pidfd_send_signal, launched.pidfd.get(), SIGKILL, nullptr, 0) != 0 &&
      errno != ESRCH) {
    return os::last_error("pidfd_send_signal");
  }
  return {};
}

Status end(const Launched& launched, const Call& call) {
  LAZARET_CHECK(kill_first(launched));
  LAZARET_CHECK(
      os::wait_for(launched.pidfd.get(), POLLIN, call).within("waiting for the box to end"));
  // It is over. A spawner that has been stopped does not say what it took; that is all that is
  // lost.
  (void)os::wait_for(launched.epitaph.get(), POLLIN, call.within(kEpitaphBound)).ok();
  return {};
}

}  // namespace lazaret::backend::native
