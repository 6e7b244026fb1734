#include "runner/program/changer.hpp"

#include <utility>
#include <vector>

#include "base/try.hpp"
#include "os/folder.hpp"
#include "runner/program/place.hpp"

namespace lazaret::runner {
namespace {

bool is_directory(const os::Folder::Item& item) {
  return item.kind == os::Folder::Item::Kind::directory;
}

// A directory with all that is in it, however deep a program has made it: one at a time is open.
Status remove_tree(const os::Folder& above, const std::string& top) {
  std::vector<std::string> way = {top};
  LAZARET_TRY(os::Folder folder, above.unlocked(top));
  for (;;) {
    LAZARET_TRY(const auto item, folder.next());
    if (item && is_directory(*item)) {
      LAZARET_TRY(folder, folder.unlocked(item->name));
      way.push_back(item->name);
    } else if (item) {
      LAZARET_CHECK(folder.remove(item->name));
    } else if (way.size() == 1) {
      return above.remove_empty(top);
    } else {
      LAZARET_TRY(folder, folder.parent());
      LAZARET_CHECK(folder.remove_empty(way.back()));
      way.pop_back();
    }
  }
}

Status remove(const std::string& path) {
  LAZARET_TRY(const Place place, place_of(path, Missing::fail));
  LAZARET_TRY(const os::Folder::Item item, place.folder.item(place.name));
  return is_directory(item) ? remove_tree(place.folder, place.name)
                            : place.folder.remove(place.name);
}

Placed outcome_of(const std::string& path, const Status& done) {
  return done.ok() ? Placed{} : Placed{path, number_of(done.error())};
}

// Says which of both is at fault.
Placed move(const std::string& path, const std::string& target) {
  const auto from = place_of(path, Missing::fail);
  if (!from.ok()) return outcome_of(path, from.error());
  const auto item = from->folder.item(from->name);  // before anything is made
  if (!item.ok()) return outcome_of(path, item.error());
  const auto to = place_of(target, Missing::are_made);
  if (!to.ok()) return outcome_of(target, to.error());
  return outcome_of(target, from->folder.move(from->name, to->folder, to->name));
}

}  // namespace

Placed carry_out(const Change& change) {
  return change.kind == Change::Kind::move ? move(change.path, change.target)
                                           : outcome_of(change.path, remove(change.path));
}

}  // namespace lazaret::runner
