#include "backend/docker/seccomp_file.hpp"

#ifdef _WIN32

namespace lazaret::backend::docker {

Result<SeccompFile> SeccompFile::write(std::string_view, std::shared_ptr<const Leases>) {
  return Error(Errc::unsupported, "Podman reads seccomp profiles from its own machine's disk");
}
std::vector<SeccompDirectory> seccomp_directories(const std::filesystem::path&) { return {}; }
std::optional<SeccompDirectory> seccomp_directory(const std::filesystem::path&) {
  return std::nullopt;
}
Status remove_seccomp_directory(const std::filesystem::path&) { return {}; }
SeccompFile::~SeccompFile() = default;

}  // namespace lazaret::backend::docker

#else

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.hpp"
#include "base/number.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::docker {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kDirectoryMode = 0755, kFileMode = 0644;
constexpr std::string_view kPrefix = "lazaret-seccomp-";
constexpr const char* kFile = "seccomp.json";

// The name tells whose it is, as labels do of what an engine keeps.
Result<fs::path> fresh_path(const Instance& owner) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return Error(Errc::not_found, "there is no directory for temporary files");
  const std::string whose =
      std::to_string(owner.pid) + "-" + owner.namespaces + "-" + owner.started + "-";
  return base / (std::string(kPrefix) + whose + this_process().id);
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char letter : name) {
    if (letter == '-')
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

Status fill(const std::string& path, std::string_view profile) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const os::Handle file(::open(path.c_str(), kFlags, kFileMode));
  if (!file.valid()) return os::last_error("creating " + path);
  for (Bytes left = bytes_of(profile); !left.empty();) {
    LAZARET_TRY(const std::size_t count, os::write_now(file.get(), left));
    left = left.subspan(count);
  }
  // The umask may have taken away what the engine needs.
  if (::fchmod(file.get(), kFileMode) != 0) return os::last_error("fchmod " + path);
  return {};
}

}  // namespace

Result<SeccompFile> SeccompFile::write(std::string_view profile,
                                       std::shared_ptr<const Leases> leases) {
  LAZARET_TRY(fs::path directory, fresh_path(leases->owner()));
  // The same trouble is told of the container for which this is.
  (void)leases->intend(journal::Kind::directory, directory.string()).ok();
  const int made = ::mkdir(directory.c_str(), 0700);
  if (made != 0) {
    Error error = os::last_error("mkdir " + directory.string());
    leases->settle(journal::Kind::directory, directory.string());
    return error;
  }
  SeccompFile file(std::move(directory), std::move(leases));
  LAZARET_CHECK(fill(file.path(), profile));
  if (::chmod(file.directory_.c_str(), kDirectoryMode) != 0) {
    return os::last_error("chmod " + file.directory_.string());
  }
  return file;
}

SeccompFile::~SeccompFile() {
  if (directory_.empty()) return;
  if (remove_seccomp_directory(directory_).ok())
    leases_->settle(journal::Kind::directory, directory_.string());
}

std::optional<SeccompDirectory> seccomp_directory(const fs::path& path) {
  constexpr std::size_t kPid = 2, kNamespaces = 3, kStarted = 4, kParts = 6;
  const std::vector<std::string> parts = parts_of(path.filename().string());
  const bool ours = path.filename().string().starts_with(kPrefix) && parts.size() == kParts;
  const auto pid = ours ? parse_number(parts[kPid]) : std::nullopt;
  struct stat facts {};
  if (!pid || ::lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return std::nullopt;
  Instance owner;
  owner.pid = static_cast<std::uint32_t>(*pid);
  owner.namespaces = parts[kNamespaces];
  owner.started = parts[kStarted];
  owner.user = facts.st_uid;
  return SeccompDirectory{path, std::move(owner)};
}

std::vector<SeccompDirectory> seccomp_directories(const fs::path& base) {
  std::vector<SeccompDirectory> found;
  std::error_code error;
  for (fs::directory_iterator entry(base, error); entry != fs::directory_iterator();
       entry.increment(error)) {
    if (auto directory = seccomp_directory(entry->path())) found.push_back(std::move(*directory));
  }
  return found;
}

Status remove_seccomp_directory(const fs::path& directory) {
  if (::unlink((directory / kFile).c_str()) != 0 && errno != ENOENT)
    return os::last_error("removing " + (directory / kFile).string());
  if (::rmdir(directory.c_str()) != 0 && errno != ENOENT)
    return os::last_error("removing " + directory.string());
  return {};
}

}  // namespace lazaret::backend::docker

#endif
