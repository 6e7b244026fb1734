#include "policy/packages.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/invalid.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kMostPackages = 256, kLongestFile = 255;  // NAME_MAX
constexpr std::string_view kWheel = ".whl", kNpm = ".tgz";
constexpr std::string_view kDigits = "0123456789";
// What PEP 427, PEP 625 and npm's own packer put into names, and no more.
constexpr std::string_view kInFileNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+!-";

Error no_package(std::string_view path, std::string_view language) {
  return invalid(in_quotes(printable(path, '?')) + " is no file of a package")
      .with_hint(language == "python"
                     ? "give a wheel (NAME-VERSION-PYTHON-ABI-PLATFORM.whl), a source archive "
                       "(NAME-VERSION.tar.gz), or what an index is asked for (NAME==VERSION)"
                     : "give what `npm pack` makes (NAME-VERSION.tgz), or what an index is asked "
                       "for (NAME@VERSION)");
}

// What is no option, no address and no path to those who read it; they know the grammar.
constexpr std::string_view kInNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::string_view kForPython = "[],=<>~!*+";
constexpr std::string_view kForNpm = "@^~<>=*+";
constexpr std::size_t kLongestWish = 256, kLongestHost = 253;
// Of files, which a word without a path must not be taken for.
constexpr std::string_view kArchives[] = {".gz", ".bz2", ".xz", ".zip", ".tar", ".tgz", ".whl"};

bool consists_of(std::string_view text, std::string_view letters, std::string_view more = "") {
  return std::ranges::all_of(text, [letters, more](char letter) {
    return letters.find(letter) != letters.npos || more.find(letter) != more.npos;
  });
}

// "@SCOPE/NAME" is npm's.
std::string_view without_scope(std::string_view wanted) {
  const std::size_t slash = wanted.find('/');
  const bool is_scoped = wanted.starts_with('@') && slash != wanted.npos && slash > 1 &&
                         consists_of(wanted.substr(1, slash - 1), kInNames);
  return is_scoped ? wanted.substr(slash + 1) : wanted;
}

Status check_wish(std::string_view wanted, std::string_view language) {
  const bool is_python = language == "python";
  const std::string_view rest = is_python ? wanted : without_scope(wanted);
  const bool begins_well = !rest.empty() && kInNames.find(rest.front()) < kInNames.size() - 3;
  const bool is_archive = std::ranges::any_of(
      kArchives, [wanted](std::string_view ending) { return wanted.ends_with(ending); });
  if (wanted.size() <= kLongestWish && begins_well && !is_archive &&
      consists_of(rest, kInNames, is_python ? kForPython : kForNpm))
    return {};
  return no_package(wanted, language);
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

bool is_source(std::string_view file) {
  return !file.ends_with(kWheel) && !file.ends_with(kNpm);
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

// Each file once; and no source archive where an index is asked.
Status check_words(const std::vector<std::string>& words, std::string_view language) {
  std::set<std::string_view> files;
  std::string_view source;
  for (const std::string& word : words) {
    if (word.find('\0') != word.npos) return invalid("a path holds a NUL byte");
    if (!is_package_file(word, language)) {
      LAZARET_CHECK(check_wish(word, language));
      continue;
    }
    LAZARET_CHECK(package_named(word, language));
    const std::string_view file = std::string_view(word).substr(word.rfind('/') + 1);
    if (!files.insert(file).second) return invalid(in_quotes(file) + " is given twice");
    if (is_source(file)) source = file;
  }
  if (source.empty() || files.size() == words.size()) return {};
  return invalid(in_quotes(source) + " would be built where an index can be asked")
      .with_hint("give a wheel of it: pip wheel --no-deps " + std::string(source));
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

bool is_package_file(std::string_view word, std::string_view language) {
  const bool is_path = word.find('/') != word.npos;
  if (language != "python") return word.ends_with(kNpm) || (is_path && !word.starts_with('@'));
  return is_path || word.ends_with(kWheel) || word.ends_with(".tar.gz") || word.ends_with(".zip");
}

bool is_package_wish(std::string_view word) {
  return check_wish(word, "python").ok() || check_wish(word, "javascript").ok();
}

Status check_package_host(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view host = text.substr(0, colon);
  const std::string_view port = colon == text.npos ? "443" : text.substr(colon + 1);
  std::uint16_t number = 0;
  const auto read = std::from_chars(port.begin(), port.end(), number);
  const bool is_port = read.ec == std::errc() && read.ptr == port.end() && number > 0;
  if (is_port && !host.empty() && host.size() <= kLongestHost && consists_of(host, kInNames))
    return {};
  return invalid(in_quotes(text) + " is neither HOST nor HOST:PORT");
}

bool is_exact(std::string_view wanted, std::string_view language) {
  if (language == "python") {
    const std::size_t at = wanted.find("==");
    return at != wanted.npos && consists_of(wanted.substr(at + 2), kInNames, "+!");
  }
  const std::string_view rest = without_scope(wanted);
  const std::size_t at = rest.find('@');
  if (at == rest.npos || at + 1 == rest.size()) return false;
  const std::string_view version = rest.substr(at + 1);
  return kDigits.find(version.front()) != kDigits.npos &&
         std::ranges::count(version, '.') >= 2 && consists_of(version, kInNames, "+") &&
         version.find_first_of("xX") == version.npos;
}

Status check_packages(const ExecutionRequest& request, std::string_view language) {
  if (request.packages.empty()) return {};
  if (language != "python" && language != "javascript")
    return invalid("there are packages for python and javascript, not for " +
                   std::string(language));
  if (request.packages.size() > kMostPackages)
    return Error(Errc::too_large, "more than 256 packages");
  LAZARET_CHECK(check_words(request.packages, language));
  for (const Mount& mount : request.mounts) {
    if (mount.target == kPackages)
      return invalid(std::string(kPackages) + " is where the packages are");
  }
  return {};
}

}  // namespace lazaret::policy
