#include "core/package_store.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/plain_file.hpp"
#include "os/private_file.hpp"
#include "os/random.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstalled = "packages";
constexpr const char* kWhole = "whole";  // says how much there is; written last
constexpr std::string_view kMaking = ".making-", kLock = "lock-";
constexpr const char* kHeld = "held";  // by who is making it
constexpr std::chrono::hours kLeft{1}, kUnused{30 * 24};
constexpr std::size_t kMostWords = 100, kMostLock = 1UL << 22;
constexpr std::size_t kLongestStore = 900;  // a box is shown paths of 1023 bytes

TreeSize size_of(const fs::path& tree) {
  TreeSize size;
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    if (entry.symlink_status().type() != fs::file_type::regular) continue;
    ++size.files;
    size.bytes += entry.file_size();
  }
  return size;
}

std::string words_of(const TreeSize& size) {
  return std::to_string(size.files) + " files, " + std::to_string(size.bytes) + " bytes\n";
}

// Boxes are other users, whatever the umask of who has made it; nobody but that one may write.
void set_modes(const fs::path& tree) {
  using fs::perms;
  constexpr perms kFile =
      perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
  constexpr perms kEnter = perms::owner_exec | perms::group_exec | perms::others_exec;
  fs::permissions(tree, kFile | kEnter);
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    const fs::file_status seen = entry.symlink_status();
    const bool is_folder = fs::is_directory(seen);
    if (!is_folder && !fs::is_regular_file(seen))
      throw fs::filesystem_error("neither file nor directory", entry.path(), {});
    const bool enters = is_folder || (seen.permissions() & perms::owner_exec) != perms::none;
    fs::permissions(entry, enters ? kFile | kEnter : kFile);
  }
}

Error no_store(const std::exception& problem) {
  return Error(Errc::system, "packages cannot be kept: " + std::string(problem.what()))
      .with_hint("set XDG_CACHE_HOME to a directory that can be written to");
}

Result<std::string> words_in(const fs::path& path, std::size_t most) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(path, os::LastLink::refuse));
  std::vector<std::byte> part(std::min<std::uint64_t>(file.size() + 1, most));
  LAZARET_TRY(const std::size_t count, file.read(part));
  return std::string(text_of(Bytes(part).first(count)));
}

bool is_older(const fs::path& path, std::chrono::hours age) {
  std::error_code gone;
  const auto made = fs::last_write_time(path, gone);
  return !gone && fs::file_time_type::clock::now() - made > age;
}

// A lock says which layer it is of; one whose layer is gone is of no use.
bool is_of_nothing(const fs::path& lock) {
  const auto text = words_in(lock, kMostLock);
  const auto said = nlohmann::json::parse(text.ok() ? *text : "", nullptr, false);
  const auto layer = said.is_object() ? said.find("layer") : said.end();
  if (!said.is_object() || layer == said.end() || !layer->is_string()) return true;
  std::error_code ignored;
  return !fs::exists(lock.parent_path() / layer->get<std::string>(), ignored);
}

// Who makes something holds a file in it, but for a moment at its beginning.
bool is_abandoned(const fs::path& making) {
  std::error_code ignored;
  return fs::exists(making / kHeld, ignored) ? !os::is_held(making / kHeld)
                                             : is_older(making, kLeft);
}

// What nobody has finished, and what nobody has used for long. What another process takes away
// meanwhile is gone all the same.
void sweep(const fs::path& store) {
  std::vector<fs::path> locks;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    const fs::path& path = entry.path();
    const std::string name = path.filename().string();
    if (name.starts_with(kLock)) locks.push_back(path);
    const bool is_left = name.starts_with(kMaking) && is_abandoned(path);
    if (is_left || is_older(path / kWhole, kUnused)) fs::remove_all(path, ignored);
  }
  for (const fs::path& lock : locks) {
    if (is_older(lock, kLeft) && is_of_nothing(lock)) fs::remove(lock, ignored);
  }
}

}  // namespace

Result<fs::path> open_store(const fs::path& path) {
  if (path.empty())
    return Error(Errc::system, "there is no place to keep packages")
        .with_hint("set HOME or XDG_CACHE_HOME");
  LAZARET_CHECK(os::make_private_folder(path).within("packages"));
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return no_store(fs::filesystem_error("opening", path, error));
  if (real.string().size() > kLongestStore)
    return Error(Errc::too_large, "packages cannot be kept: " + real.string() + " is too long")
        .with_hint("set XDG_CACHE_HOME to a directory with a shorter path");
  return real;
}

std::vector<fs::path> abandoned_in(const fs::path& store, const std::set<fs::path>& died) {
  std::vector<fs::path> found;
  std::error_code error, ignored;
  if (!fs::is_directory(store, error) || !os::make_private_folder(store).ok()) return found;
  const fs::directory_iterator end;
  for (fs::directory_iterator at(store, error); !error && at != end; at.increment(error)) {
    const bool is_making = at->path().filename().string().starts_with(kMaking);
    const bool is_of_dead = died.contains(at->path()) && !fs::exists(at->path() / kHeld, ignored);
    if (is_making && (is_of_dead || is_abandoned(at->path()))) found.push_back(at->path());
  }
  return found;
}

Result<std::optional<fs::path>> whole_layer(const fs::path& store, const std::string& name) try {
  const fs::path layer = store / name, installed = layer / kInstalled;
  if (!fs::exists(layer / kWhole) || !fs::is_directory(fs::symlink_status(installed)))
    return std::optional<fs::path>();
  LAZARET_TRY(const std::string said, words_in(layer / kWhole, kMostWords));
  if (said != words_of(size_of(installed))) return std::optional<fs::path>();
  std::error_code ignored;
  fs::last_write_time(layer / kWhole, fs::file_time_type::clock::now(), ignored);  // it is in use
  return std::optional(installed);
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

std::optional<std::string> lock_in(const fs::path& store, const std::string& name,
                                   std::optional<std::chrono::hours> age) {
  std::error_code missing;
  const auto made = fs::last_write_time(store / name, missing);
  if (missing || (age && fs::file_time_type::clock::now() - made > *age)) return std::nullopt;
  auto text = words_in(store / name, kMostLock);
  return text.ok() ? std::optional(std::move(text).value()) : std::nullopt;
}

Result<Staging> Staging::in(const PackageStore& store) try {
  sweep(store.folder);
  Staging made(store.folder / (std::string(kMaking) + os::random_hex(8)), store.state);
  fs::create_directories(made.files());
  LAZARET_TRY(made.held_, os::make_held_file(made.path_ / kHeld));
  return made;
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

Staging::Staging(Staging&& other) noexcept
    : row_(std::move(other.row_)),
      path_(std::exchange(other.path_, {})),
      held_(std::move(other.held_)) {}

Staging::~Staging() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

// The box has had its hands in the one directory, and never in the other.
Status Staging::keep(const std::string& name, const TreeSize& size) const try {
  const fs::path made = layer() / kInstalled, kept = path_ / "kept";
  if (!fs::is_directory(made) || size_of(made) != size)
    return Error(Errc::start_failed, "not all of the packages came out of the box that made them");
  fs::create_directory(kept);
  fs::rename(made, kept / kInstalled);
  set_modes(kept);
  LAZARET_TRY(const os::PlainFile whole, os::PlainFile::create(kept / kWhole, false));
  LAZARET_CHECK(whole.write(bytes_of(words_of(size))));
  return put(kept, path_.parent_path() / name);
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

Status Staging::keep_lock(const std::string& name, const std::string& text) const {
  LAZARET_TRY(const os::PlainFile lock, os::PlainFile::create(path_ / "lock", false));
  LAZARET_CHECK(lock.write(bytes_of(text)));
  std::error_code error;
  fs::rename(path_ / "lock", path_.parent_path() / name, error);
  return error ? no_store(fs::filesystem_error("renaming", path_, error)) : Status();
}

Status Staging::put(const fs::path& kept, const fs::path& place) const {
  std::error_code error;
  fs::rename(kept, place, error);
  if (!error) return {};
  LAZARET_TRY(const auto sooner, whole_layer(place.parent_path(), place.filename().string()));
  if (sooner) return {};
  fs::rename(place, path_ / "broken", error);
  fs::rename(kept, place, error);
  return error ? no_store(fs::filesystem_error("renaming", place, error)) : Status();
}

}  // namespace lazaret::core
