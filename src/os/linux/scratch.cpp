#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "os/folder.hpp"
#include "os/init.hpp"

namespace lazaret::os {
namespace {

constexpr std::array kScratch = {"/work", "/tmp", "/dev/shm"};

// For files of one size, and when the last of them was changed.
class Search {
 public:
  explicit Search(std::uint64_t size) : size_(size) {}

  void look_in(Folder folder, std::size_t deep) {
    constexpr std::size_t kDeepest = 64;
    constexpr std::size_t kMostItems = 10'000;
    for (;;) {
      const auto item = folder.next();
      if (!item.ok() || !item->has_value() || ++seen_ > kMostItems) return;
      take(**item);
      if ((*item)->kind != Folder::Item::Kind::directory || deep == kDeepest) continue;
      auto inner = folder.in((*item)->name);
      if (inner.ok()) look_in(std::move(*inner), deep + 1);
    }
  }
  [[nodiscard]] std::int64_t newest_ns() const { return newest_ns_; }

 private:
  void take(const Folder::Item& item) {
    if (item.kind != Folder::Item::Kind::file || item.size != size_) return;
    newest_ns_ = std::max(newest_ns_, item.changed_ns);
  }

  std::uint64_t size_;
  std::int64_t newest_ns_ = 0;
  std::size_t seen_ = 0;
};

// What it cannot write to is not full by its doing.
std::uint32_t shortage() {
  std::uint32_t seen = 0, bit = 1;
  for (const char* const path : kScratch) {
    struct statfs facts {};
    if (::statfs(path, &facts) != 0 || (facts.f_flags & MS_RDONLY) != 0) continue;
    if (facts.f_bfree == 0 && facts.f_blocks != 0) seen |= bit;
    if (facts.f_ffree == 0 && facts.f_files != 0) seen |= bit << 3U;
    bit <<= 1U;
  }
  return seen;
}

}  // namespace

// A write beyond the limit is cut to it, so that such a file has its size.
std::int64_t largest_file_ns() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return 0;
  Search search(limit.rlim_max);
  for (const char* const path : kScratch) {
    auto folder = Folder::at(path);
    if (folder.ok()) search.look_in(std::move(*folder), 0);
  }
  return search.newest_ns();
}

ScratchState scratch_state() {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  return {shortage(), std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

}  // namespace lazaret::os
