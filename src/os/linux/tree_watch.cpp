#include "os/tree_watch.hpp"

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/try.hpp"
#include "os/error.hpp"

namespace lazaret::os {
namespace {

using Event = TreeWatch::Event;

constexpr std::size_t kMostDirectories = 1024;
constexpr std::size_t kMostFound = 4096;  // events of what lies in a directory that has come
constexpr std::uint32_t kWanted = IN_CREATE | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

std::string joined(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string(name) : directory + "/" + std::string(name);
}

bool is_in(const std::string& path, const std::string& directory) {
  return path == directory ||
         (path.size() > directory.size() && path.starts_with(directory) &&
          path[directory.size()] == '/');
}

}  // namespace

struct TreeWatch::Raw {
  int watch = -1;
  std::uint32_t mask = 0;
  std::uint32_t cookie = 0;

  [[nodiscard]] bool is_directory() const { return (mask & IN_ISDIR) != 0; }
};

Result<TreeWatch> TreeWatch::begin(const std::string& root) {
  Handle inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify.valid()) return last_error("inotify_init1");
  TreeWatch watch(std::move(inotify), root);
  if (watch.add("") != Added::anew) return last_error("inotify_add_watch " + root);
  watch.add_below("", nullptr);
  return watch;
}

// Both halves of a move come one after the other, but not always at once.
std::vector<Event> TreeWatch::take() {
  constexpr int kMoment = 5;  // ms
  std::vector<Event> seen;
  read(seen);
  if (pollfd entry{inotify_.get(), POLLIN, 0};
      departure_.cookie != 0 && ::poll(&entry, 1, kMoment) == 1)
    read(seen);
  settle(seen);
  if (has_lost_) begin_anew();
  return seen;
}

void TreeWatch::read(std::vector<Event>& seen) {
  alignas(inotify_event) std::array<char, 16UL << 10> buffer;
  const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
  for (ssize_t at = 0; at < size;) {
    inotify_event event;
    std::memcpy(&event, buffer.data() + at, sizeof event);
    const char* const name = buffer.data() + at + sizeof event;
    at += static_cast<ssize_t>(sizeof event + event.len);
    see({event.wd, event.mask, event.cookie}, {name, ::strnlen(name, event.len)}, seen);
  }
}

// What was lost may have been of directories: all of them are looked for.
void TreeWatch::begin_anew() {
  Handle inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  is_blind_ = is_blind_ || !inotify.valid();
  has_lost_ = false;
  if (!inotify.valid()) return;
  inotify_ = std::move(inotify);
  directories_.clear();
  if (add("") == Added::anew) add_below("", nullptr);
}

// One that has gone meanwhile, or is no directory, is nothing to be blind to.
TreeWatch::Added TreeWatch::add(const std::string& path) {
  const int watch = ::inotify_add_watch(inotify_.get(), joined(root_, path).c_str(), kWanted);
  if (watch < 0 && (errno == ENOENT || errno == ENOTDIR)) return Added::gone;
  const auto had = std::erase_if(
      directories_, [watch](const auto& entry) { return entry.first == watch; });
  if (watch < 0 || directories_.size() >= kMostDirectories) {
    if (watch >= 0) (void)::inotify_rm_watch(inotify_.get(), watch);
    is_blind_ = true;
    return Added::refused;
  }
  directories_.emplace_back(watch, path);
  return had > 0 ? Added::again : Added::anew;
}

// A directory that has come, and what is in it.
void TreeWatch::take_in(const std::string& path, std::vector<Event>* found) {
  const Added added = add(path);
  if (added == Added::anew) add_below(path, found);
  if (added == Added::refused && found != nullptr)
    found->push_back({Event::Kind::missed, true, path, {}});
}

// What is found is told only of directories that have come since.
void TreeWatch::add_below(const std::string& path, std::vector<Event>* found) {
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    look_into(next, open, found);
  }
}

void TreeWatch::look_into(const std::string& path, std::vector<std::string>& open,
                          std::vector<Event>* found) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(joined(root_, path).c_str()),
                                                   &::closedir);
  is_blind_ = is_blind_ || (!folder && errno != ENOENT && errno != ENOTDIR);
  if (!folder) return;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string there = joined(path, name);
    if (found != nullptr && found->size() >= kMostFound) {
      is_blind_ = true;  // to directories that come behind
      found->push_back({Event::Kind::missed, true, path, {}});
      return;
    }
    const bool is_directory = entry->d_type == DT_DIR;
    if (found != nullptr) found->push_back({Event::Kind::created, is_directory, there, {}});
    if (found != nullptr && entry->d_type == DT_REG)
      found->push_back({Event::Kind::written, false, there, {}});
    const Added added = is_directory ? add(there) : Added::again;
    if (added == Added::anew) open.push_back(there);
    if (added == Added::refused && found != nullptr)
      found->push_back({Event::Kind::missed, true, there, {}});
  }
}

void TreeWatch::see(const Raw& raw, std::string_view name, std::vector<Event>& seen) {
  const bool goes_on = (raw.mask & IN_MOVED_TO) != 0 && raw.cookie == departure_.cookie;
  if (!goes_on) settle(seen);
  if ((raw.mask & IN_Q_OVERFLOW) != 0) seen.push_back({Event::Kind::missed, false, {}, {}});
  has_lost_ = has_lost_ || (raw.mask & IN_Q_OVERFLOW) != 0;
  const std::string* const directory = directory_of(raw.watch);
  if (directory == nullptr) return;
  if ((raw.mask & IN_IGNORED) != 0) {
    std::erase_if(directories_, [&raw](const auto& entry) { return entry.first == raw.watch; });
    return;
  }
  const std::string path = joined(*directory, name);
  if ((raw.mask & IN_MOVED_FROM) != 0) departure_ = {raw.cookie, path, raw.is_directory()};
  if ((raw.mask & IN_DELETE) != 0)
    seen.push_back({Event::Kind::removed, raw.is_directory(), path, {}});
  if ((raw.mask & IN_CLOSE_WRITE) != 0) seen.push_back({Event::Kind::written, false, path, {}});
  if ((raw.mask & (IN_CREATE | IN_MOVED_TO)) != 0) see_arrival(raw, path, seen);
}

// Where a directory has gone is looked at all the same: another one may have its old name by now.
void TreeWatch::see_arrival(const Raw& raw, const std::string& path, std::vector<Event>& seen) {
  const bool is_moved = (raw.mask & IN_MOVED_TO) != 0 && raw.cookie == departure_.cookie;
  if (is_moved) {
    seen.push_back({Event::Kind::moved, raw.is_directory(), departure_.path, path});
    if (raw.is_directory()) rename_below(departure_.path, path);
    departure_ = {};
  } else {
    seen.push_back({Event::Kind::created, raw.is_directory(), path, {}});
  }
  if (raw.is_directory()) take_in(path, &seen);
}

void TreeWatch::rename_below(const std::string& from, const std::string& to) {
  for (auto& [watch, path] : directories_) {
    if (is_in(path, from)) path = to + path.substr(from.size());
  }
}

void TreeWatch::forget_below(const std::string& gone) {
  for (const auto& [watch, path] : directories_) {
    if (is_in(path, gone)) (void)::inotify_rm_watch(inotify_.get(), watch);
  }
  std::erase_if(directories_, [&gone](const auto& entry) { return is_in(entry.second, gone); });
}

// What has gone and come nowhere that is watched.
void TreeWatch::settle(std::vector<Event>& seen) {
  if (departure_.cookie == 0) return;
  seen.push_back({Event::Kind::removed, departure_.is_directory, departure_.path, {}});
  if (departure_.is_directory) forget_below(departure_.path);
  departure_ = {};
}

const std::string* TreeWatch::directory_of(int watch) const {
  const auto found = std::find_if(directories_.begin(), directories_.end(),
                                  [watch](const auto& entry) { return entry.first == watch; });
  return found == directories_.end() ? nullptr : &found->second;
}

}  // namespace lazaret::os
