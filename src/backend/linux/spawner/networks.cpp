#include "backend/linux/spawner/networks.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <utility>

#include "backend/linux/spawner/mounts.hpp"
#include "backend/linux/spawner/namespaces.hpp"
#include "backend/linux/spawner/step.hpp"

namespace lazaret::backend::native {
namespace {

constexpr const char* kOwn = "/proc/self/ns/net";
constexpr std::size_t kMostKept = 32;

// Looked at as well: two boxes must not find each other in one network.
bool enter(const os::Handle& network) {
  struct stat facts {};
  return done(::setns(network.get(), CLONE_NEWNET)) && done(::fstat(network.get(), &facts)) &&
         facts.st_ino == own_namespace(kOwn);
}

// Counts those too that are on their way in a message that nobody will receive (unix(7)).
bool holds_no_socket() { return file_says("/proc/self/net/sockstat", "sockets: used 0\n"); }

}  // namespace

os::Handle make_network() {
  if (!leave_namespace(CLONE_NEWNET, kOwn)) return {};
  return os::Handle(::open(kOwn, O_RDONLY | O_CLOEXEC));
}

Networks::Networks() : home_(own_namespace(kOwn)) {}

bool Networks::is_at_home() const { return home_ != 0 && own_namespace(kOwn) == home_; }

bool Networks::prepare() {
  if (!current_.valid() && !enter_used()) current_ = make_network();
  return current_.valid();
}

os::Handle Networks::hand_out() { return std::exchange(current_, os::Handle()); }

void Networks::take_back(os::Handle network) {
  if (network.valid() && used_.size() < kMostKept) used_.push_back(std::move(network));
}

bool Networks::enter_used() {
  while (!used_.empty()) {
    os::Handle network = std::move(used_.front());
    used_.erase(used_.begin());
    if (!enter(network) || !holds_no_socket()) continue;
    current_ = std::move(network);
    return true;
  }
  return false;
}

}  // namespace lazaret::backend::native
