#include "runner/program/exporter.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/pipe.hpp"
#include "runner/program/place.hpp"

namespace lazaret::runner {
namespace {

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
  const Status begun = begin();
  if (begun.ok()) return;
  got_.os_error = number_of(begun.error());
  lone_.reset();
}

// Of "." and of a path that ends with '/' nothing is left after the last one.
Status Exporter::begin() {
  const bool is_piece = get_.content == Get::Content::piece;
  LAZARET_TRY(Place place, place_of(get_.path == "." ? "" : get_.path, Missing::fail));
  if (!place.name.empty()) {
    LAZARET_TRY(lone_, place.folder.item(place.name));
    // A socket and a fifo would be opened with trouble of their own.
    if (is_piece && lone_->kind != os::Folder::Item::Kind::file)
      return os::system_error("a piece of what is no file", EINVAL);
    if (is_piece) {
      LAZARET_TRY(file_, place.folder.open(place.name, get_.offset));
      if (get_.length > 0) file_left_ = get_.length;
    }
    if (lone_->kind == os::Folder::Item::Kind::directory) {
      lone_.reset();
      LAZARET_TRY(place.folder, place.folder.in(place.name));
    }
  }
  levels_.push_back({std::move(place.folder), ""});
  return {};
}

bool Exporter::step(Outbox& outbox) {
  if (lone_) {
    put(*std::exchange(lone_, std::nullopt), outbox);
    levels_.clear();
    return true;
  }
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
    file_.reset();
    return;
  }
  if (entry.kind == Entry::Kind::link) {
    auto target = level.folder.target_of(item.name);
    if (target.ok()) entry.target = std::move(target).value();
  }
  if (entry.kind == Entry::Kind::file && get_.content == Get::Content::whole) {
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
  const auto room = outbox.reserve();
  const std::size_t most = std::min<std::uint64_t>(room.size(), file_left_);
  const auto count = os::read_now(file_.get(), room.first(most));
  const std::size_t size = count.ok() && *count ? **count : 0;
  file_left_ -= size;
  if (!count.ok()) ++got_.left_out;  // its rest
  outbox.commit(FrameType::entry_data, size);
  if (size > 0) return;
  outbox.put(FrameType::entry_data, {});
  file_.reset();
}

bool has_something_in(const std::string& path) {
  auto place = place_of(path, Missing::fail);
  if (!place.ok()) return false;
  auto folder = place->folder.in(place->name);
  if (!folder.ok()) return false;
  const auto item = folder->next();
  return item.ok() && item->has_value();
}

}  // namespace lazaret::runner
