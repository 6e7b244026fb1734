#include "core/package_store.hpp"

#include <chrono>
#include <utility>

#include "base/file.hpp"
#include "base/try.hpp"
#include "os/plain_file.hpp"
#include "os/private_file.hpp"
#include "os/random.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstalled = "packages";
constexpr const char* kWhole = "whole";  // says how much there is; written last
constexpr std::string_view kMaking = ".making-";
constexpr std::chrono::hours kLeft{1};
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

std::string text_of(const TreeSize& size) {
  return std::to_string(size.files) + " files, " + std::to_string(size.bytes) + " bytes\n";
}

// Boxes are other users, whatever the umask of who has made it; nobody but that one may write.
void set_modes(const fs::path& tree) {
  using fs::perms;
  constexpr perms kFile = perms::owner_read | perms::owner_write | perms::group_read |
                          perms::others_read;
  constexpr perms kEnter = perms::owner_exec | perms::group_exec | perms::others_exec;
  fs::permissions(tree, kFile | kEnter);
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    const bool enters = entry.is_directory() ||
                        (entry.status().permissions() & perms::owner_exec) != perms::none;
    fs::permissions(entry, enters ? kFile | kEnter : kFile);
  }
}

Error no_store(const std::exception& problem) {
  return Error(Errc::system, "packages cannot be kept: " + std::string(problem.what()))
      .with_hint("set XDG_CACHE_HOME to a directory that can be written to");
}

// What another process takes away meanwhile is gone all the same.
void sweep(const fs::path& store) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(store, ignored)) {
    std::error_code gone;
    const auto made = entry.last_write_time(gone);
    const bool is_left = entry.path().filename().string().starts_with(kMaking) && !gone &&
                         fs::file_time_type::clock::now() - made > kLeft;
    if (is_left) fs::remove_all(entry.path(), gone);
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

std::optional<fs::path> whole_layer(const fs::path& store, const std::string& name) try {
  const fs::path layer = store / name;
  if (!fs::is_directory(fs::symlink_status(layer / kInstalled))) return std::nullopt;
  const bool is_whole = text_of_file(layer / kWhole) == text_of(size_of(layer / kInstalled));
  return is_whole ? std::optional(layer / kInstalled) : std::nullopt;
} catch (const fs::filesystem_error&) {
  return std::nullopt;
}

Result<Staging> Staging::in(const fs::path& store) try {
  sweep(store);
  Staging made(store / (std::string(kMaking) + os::random_hex(8)));
  fs::create_directories(made.files());
  return made;
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

Staging::Staging(Staging&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Staging::~Staging() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status Staging::keep(const std::string& name, const TreeSize& size) const try {
  const fs::path store = path_.parent_path();
  if (!fs::is_directory(layer() / kInstalled) || size_of(layer() / kInstalled) != size)
    return Error(Errc::start_failed, "not all of the packages came out of the box that made them");
  set_modes(layer());
  LAZARET_TRY(const os::PlainFile whole, os::PlainFile::create(layer() / kWhole, false));
  LAZARET_CHECK(whole.write(bytes_of(text_of(size))));
  std::error_code error;
  fs::rename(layer(), store / name, error);
  if (!error || whole_layer(store, name)) return {};
  fs::rename(store / name, path_ / "broken", error);
  fs::rename(layer(), store / name, error);
  if (!error || whole_layer(store, name)) return {};
  return no_store(fs::filesystem_error("renaming", store / name, error));
} catch (const fs::filesystem_error& problem) {
  return no_store(problem);
}

}  // namespace lazaret::core
