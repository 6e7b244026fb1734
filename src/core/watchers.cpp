#include "core/watchers.hpp"

#include <iterator>
#include <utility>

#include "policy/box_path.hpp"

namespace lazaret {

std::string_view name_of(FileChange::Kind kind) noexcept {
  switch (kind) {
    case FileChange::Kind::begun: return "begun";
    case FileChange::Kind::created: return "created";
    case FileChange::Kind::written: return "written";
    case FileChange::Kind::removed: return "removed";
    case FileChange::Kind::moved: return "moved";
    case FileChange::Kind::missed: return "missed";
  }
  return "";
}

namespace core {
namespace {

// That nobody has taken.
constexpr std::size_t kMostChanges = 4096, kMostNameBytes = 1UL << 20;

const FileChange kMissed{FileChange::Kind::missed, false, {}, {}};

bool is_name(const std::string& path) { return path.empty() || policy::is_below(path); }

// Names that lead elsewhere are none that a runner of ours has seen.
FileChange change_of(const runner::Event& event) {
  if (!is_name(event.path) || !is_name(event.target)) return kMissed;
  constexpr FileChange::Kind kKinds[] = {FileChange::Kind::begun,   FileChange::Kind::created,
                                         FileChange::Kind::written, FileChange::Kind::removed,
                                         FileChange::Kind::moved,   FileChange::Kind::missed};
  return {kKinds[static_cast<std::size_t>(event.kind)], event.is_directory, event.path,
          event.target};
}

bool is_at_or_below(const std::string& name, const std::string& path) {
  return name == path || name.starts_with(path + "/");
}

}  // namespace

std::vector<FileChange> Watchers::Watcher::wait(std::chrono::steady_clock::time_point at,
                                                const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  (void)came_.wait_until(lock, stop, at, [this] { return !changes_.empty(); });
  std::deque<FileChange> taken = std::exchange(changes_, {});
  bytes_ = 0;
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

void Watchers::Watcher::add(const FileChange& change) {
  if (!concerns(change, path_)) return;
  const std::scoped_lock lock(mutex_);
  bytes_ += change.path.size() + change.target.size();
  if (changes_.size() < kMostChanges && bytes_ <= kMostNameBytes)
    changes_.push_back(change);
  else if (!changes_.empty())
    changes_.back() = kMissed;
  came_.notify_one();
}

// Whoever comes asks the box anew.
std::shared_ptr<Watchers::Watcher> Watchers::join(const std::string& path) {
  auto watcher = std::make_shared<Watcher>(path);
  const std::scoped_lock lock(mutex_);
  failure_.reset();
  std::erase_if(all_, [](const auto& other) { return other.expired(); });
  all_.push_back(watcher);
  if (has_begun_) watcher->add({FileChange::Kind::begun, false, {}, {}});
  return watcher;
}

void Watchers::tell(const runner::Event& event) {
  const std::scoped_lock lock(mutex_);
  const bool begins = event.kind == runner::Event::Kind::begun;
  if (begins && event.os_error != 0) failure_ = event.os_error;
  if (begins && (event.os_error != 0 || std::exchange(has_begun_, true))) return;
  const FileChange change = change_of(event);
  for (const auto& one : all_) {
    if (const auto watcher = one.lock()) watcher->add(change);
  }
}

std::optional<int> Watchers::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

bool concerns(const FileChange& change, const std::string& path) {
  if (path == "." || change.path.empty()) return true;
  return is_at_or_below(change.path, path) || is_at_or_below(change.target, path);
}

}  // namespace core
}  // namespace lazaret
