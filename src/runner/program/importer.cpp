#include "runner/program/importer.hpp"

#include <string_view>
#include <utility>

#include "base/split.hpp"
#include "base/try.hpp"
#include "os/pipe.hpp"

namespace lazaret::runner {
namespace {

constexpr const char* kRoot = "/work";
constexpr int kNotKnown = 5;  // EIO, of what has no number of its own

// The directory that the last name of the path belongs into, and that name.
Result<std::pair<os::Folder, std::string>> place_of(std::string_view path) {
  LAZARET_TRY(os::Folder folder, os::Folder::at(kRoot));
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    LAZARET_TRY(folder, folder.made_in(std::string(path.substr(0, slash))));
    path.remove_prefix(slash + 1);
  }
  return std::pair(std::move(folder), std::string(path));
}

}  // namespace

Status Importer::put(const Entry& entry) {
  if (entry.path == "." && entry.kind == Entry::Kind::directory) return {};
  LAZARET_TRY(const auto place, place_of(entry.path));
  const auto& [folder, name] = place;
  if (entry.kind == Entry::Kind::directory) {
    LAZARET_TRY(const os::Folder made, folder.made_in(name));
    return {};
  }
  if (entry.replaces) LAZARET_CHECK(folder.remove(name));
  if (entry.kind == Entry::Kind::link) return folder.link(name, entry.target);
  LAZARET_TRY(file_, folder.create(name, entry.executable));
  return {};
}

Status Importer::take(const Entry& entry) {
  if (due_ > 0 || entry.kind == Entry::Kind::other)
    return Error(Errc::protocol, "a file out of place");
  file_.reset();
  path_ = entry.path;
  if (entry.kind == Entry::Kind::file) due_ = entry.size;
  if (outcome_.os_error != 0) return {};
  const Status done = put(entry);
  if (!done.ok())
    outcome_ = {path_, done.error().os_error() != 0 ? done.error().os_error() : kNotKnown};
  return {};
}

Status Importer::take_data(Bytes content) {
  if (content.size() > due_) return Error(Errc::protocol, "more of a file than it has");
  due_ -= content.size();
  while (!content.empty() && outcome_.os_error == 0) {
    const auto count = os::write_now(file_.get(), content);
    if (!count.ok()) outcome_ = {path_, count.error().os_error()};
    if (count.ok()) content = content.subspan(*count);
  }
  return {};
}

Result<Placed> Importer::end() {
  if (due_ > 0) return Error(Errc::protocol, "a file that does not end");
  file_.reset();
  return std::exchange(outcome_, {});
}

}  // namespace lazaret::runner
