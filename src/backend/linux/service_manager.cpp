#include "backend/linux/service_manager.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "backend/linux/cgroup_directory.hpp"
#include "backend/linux/observe.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/linux/library.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::chrono::milliseconds kBound{500};
constexpr std::chrono::milliseconds kLookAgain{2};

// sd-bus(3). Its header is not needed to build Lazaret, and its library is loaded by those alone
// who ask (docs/decisions/0008).
struct Bus;
struct Message;
struct BusError {
  const char* name = nullptr;
  const char* message = nullptr;
  int must_be_freed = 0;
};

struct Library {
  int (*bus_new)(Bus**);
  int (*set_address)(Bus*, const char*);
  int (*start)(Bus*);
  int (*is_ready)(Bus*);
  int (*process)(Bus*, Message**);
  int (*wait)(Bus*, std::uint64_t micros);
  int (*descriptor)(Bus*);
  Bus* (*close)(Bus*);
  int (*method_call)(Bus*, Message**, const char* destination, const char* path,
                     const char* interface, const char* member);
  int (*append)(Message*, const char* types, ...);
  int (*call)(Bus*, Message*, std::uint64_t micros, BusError*, Message** reply);
  Message* (*unref)(Message*);
  void (*free_error)(BusError*);
};

Result<Library> load() {
  void* const handle = os::open_library("libsystemd.so.0");
  Library library{};
  const bool whole =
      handle != nullptr && os::find_function(handle, "sd_bus_new", library.bus_new) &&
      os::find_function(handle, "sd_bus_set_address", library.set_address) &&
      os::find_function(handle, "sd_bus_start", library.start) &&
      os::find_function(handle, "sd_bus_is_ready", library.is_ready) &&
      os::find_function(handle, "sd_bus_process", library.process) &&
      os::find_function(handle, "sd_bus_wait", library.wait) &&
      os::find_function(handle, "sd_bus_get_fd", library.descriptor) &&
      os::find_function(handle, "sd_bus_close_unref", library.close) &&
      os::find_function(handle, "sd_bus_message_new_method_call", library.method_call) &&
      os::find_function(handle, "sd_bus_message_append", library.append) &&
      os::find_function(handle, "sd_bus_call", library.call) &&
      os::find_function(handle, "sd_bus_message_unref", library.unref) &&
      os::find_function(handle, "sd_bus_error_free", library.free_error);
  if (!whole) return Error(Errc::unsupported, "libsystemd.so.0 is not installed");
  return library;
}

// sd-bus answers what failed as a negative errno.
Status done(int answer, const char* what) {
  if (answer < 0) return os::system_error(what, -answer);
  return {};
}

std::uint64_t micros_left(const Call& call) {
  return static_cast<std::uint64_t>(call.deadline.left().value_or(kBound).count()) * 1000;
}

std::string socket_of_manager() {
  if (::geteuid() == 0) return "/run/systemd/private";
  return "/run/user/" + std::to_string(::geteuid()) + "/systemd/private";
}

// A manager of another pid namespace would take our number for another process.
Status shares_numbers(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return os::last_error("SO_PEERCRED");
  const auto theirs = namespace_of(peer.pid, "pid");
  if (theirs && theirs == namespace_of(::getpid(), "pid")) return {};
  return Error(Errc::unsupported, "the service manager is in another pid namespace");
}

/// A conversation with the service manager.
class Manager {
 public:
  static Result<Manager> open(const Library& library, const Call& call) {
    Bus* bus = nullptr;
    LAZARET_CHECK(done(library.bus_new(&bus), "sd_bus_new"));
    Manager manager(library, bus);
    const std::string path = socket_of_manager();
    LAZARET_CHECK(done(library.set_address(bus, ("unix:path=" + path).c_str()), "its address"));
    LAZARET_CHECK(done(library.start(bus), path.c_str()));
    LAZARET_CHECK(manager.await_greeting(call));
    LAZARET_CHECK(shares_numbers(library.descriptor(bus)));
    return manager;
  }

  /// StartTransientUnit of org.freedesktop.systemd1(5).
  Status start_scope(const std::string& name, pid_t pid, const Call& call) {
    constexpr const char* kSystemd = "org.freedesktop.systemd1";
    Message* message = nullptr;
    LAZARET_CHECK(
        done(library_.method_call(bus_.get(), &message, kSystemd, "/org/freedesktop/systemd1",
                                  "org.freedesktop.systemd1.Manager", "StartTransientUnit"),
             "making a message"));
    const std::unique_ptr<Message, Message* (*)(Message*)> owned(message, library_.unref);
    constexpr int kProperties = 4, kPids = 1, kYes = 1, kAuxiliaryUnits = 0;
    LAZARET_CHECK(
        done(library_.append(message, "ssa(sv)a(sa(sv))", name.c_str(), "fail", kProperties,
                             "Description", "s", "boxes of Lazaret", "PIDs", "au", kPids,
                             static_cast<std::uint32_t>(pid), "Delegate", "b", kYes, "CollectMode",
                             "s", "inactive-or-failed", kAuxiliaryUnits),
             "making a message"));
    BusError error;
    const int answer = library_.call(bus_.get(), message, micros_left(call), &error, nullptr);
    const std::string words = error.message != nullptr ? error.message : "StartTransientUnit";
    library_.free_error(&error);
    return done(answer, words.c_str());
  }

 private:
  Manager(const Library& library, Bus* bus) : library_(library), bus_(bus, library.close) {}

  // sd_bus_call(3) alone would wait for it as long as it likes.
  Status await_greeting(const Call& call) {
    while (library_.is_ready(bus_.get()) == 0) {
      LAZARET_CHECK(call.check());
      const int moved = library_.process(bus_.get(), nullptr);
      LAZARET_CHECK(done(moved, "greeting"));
      if (moved == 0) LAZARET_CHECK(done(library_.wait(bus_.get(), micros_left(call)), "greeting"));
    }
    return done(library_.is_ready(bus_.get()), "greeting");
  }

  Library library_;
  std::unique_ptr<Bus, Bus* (*)(Bus*)> bus_;
};

// The manager answers when it has taken the order; the kernel shows when it is done.
Status await_move(pid_t pid, const std::string& name, const Call& call) {
  for (;;) {
    const auto cgroup = cgroup_of(pid);
    if (cgroup && cgroup->filename() == name) return {};
    LAZARET_CHECK(call.check());
    (void)os::wait_any({}, Call{}.within(kLookAgain)).ok();
  }
}

// What the row takes is no time of the manager's.
Status start_scope(pid_t pid, CgroupRow* row, const Call& call) {
  LAZARET_TRY(const Library library, load());
  LAZARET_TRY(Manager manager, Manager::open(library, call.within(kBound)));
  if (row != nullptr) (void)row->write().ok();
  const std::string name = scope_name(pid);
  const Call ordered = call.within(kBound);
  LAZARET_CHECK(ordered.check());
  LAZARET_CHECK(manager.start_scope(name, pid, ordered));
  return await_move(pid, name, ordered);
}

}  // namespace

CgroupBase scope_of(pid_t pid, const CgroupBase& callers, const Call& call) {
  const bool booted = ::access("/run/systemd/system", F_OK) == 0;  // sd_booted(3)
  if (!booted || !unified_mount()) return {{}, callers.why_not, {}};
  const Status started = start_scope(pid, callers.row.get(), call);
  CgroupBase base = started.ok() ? cgroup_base_of(pid, callers.row)
                                 : CgroupBase{{}, started.error().message(), {}};
  if (base.directory.empty())
    base.why_not = callers.why_not + "; asked for a scope: " + base.why_not;
  return base;
}

}  // namespace lazaret::backend::native
