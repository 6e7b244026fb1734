#include "backend/linux/native_box.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "backend/linux/observe.hpp"
#include "base/try.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::chrono::seconds kKillBound{5};
constexpr std::chrono::seconds kNoTime{0};

}  // namespace

// A fork of the program that we are part of has a copy of us, but no say.
NativeBox::~NativeBox() {
  if (::getpid() == owner_ && !let_go_) (void)kill(Call{}.within(kKillBound)).ok();
}

Status NativeBox::kill(const Call& call) {
  if (collected_) return {};
  const Status ended = end(parts_.launched, is_stuck_ ? call.within(kNoTime) : call);
  if (!ended.ok() && ended.error().code() == Errc::timed_out) {
    is_stuck_ = true;
    parts_.spawner->retire();
  }
  LAZARET_CHECK(ended);
  collect();
  return {};
}

Currency NativeBox::currency(const Call&) const {
  const bool is_current =
      !parts_.spawner->is_stale() && std::ranges::all_of(parts_.shared, is_as_seen);
  return is_current ? Currency::current : Currency::outdated;
}

// What cannot be told now is told by who waits for the end. One that shows directories has a
// spawner of its own, which ends beside it.
void NativeBox::doom() noexcept {
  if (::getpid() != owner_) return;
  (void)(parts_.shared.empty() ? kill_first(parts_.launched)
                               : parts_.spawner->let_go(parts_.launched));
}

// The last box and its spawner are cleared away side by side.
Status NativeBox::dispose(const Call& call) {
  if (parts_.is_last) {
    let_go_ = true;
    return parts_.spawner->let_go(parts_.launched);
  }
  LAZARET_CHECK(kill(call));
  return parts_.cgroup ? parts_.cgroup->remove(call) : Status();
}

// At the end of the stream the spawner is dead, the box with it, and nobody has counted; nor has
// one that was stopped.
void NativeBox::collect() {
  Epitaph epitaph;
  Usage seen;
  const int source = parts_.launched.epitaph.get();
  const bool told = os::wait_for(source, POLLIN, Call{}.within(kNoTime)).ok();
  if (told && ::read(source, &epitaph, sizeof epitaph) == sizeof epitaph) {
    seen.cpu_ms = epitaph.cpu_ms;
    seen.peak_memory_bytes = epitaph.peak_memory_bytes;
    seen.source = "rusage";
  }
  collected_ = seen;
}

Autopsy NativeBox::autopsy(const Call& call) {
  Autopsy autopsy;
  const bool ended = kill(call).ok();
  if (collected_) autopsy.usage = *collected_;
  // With the first process of its namespace the kernel has ended all (pid_namespaces(7)); otherwise
  // there is one at least, that one, which an ordinary user cannot even look at.
  if (!ended) autopsy.survivors = std::max(1U, processes_in(parts_.pid_namespace));
  if (parts_.cgroup) {
    parts_.cgroup->examine(autopsy);
    autopsy.survivors = std::max(autopsy.survivors, parts_.cgroup->processes());
  }
  return autopsy;
}

// Without a cgroup only root sees the box's first process, and can leave it out of the count.
std::optional<std::uint32_t> NativeBox::others() {
  std::optional<std::uint32_t> all;
  if (parts_.cgroup)
    all = parts_.cgroup->processes();
  else if (::geteuid() == 0)
    all = processes_in(parts_.pid_namespace);
  if (!all || *all == 0) return std::nullopt;
  return *all - 1;
}

std::optional<Autopsy> NativeBox::counters() {
  Autopsy seen;
  if (parts_.cgroup) parts_.cgroup->examine(seen);
  return seen;
}

}  // namespace lazaret::backend::native
