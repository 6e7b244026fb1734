#include "policy/packages.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/invalid.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kMostPackages = 256, kLongestFile = 255;  // NAME_MAX
constexpr std::string_view kWheel = ".whl";

Error no_package(std::string_view path) {
  return invalid(in_quotes(path) + " is no file of a package, and there is no index to ask for one")
      .with_hint(
          "give a wheel (NAME-VERSION-PYTHON-ABI-PLATFORM.whl) or a source archive "
          "(NAME-VERSION.tar.gz), and those of all that it needs");
}

std::string_view stem_of_archive(std::string_view file) {
  for (const std::string_view end : {".tar.gz", ".zip"}) {
    if (file.ends_with(end)) return file.substr(0, file.size() - end.size());
  }
  return {};
}

// Versions of source archives hold no dash, and wheels write theirs as an underscore.
Result<PackageName> name_of_archive(std::string_view path, std::string_view stem) {
  const std::size_t dash = stem.rfind('-');
  if (dash == stem.npos || dash == 0 || dash + 1 == stem.size()) return no_package(path);
  return PackageName{std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

}  // namespace

Result<PackageName> package_named(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.size() > kLongestFile) return no_package(path);
  if (!file.ends_with(kWheel)) return name_of_archive(path, stem_of_archive(file));
  const auto parts = split(file.substr(0, file.size() - kWheel.size()), '-');
  const bool is_wheel = (parts.size() == 5 || parts.size() == 6) &&
                        std::ranges::none_of(parts, &std::string_view::empty);
  if (!is_wheel) return no_package(path);
  return PackageName{std::string(parts[0]), std::string(parts[1])};
}

Status check_packages(const ExecutionRequest& request, std::string_view language, bool keeps_box) {
  if (request.packages.empty()) return {};
  if (keeps_box) return invalid("the box of a session has no packages");
  if (language != "python") return invalid("there are packages for python, not for " +
                                           std::string(language));
  if (request.packages.size() > kMostPackages)
    return Error(Errc::too_large, "more than 256 packages");
  std::set<std::string_view> files;
  for (const std::string& path : request.packages) {
    if (!is_utf8(path) || path.find('\0') != path.npos) return no_package(printable(path, '?'));
    LAZARET_CHECK(package_named(path));
    const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
    if (!files.insert(file).second) return invalid(in_quotes(file) + " is given twice");
  }
  for (const Mount& mount : request.mounts) {
    if (mount.target == kPackages)
      return invalid(std::string(kPackages) + " is where the packages are");
  }
  return {};
}

}  // namespace lazaret::policy
