#include "backend/linux/native_box.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/linux/observe.hpp"
#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::chrono::seconds kEndBound{5};

std::uint64_t millis(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
         static_cast<std::uint64_t>(time.tv_usec) / 1000;
}

}  // namespace

NativeBox::~NativeBox() { (void)kill(Call{}.within(kEndBound)).ok(); }

Status NativeBox::kill(const Call& call) {
  if (collected_) return {};
  LAZARET_CHECK(end(parts_.launched, call));
  collect();
  return {};
}

Status NativeBox::dispose(const Call& call) {
  LAZARET_CHECK(kill(call));
  return parts_.cgroup ? parts_.cgroup->remove(call) : Status();
}

// waitid(2) by descriptor: the number may belong to somebody else by now, the descriptor never
// does.
void NativeBox::collect() {
  siginfo_t info{};
  rusage usage{};
  Usage seen;
  const long waited =
      ::syscall(SYS_waitid, P_PIDFD, parts_.launched.pidfd.get(), &info, WEXITED, &usage);
  if (waited == 0) {
    seen.cpu_ms = millis(usage.ru_utime) + millis(usage.ru_stime);
    seen.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    seen.source = "rusage";
  }
  collected_ = seen;
}

Autopsy NativeBox::autopsy(const Call& call) {
  Autopsy autopsy;
  const bool ended = kill(call).ok();
  if (collected_) autopsy.usage = *collected_;
  if (!ended) autopsy.survivors = processes_in(parts_.pid_namespace);
  if (parts_.cgroup) parts_.cgroup->examine(autopsy);
  return autopsy;
}

}  // namespace lazaret::backend::native
