#include "os/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.hpp"

namespace lazaret::os {

Result<PlainFile> PlainFile::open(const std::filesystem::path& path, LastLink link) {
  const int links = link == LastLink::refuse ? O_NOFOLLOW : 0;
  Handle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | links));
  if (!file.valid() && errno == ELOOP && links != 0)
    return Error(Errc::invalid_argument, path.string() + " is a link");
  struct stat seen {};
  if (!file.valid() || ::fstat(file.get(), &seen) != 0) return last_error(path.string());
  if (!S_ISREG(seen.st_mode)) return Error(Errc::invalid_argument, path.string() + " is no file");
  return PlainFile(std::move(file), static_cast<std::uint64_t>(seen.st_size),
                   (seen.st_mode & S_IXUSR) != 0);
}

Result<PlainFile> PlainFile::create(const std::filesystem::path& path, bool executable) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Handle file(::open(path.c_str(), kNew, executable ? 0777 : 0666));
  if (!file.valid()) return last_error(path.string());
  return PlainFile(std::move(file), 0, executable);
}

Result<std::size_t> PlainFile::read(std::span<std::byte> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t count = ::read(handle_.get(), into.data() + filled, into.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return last_error("reading a file");
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

Status PlainFile::write(Bytes bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(handle_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return last_error("writing a file");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace lazaret::os
