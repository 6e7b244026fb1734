#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/staging_row.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

/// Where layers of packages are kept: a directory that belongs to the caller alone, with one in it
/// for each layer, by its name.
namespace lazaret::core {

/// Where it is.
struct PackageStore {
  std::filesystem::path folder;                     ///< empty: nowhere
  std::optional<std::filesystem::path> state = {};  ///< as of backend::Surroundings
};

/// How much there is in a tree: its regular files.
struct TreeSize {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const TreeSize&) const = default;
};

/// Makes the store where it is not there yet. Its real path. Errors: permission_denied where it is
/// another user's or open to others, too_large for a path that cannot be shown to a box, system.
[[nodiscard]] Result<std::filesystem::path> open_store(const std::filesystem::path& path);

/// What was being made there by processes that were killed, of whom the journal may know that they
/// `died`; nothing where the store is not there or not the caller's alone.
[[nodiscard]] std::vector<std::filesystem::path> abandoned_in(
    const std::filesystem::path& store, const std::set<std::filesystem::path>& died = {});

/// What a layer has for its programs, where it is there and as whole as it was when it was kept; it
/// counts as used now. Errors: system, of one that cannot be looked at.
[[nodiscard]] Result<std::optional<std::filesystem::path>> whole_layer(
    const std::filesystem::path& store, const std::string& name);

/// What was kept as a lock under a name, where that is not longer ago than `age`.
[[nodiscard]] std::optional<std::string> lock_in(const std::filesystem::path& store,
                                                 const std::string& name,
                                                 std::optional<std::chrono::hours> age);

/// A directory in a store for what is being made, which goes with it. When one is made, those of
/// who was killed go, and layers that nobody has used for thirty days with their locks.
class Staging {
 public:
  /// In the folder as open_store() gives it. Errors: system.
  [[nodiscard]] static Result<Staging> in(const PackageStore& store);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  /// Of the files that are installed from.
  [[nodiscard]] std::filesystem::path files() const { return path_ / "files"; }
  /// For what is installed, which lies below its "packages"; not there yet.
  [[nodiscard]] std::filesystem::path layer() const { return path_ / "layer"; }
  /// Keeps that under a name, whole or not at all, for all to read; where somebody else was sooner,
  /// his is as good. Errors: start_failed where it is not of this size, system.
  [[nodiscard]] Status keep(const std::string& name, const TreeSize& size) const;
  /// Keeps a text as a lock, in place of an older one. Errors: system.
  [[nodiscard]] Status keep_lock(const std::string& name, const std::string& text) const;

 private:
  [[nodiscard]] Status put(const std::filesystem::path& kept,
                           const std::filesystem::path& place) const;
  Staging(const std::filesystem::path& path, const std::optional<std::filesystem::path>& state)
      : row_(state, path), path_(path) {}
  backend::StagingRow row_;  // goes last
  std::filesystem::path path_;
  os::Handle held_;  // as long as this lives, its directory is nobody's to remove
};

}  // namespace lazaret::core
