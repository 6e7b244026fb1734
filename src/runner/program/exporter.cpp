#include "runner/program/exporter.hpp"

#include <utility>

#include "base/split.hpp"
#include "base/try.hpp"
#include "os/pipe.hpp"

namespace lazaret::runner {
namespace {

constexpr std::size_t kDeepest = 64;  // of directories in each other; each is held open

Result<os::Folder> folder_at(const std::string& path) {
  LAZARET_TRY(os::Folder folder, os::Folder::at("/work"));
  if (path == ".") return folder;
  for (const std::string_view name : split(path, '/')) {
    LAZARET_TRY(folder, folder.in(std::string(name)));
  }
  return folder;
}

Entry::Kind kind_of(os::Folder::Item::Kind kind) {
  switch (kind) {
    case os::Folder::Item::Kind::file: return Entry::Kind::file;
    case os::Folder::Item::Kind::directory: return Entry::Kind::directory;
    case os::Folder::Item::Kind::link: return Entry::Kind::link;
    case os::Folder::Item::Kind::other: break;
  }
  return Entry::Kind::other;
}

}  // namespace

Exporter::Exporter(Get get) : get_(std::move(get)) {
  auto folder = folder_at(get_.path);
  if (folder.ok())
    levels_.push_back({std::move(folder).value(), ""});
  else
    got_.os_error = folder.error().os_error();
}

bool Exporter::step(Outbox& outbox) {
  if (file_.valid()) {
    carry_file(outbox);
    return true;
  }
  if (levels_.empty()) {
    outbox.put(FrameType::got, encode(got_));
    return false;
  }
  const auto item = levels_.back().folder.next();
  if (item.ok() && *item)
    put(**item, outbox);
  else
    levels_.pop_back();
  return true;
}

void Exporter::put(const os::Folder::Item& item, Outbox& outbox) {
  const Level& level = levels_.back();
  Entry entry{kind_of(item.kind), item.executable, item.size, level.path + item.name, {}};
  if (get_.most == 0 || entry.path.size() > kPathBytes) {
    ++got_.left_out;
    return;
  }
  if (entry.kind == Entry::Kind::link) {
    auto target = level.folder.target_of(item.name);
    if (target.ok()) entry.target = std::move(target).value();
  }
  if (entry.kind == Entry::Kind::file && get_.with_content) {
    auto file = level.folder.open(item.name);
    if (!file.ok()) {
      ++got_.left_out;
      return;
    }
    file_ = std::move(file).value();
  }
  --get_.most;
  outbox.put(FrameType::entry, encode(entry));
  if (entry.kind == Entry::Kind::directory) descend(level, item.name);
}

void Exporter::descend(const Level& level, const std::string& name) {
  auto folder = level.folder.in(name);
  if (!folder.ok() || levels_.size() == kDeepest) {
    ++got_.left_out;
    return;
  }
  std::string path = level.path + name + "/";
  levels_.push_back({std::move(folder).value(), std::move(path)});
}

// Its end is an empty frame: how long it is may have changed since.
void Exporter::carry_file(Outbox& outbox) {
  const auto count = os::read_now(file_.get(), outbox.reserve());
  const std::size_t size = count.ok() && *count ? **count : 0;
  if (!count.ok()) ++got_.left_out;  // its rest
  outbox.commit(FrameType::entry_data, size);
  if (size > 0) return;
  outbox.put(FrameType::entry_data, {});
  file_.reset();
}

bool has_something_in(const std::string& path) {
  auto folder = folder_at(path);
  if (!folder.ok()) return false;
  const auto item = folder->next();
  return item.ok() && item->has_value();
}

}  // namespace lazaret::runner
