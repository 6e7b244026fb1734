#include "runner/program/importer.hpp"

#include <utility>

#include "base/try.hpp"
#include "os/pipe.hpp"
#include "runner/program/place.hpp"

namespace lazaret::runner {

Status Importer::put(const Entry& entry) {
  if (entry.path == "." && entry.kind == Entry::Kind::directory) return {};
  LAZARET_TRY(const Place place, place_of(entry.path, Missing::are_made));
  const auto& [folder, name] = place;
  if (entry.kind == Entry::Kind::directory) {
    LAZARET_TRY(const os::Folder made, folder.made_in(name));
    return {};
  }
  if (entry.existing == Entry::Existing::gives_way) LAZARET_CHECK(folder.remove(name));
  if (entry.kind == Entry::Kind::link) return folder.link(name, entry.target);
  const bool grows = entry.existing == Entry::Existing::grows && folder.item(name).ok();
  LAZARET_TRY(file_, grows ? folder.append(name) : folder.create(name, entry.executable));
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
  if (!done.ok()) outcome_ = {path_, number_of(done.error())};
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
