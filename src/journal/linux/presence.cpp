#include "journal/presence.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/private_file.hpp"

namespace lazaret::journal {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_owners(const fs::path& folder) { return folder / "owners"; }

// It comes out of a label, which may say anything.
bool is_id(const std::string& id) {
  return id.size() == 16 && id.find_first_not_of("0123456789abcdef") == id.npos;
}

os::Handle opened(const fs::path& file) {
  return os::Handle(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

// It gets its name when it is locked: nobody finds it as that of a dead process.
Result<Presence> Presence::hold(const fs::path& folder, const std::string& id) {
  if (!is_id(id)) return Error(Errc::invalid_argument, "an owner's id has sixteen digits");
  const fs::path file = folder_of_owners(folder) / id, early = file.string() + ".new";
  LAZARET_CHECK(os::make_private_file(early).within("lease journal"));
  os::Handle lock = opened(early);
  if (!lock.valid()) return os::last_error("opening " + early.string());
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return os::last_error("locking " + early.string());
  std::error_code error;
  fs::rename(early, file, error);
  if (error) return Error(Errc::system, "renaming " + early.string() + ": " + error.message());
  return Presence(std::move(lock), file);
}

void Presence::leave() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

// Shared, so that those who ask are not in each other's way.
Standing presence_of(const fs::path& folder, const std::string& id) {
  if (!is_id(id)) return Standing::other_namespace;
  const os::Handle file = opened(folder_of_owners(folder) / id);
  if (!file.valid()) return Standing::other_namespace;
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return Standing::dead;
  return errno == EWOULDBLOCK ? Standing::alive : Standing::other_namespace;
}

void forget_gone(const fs::path& folder, const std::set<std::string>& owing) {
  std::error_code error, ignored;
  fs::directory_iterator entry(folder_of_owners(folder), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string id = entry->path().filename().string();
    if (!owing.contains(id) && presence_of(folder, id) == Standing::dead)
      fs::remove(entry->path(), ignored);
  }
}

}  // namespace lazaret::journal
