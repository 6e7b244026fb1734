#include "backend/linux/cgroup_seat.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "backend/linux/cgroup_directory.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/linux/wait.hpp"

namespace lazaret::backend::native {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTake = "-memory -cpu -pids -io";
constexpr std::chrono::milliseconds kLockRetry{5};
constexpr std::chrono::seconds kLockBound{2};

// flock(2) on a cgroup's directory, as long as the handle lives. Who holds it for long is not one
// of us, and is not waited for.
os::Handle locked(const fs::path& directory) {
  os::Handle handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Call call = Call{}.within(kLockBound);
  while (::flock(handle.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
         call.check().ok()) {
    (void)os::wait_any({}, Call{}.within(kLockRetry)).ok();
  }
  return handle;
}

}  // namespace

// A row that cannot be written is told of by the boxes.
Result<CgroupSeat> CgroupSeat::take(const fs::path& directory, std::shared_ptr<CgroupRow> row) {
  if (row) (void)row->write().ok();
  const os::Handle lock = locked(directory);
  CgroupSeat seat;
  LAZARET_TRY(seat.claim_, make_cgroup(directory));
  seat.row_ = std::move(row);
  seat.owner_ = ::getpid();
  seat.directory_ = directory;
  const fs::path leaf = seat_in(directory);
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) {
    return os::last_error("making cgroup " + leaf.string());
  }
  if (const int error = write_cgroup_file(leaf / "cgroup.procs", "0"); error != 0) {
    return os::system_error("moving into cgroup " + leaf.string(), error);
  }
  return seat;
}

CgroupSeat::CgroupSeat(CgroupSeat&& other) noexcept
    : row_(std::move(other.row_)),
      owner_(other.owner_),
      directory_(std::exchange(other.directory_, {})),
      claim_(std::exchange(other.claim_, {})) {}

CgroupSeat& CgroupSeat::operator=(CgroupSeat&& other) noexcept {
  if (this != &other) {
    leave();
    row_ = std::move(other.row_);
    owner_ = other.owner_;
    directory_ = std::exchange(other.directory_, {});
    claim_ = std::exchange(other.claim_, {});
  }
  return *this;
}

CgroupSeat::~CgroupSeat() { leave(); }

// Whoever still uses the controllers has a directory of his own here, or was started by us and sits
// in our leaf: then all stays as it is, and the next run or the service manager clears it.
void CgroupSeat::leave() noexcept {
  if (directory_.empty() || owner_ != ::getpid()) return;
  // WHY the lock: who takes a seat now must not lose the controllers that we are about to take
  // away.
  const os::Handle lock = locked(directory_);
  (void)::rmdir(claim_.c_str());
  const fs::path leaf = seat_in(directory_);
  if (children_of(directory_) == std::vector<fs::path>{leaf} && holds_nobody_else(leaf)) {
    (void)write_cgroup_file(directory_ / "cgroup.subtree_control", kTake);
    (void)write_cgroup_file(directory_ / "cgroup.procs", "0");
    (void)::rmdir(leaf.c_str());
  }
  if (row_ && ::access(leaf.c_str(), F_OK) == 0) row_->keep();
  directory_.clear();
}

}  // namespace lazaret::backend::native
