#include "policy/packages.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/invalid.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kMostPackages = 256, kLongestFile = 255;  // NAME_MAX
constexpr std::string_view kWheel = ".whl", kNpm = ".tgz";
constexpr std::string_view kDigits = "0123456789";
// What PEP 427, PEP 625 and npm's own packer put into names, and no more.
constexpr std::string_view kInFileNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+!-";

Error no_package(std::string_view path, std::string_view language) {
  const bool is_python = language == "python";
  return invalid(in_quotes(printable(path, '?')) +
                 " is no file of a package, and there is no index to ask for one")
      .with_hint((is_python ? "give a wheel (NAME-VERSION-PYTHON-ABI-PLATFORM.whl) or a source "
                              "archive (NAME-VERSION.tar.gz)"
                            : "give what `npm pack` makes (NAME-VERSION.tgz)") +
                 std::string(", and those of all that it needs"));
}

std::string_view without(std::string_view file, std::string_view end) {
  return file.ends_with(end) ? file.substr(0, file.size() - end.size()) : std::string_view();
}

// The parts before and behind a dash; nothing where one of them is empty.
std::optional<PackageName> parted(std::string_view stem, std::size_t dash) {
  if (dash == stem.npos || dash == 0 || dash + 1 == stem.size()) return std::nullopt;
  return PackageName{std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

// Versions of source archives hold no dash, and wheels write theirs as an underscore.
std::optional<PackageName> name_for_python(std::string_view file) {
  if (const auto stem = without(file, kWheel); !stem.empty()) {
    const auto parts = split(stem, '-');
    const bool is_wheel = (parts.size() == 5 || parts.size() == 6) &&
                          std::ranges::none_of(parts, &std::string_view::empty);
    if (!is_wheel) return std::nullopt;
    return PackageName{std::string(parts[0]), std::string(parts[1])};
  }
  const auto stem = std::max(without(file, ".tar.gz"), without(file, ".zip"));
  return parted(stem, stem.rfind('-'));
}

// A version begins with a digit and a dot, and may hold dashes behind that.
std::optional<PackageName> name_for_javascript(std::string_view file) {
  const std::string_view stem = without(file, kNpm);
  for (std::size_t dash = stem.find('-'); dash != stem.npos; dash = stem.find('-', dash + 1)) {
    const std::size_t dot = stem.find_first_not_of(kDigits, dash + 1);
    if (dot != stem.npos && dot > dash + 1 && stem[dot] == '.') return parted(stem, dash);
  }
  return std::nullopt;
}

}  // namespace

Result<PackageName> package_named(std::string_view path, std::string_view language) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const bool is_plain = file.size() <= kLongestFile && !file.starts_with('.') &&
                        file.find_first_not_of(kInFileNames) == file.npos;
  if (!is_plain) return no_package(path, language);
  auto named = language == "python" ? name_for_python(file) : name_for_javascript(file);
  if (!named) return no_package(path, language);
  return std::move(*named);
}

Status check_packages(const ExecutionRequest& request, std::string_view language, bool keeps_box) {
  if (request.packages.empty()) return {};
  if (keeps_box) return invalid("the box of a session has no packages");
  if (language != "python" && language != "javascript")
    return invalid("there are packages for python and javascript, not for " +
                   std::string(language));
  if (request.packages.size() > kMostPackages)
    return Error(Errc::too_large, "more than 256 packages");
  std::set<std::string_view> files;
  for (const std::string& path : request.packages) {
    if (path.find('\0') != path.npos) return invalid("a path holds a NUL byte");
    LAZARET_CHECK(package_named(path, language));
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
