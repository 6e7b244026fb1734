#include "runner/program/place.hpp"

#include <utility>

#include "base/try.hpp"

namespace lazaret::runner {

Result<Place> place_of(std::string_view path, Missing directories) {
  LAZARET_TRY(os::Folder folder, os::Folder::at(kRoot));
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    const std::string name(path.substr(0, slash));
    LAZARET_TRY(folder, directories == Missing::fail ? folder.in(name) : folder.made_in(name));
    path.remove_prefix(slash + 1);
  }
  return Place{std::move(folder), std::string(path)};
}

}  // namespace lazaret::runner
