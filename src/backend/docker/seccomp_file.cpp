#include "backend/docker/seccomp_file.hpp"

#ifdef _WIN32

namespace lazaret::backend::docker {

Result<SeccompFile> SeccompFile::write(std::string_view) {
  return Error(Errc::unsupported, "Podman reads seccomp profiles from its own machine's disk");
}
SeccompFile::~SeccompFile() = default;

}  // namespace lazaret::backend::docker

#else

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr mode_t kDirectoryMode = 0755, kFileMode = 0644;

Result<std::filesystem::path> fresh_directory() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) return Error(Errc::not_found, "there is no directory for temporary files");
  std::string name = (base / "lazaret-seccomp-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return os::last_error("mkdtemp " + name);
  return std::filesystem::path(name);
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

Result<SeccompFile> SeccompFile::write(std::string_view profile) {
  LAZARET_TRY(std::filesystem::path directory, fresh_directory());
  SeccompFile file(std::move(directory));
  LAZARET_CHECK(fill(file.path(), profile));
  if (::chmod(file.directory_.c_str(), kDirectoryMode) != 0) {
    return os::last_error("chmod " + file.directory_.string());
  }
  return file;
}

SeccompFile::~SeccompFile() {
  if (directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(path(), ignored);
  std::filesystem::remove(directory_, ignored);
}

}  // namespace lazaret::backend::docker

#endif
