#include "policy/mounts.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "policy/invalid.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

using namespace std::string_view_literals;

// The system's own, and where engines and sessions have their sockets. Neither these nor what is
// above or below them.
constexpr std::array kSystem = {
    "/bin"sv,
    "/boot"sv,
    "/dev"sv,
    "/etc"sv,
    "/lib"sv,
    "/proc"sv,
    "/root"sv,
    "/run"sv,
    "/sbin"sv,
    "/sys"sv,
    "/var/lib/docker"sv,
    "/var/run"sv,
    "/usr"sv,
    "/var/lib/containers"sv,
    "/var/lib/kubelet"sv,
    "/var/spool/cron"sv,
};
// Themselves, because others put there what is nobody's business; folders in them may be shared.
constexpr std::array kCrowded = {"/tmp"sv, "/var/tmp"sv, "/home"sv, "/var"sv};
// Wherever they stand.
constexpr std::array kSecrets = {
    ".ssh"sv,   ".gnupg"sv, ".aws"sv, ".azure"sv,   ".kube"sv,  ".docker"sv,         ".config"sv,
    ".netrc"sv, ".local"sv, ".pki"sv, ".mozilla"sv, ".vault"sv, ".password-store"sv, ".npm"sv,
};

constexpr std::string_view kPlace = "/mnt/";
constexpr std::size_t kLongestPlace = 64, kLongestSource = 1023;

bool is_plain(std::string_view component) {
  return !component.empty() && component != "." && component != "..";
}

bool is_place(std::string_view name) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return is_plain(name) && name.size() <= kLongestPlace &&
         name.find_first_not_of(kLetters) == name.npos;
}

Status check_target(std::string_view target) {
  if (target.starts_with(kPlace) && is_place(target.substr(kPlace.size()))) return {};
  return invalid("a directory cannot be seen at " + in_quotes(target))
      .with_hint("name a place in /mnt: /mnt/NAME, of letters, digits, dots, - and _");
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/" || path == folder) return true;
  return path.starts_with(folder) && path[folder.size()] == '/';
}

bool holds_secrets(std::string_view path) {
  for (std::string_view left = path; !left.empty();) {
    const std::size_t end = std::min(left.find('/'), left.size());
    if (std::count(kSecrets.begin(), kSecrets.end(), left.substr(0, end)) > 0) return true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return false;
}

// A home, whosever it is, and what is hidden at its top.
bool is_home_or_hidden(std::string_view path) {
  constexpr std::string_view kHomes = "/home/";
  if (!path.starts_with(kHomes)) return false;
  const std::size_t slash = path.find('/', kHomes.size());
  return slash == path.npos || path[slash + 1] == '.';
}

}  // namespace

bool is_never_shared(std::string_view path, std::string_view home) {
  const auto touches = [path](std::string_view place) {
    return lies_in(path, place) || lies_in(place, path);
  };
  // root's own home is in the list; below another's only what is not hidden at its top.
  const bool is_home = home.size() > 1 && lies_in(home, path);
  const bool is_hidden = home.size() > 1 && lies_in(path, home) && path.size() > home.size() + 1 &&
                         path[home.size() + 1] == '.';
  return std::any_of(kSystem.begin(), kSystem.end(), touches) ||
         std::count(kCrowded.begin(), kCrowded.end(), path) > 0 || holds_secrets(path) ||
         is_home_or_hidden(path) || is_home || is_hidden;
}

Error never_shared(std::string_view path) {
  return Error(Errc::permission_denied, in_quotes(path) + " is never shared")
      .with_hint(
          "the system's directories, homes, credentials and what is above them stay out; "
          "share a directory of the work itself");
}

Status check_source(std::string_view path) {
  const auto refused = [path] {
    return invalid(in_quotes(path) + " is not an absolute path without . and ..");
  };
  if (!path.starts_with('/') || path.size() > kLongestSource) return refused();
  if (path.find('\0') != path.npos) return refused();
  for (std::string_view left = path.substr(1); !left.empty();) {
    const std::size_t end = std::min(left.find('/'), left.size());
    if (!is_plain(left.substr(0, end)) || end + 1 == left.size()) return refused();
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

Status check_mounts(const std::vector<Mount>& mounts, const std::set<std::string>& allowed) {
  if (mounts.size() > kMostMounts) return Error(Errc::too_large, "more than 8 mounts");
  std::set<std::string> targets;
  for (const Mount& mount : mounts) {
    LAZARET_CHECK(check_source(mount.source));
    LAZARET_CHECK(check_target(mount.target));
    if (is_never_shared(mount.source, "")) return never_shared(mount.source);
    if (!targets.insert(mount.target).second) return invalid(mount.target + " is given twice");
    const bool may = std::ranges::any_of(
        allowed, [&mount](const std::string& folder) { return lies_in(mount.source, folder); });
    if (may) continue;
    return Error(Errc::permission_denied,
                 in_quotes(mount.source) + " lies in no directory that may be shared")
        .with_hint("mounts.allow of the user's or the system's configuration names them");
  }
  return {};
}

Result<Mount> parse_mount(std::string_view text) {
  Mount mount;
  if (text.ends_with(":rw")) mount.access = MountAccess::read_write;
  if (text.ends_with(":rw") || text.ends_with(":ro")) text.remove_suffix(3);
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) {
    return invalid("a mount is SOURCE:/mnt/NAME, with :ro or :rw behind it, not " +
                   in_quotes(text));
  }
  mount.source = text.substr(0, colon);
  mount.target = text.substr(colon + 1);
  return mount;
}

}  // namespace lazaret::policy
