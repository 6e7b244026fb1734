#include "os/private_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/handle.hpp"

namespace lazaret::os {
namespace {

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || !folder.has_relative_path())
    return last_error("making " + folder.string());
  LAZARET_CHECK(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return last_error("making " + folder.string());
  return {};
}

Status require_private(int handle, const fs::path& path, const char* mode) {
  struct stat facts {};
  if (::fstat(handle, &facts) != 0) return last_error("looking at " + path.string());
  if (facts.st_uid != ::geteuid())
    return Error(Errc::permission_denied, path.string() + " is another user's");
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return Error(Errc::permission_denied, path.string() + " is open to other users")
      .with_hint(std::string("chmod ") + mode + " " + path.string());
}

Result<Handle> private_folder(const fs::path& folder) {
  LAZARET_CHECK(make_folder(folder));
  Handle inside(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inside.valid()) return last_error("opening " + folder.string());
  LAZARET_CHECK(require_private(inside.get(), folder, "0700"));
  return inside;
}

}  // namespace

Status make_private_folder(const fs::path& folder) {
  const auto made = private_folder(folder);
  return made.ok() ? Status() : Status(made.error());
}

// By handles, so that what was looked at is what is used; whose folder this is decides who can put
// another into its place.
Status make_private_file(const fs::path& file) {
  LAZARET_TRY(const Handle inside, private_folder(file.parent_path()));
  const std::string name = file.filename().string();
  // WHY it is not opened: closing a file takes all locks of this process on it, those of another
  // connection to a database among them (fcntl(2)).
  if (::mknodat(inside.get(), name.c_str(), S_IFREG | 0600, 0) != 0 && errno != EEXIST)
    return last_error("making " + file.string());
  const Handle seen(::openat(inside.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!seen.valid() || ::fstat(seen.get(), &facts) != 0)
    return last_error("looking at " + file.string());
  if (!S_ISREG(facts.st_mode))
    return Error(Errc::permission_denied, file.string() + " is not a file of its own");
  return require_private(seen.get(), file, "0600");
}

Result<Handle> make_held_file(const fs::path& file) {
  const fs::path early = file.string() + ".new";
  Handle made(::open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!made.valid()) return last_error("making " + early.string());
  if (::flock(made.get(), LOCK_EX | LOCK_NB) != 0) {  // not on this file system
    (void)::unlink(early.c_str());
    return Handle();
  }
  if (::rename(early.c_str(), file.c_str()) != 0) return last_error("naming " + file.string());
  return made;
}

bool is_held(const fs::path& file) {
  const Handle seen(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return !seen.valid() || ::flock(seen.get(), LOCK_SH | LOCK_NB) != 0;
}

}  // namespace lazaret::os
