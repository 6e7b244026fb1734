#include "os/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "os/error.hpp"

namespace lazaret::os {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_single(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

Status check(const std::string& name) {
  return is_single(name) ? Status() : system_error("a name in a directory", EINVAL);
}

Folder::Item::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Folder::Item::Kind::file;
  if (S_ISDIR(mode)) return Folder::Item::Kind::directory;
  return S_ISLNK(mode) ? Folder::Item::Kind::link : Folder::Item::Kind::other;
}

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// Reads the names by a descriptor of its own, which closedir(3) closes.
class Folder::Names {
 public:
  explicit Names(int descriptor) : stream_(::fdopendir(descriptor)) {
    if (stream_ == nullptr) ::close(descriptor);
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  ~Names() {
    if (stream_ != nullptr) ::closedir(stream_);
  }

  // Null at the end, with errno 0.
  const char* next() {
    errno = stream_ == nullptr ? EBADF : 0;
    const dirent* found = stream_ == nullptr ? nullptr : ::readdir(stream_);
    while (found != nullptr && !is_single(found->d_name)) found = ::readdir(stream_);
    return found == nullptr ? nullptr : found->d_name;
  }

 private:
  DIR* stream_;
};

Folder::Folder(Handle handle) : handle_(std::move(handle)) {}
Folder::Folder(Folder&& other) noexcept = default;
Folder& Folder::operator=(Folder&& other) noexcept = default;
Folder::~Folder() = default;

Result<Folder> Folder::at(const std::string& path) {
  Handle handle(::open(path.c_str(), kDirectory));
  if (!handle.valid()) return last_error("opening " + path);
  return Folder(std::move(handle));
}

Result<Folder> Folder::in(const std::string& name) const {
  LAZARET_CHECK(check(name));
  Handle handle(::openat(handle_.get(), name.c_str(), kDirectory));
  if (!handle.valid()) return last_error("opening " + name);
  return Folder(std::move(handle));
}

Result<Folder> Folder::parent() const {
  Handle handle(::openat(handle_.get(), "..", kDirectory));
  if (!handle.valid()) return last_error("opening the directory above");
  return Folder(std::move(handle));
}

// chmod(2) would follow a link: what is not a directory is not touched. The system call itself,
// since libc's function has flags that nobody here wants.
Result<Folder> Folder::unlocked(const std::string& name) const {
  LAZARET_TRY(const Item found, item(name));
  if (found.kind != Item::Kind::directory) return system_error("opening " + name, ENOTDIR);
  if (::syscall(SYS_fchmodat, handle_.get(), name.c_str(), 0700) != 0)
    return last_error("unlocking " + name);
  return in(name);
}

Result<Folder> Folder::made_in(const std::string& name) const {
  LAZARET_CHECK(check(name));
  if (::mkdirat(handle_.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
    return last_error("making " + name);
  return in(name);
}

Result<Handle> Folder::create(const std::string& name, bool executable) const {
  LAZARET_CHECK(check(name));
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Handle file(::openat(handle_.get(), name.c_str(), kNew, executable ? 0755 : 0644));
  if (!file.valid()) return last_error("creating " + name);
  return file;
}

Result<Handle> Folder::open(const std::string& name, std::uint64_t offset) const {
  LAZARET_TRY(Handle file, open_file(name, O_RDONLY));
  if (::lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    return last_error("reading " + name);
  return file;
}

Result<Handle> Folder::append(const std::string& name) const {
  return open_file(name, O_WRONLY | O_APPEND);
}

// Without waiting, should somebody have put a fifo in the file's place.
Result<Handle> Folder::open_file(const std::string& name, int how) const {
  LAZARET_CHECK(check(name));
  constexpr int kAlways = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Handle file(::openat(handle_.get(), name.c_str(), how | kAlways));
  struct stat seen {};
  if (!file.valid() || ::fstat(file.get(), &seen) != 0) return last_error("opening " + name);
  if (!S_ISREG(seen.st_mode)) return system_error("opening " + name, EINVAL);
  return file;
}

Status Folder::remove(const std::string& name) const {
  LAZARET_CHECK(check(name));
  if (::unlinkat(handle_.get(), name.c_str(), 0) != 0 && errno != ENOENT)
    return last_error("removing " + name);
  return {};
}

Status Folder::remove_empty(const std::string& name) const {
  LAZARET_CHECK(check(name));
  if (::unlinkat(handle_.get(), name.c_str(), AT_REMOVEDIR) != 0)
    return last_error("removing " + name);
  return {};
}

// By its number: not every C library has a function for it.
Status Folder::move(const std::string& name, const Folder& to, const std::string& new_name) const {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  LAZARET_CHECK(check(name));
  LAZARET_CHECK(check(new_name));
  if (::syscall(SYS_renameat2, handle_.get(), name.c_str(), to.handle_.get(), new_name.c_str(),
                kNoReplace) != 0)
    return last_error("moving " + name);
  return {};
}

Status Folder::link(const std::string& name, const std::string& target) const {
  LAZARET_CHECK(check(name));
  if (::symlinkat(target.c_str(), handle_.get(), name.c_str()) != 0)
    return last_error("linking " + name);
  return {};
}

Result<std::string> Folder::target_of(const std::string& name) const {
  LAZARET_CHECK(check(name));
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlinkat(handle_.get(), name.c_str(), target.data(), target.size());
  if (size < 0) return last_error("reading " + name);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<Folder::Item> Folder::item(const std::string& name) const {
  LAZARET_CHECK(check(name));
  struct stat seen {};
  if (::fstatat(handle_.get(), name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0)
    return last_error("looking at " + name);
  const Item::Kind kind = kind_of(seen.st_mode);
  const bool is_file = kind == Item::Kind::file;
  return Item{name, kind, is_file && (seen.st_mode & S_IXUSR) != 0,
              is_file ? static_cast<std::uint64_t>(seen.st_size) : 0,
              is_file ? nanoseconds_of(seen.st_ctim) : 0};
}

Result<std::optional<Folder::Item>> Folder::next() {
  if (names_ == nullptr) names_ = std::make_unique<Names>(::openat(handle_.get(), ".", kDirectory));
  const char* const name = names_->next();
  if (name == nullptr && errno != 0) return last_error("reading a directory");
  if (name == nullptr) return std::optional<Item>();
  auto found = item(name);
  if (!found.ok()) return std::optional<Item>({name, Item::Kind::other});
  return std::optional<Item>(std::move(found).value());
}

}  // namespace lazaret::os
