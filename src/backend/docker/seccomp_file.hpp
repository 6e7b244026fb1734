#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/docker/instance.hpp"
#include "backend/leases.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::docker {

/// A seccomp profile on disk for an engine that only takes a path. Lives as long as the create call
/// that reads it; readable by the engine, in a fresh directory that only this process can write to.
class SeccompFile {
 public:
  /// Errors: unsupported on Windows, where the engine is in another machine; those of the system.
  [[nodiscard]] static Result<SeccompFile> write(std::string_view profile,
                                                 std::shared_ptr<const Leases> leases);
  SeccompFile(SeccompFile&& other) noexcept
      : directory_(std::exchange(other.directory_, {})), leases_(std::move(other.leases_)) {}
  SeccompFile& operator=(SeccompFile&&) = delete;
  ~SeccompFile();

  [[nodiscard]] std::string path() const { return (directory_ / "seccomp.json").string(); }

 private:
  SeccompFile(std::filesystem::path directory, std::shared_ptr<const Leases> leases)
      : directory_(std::move(directory)), leases_(std::move(leases)) {}

  std::filesystem::path directory_;
  std::shared_ptr<const Leases> leases_;
};

/// One that may have been left; the owner without boot and machine, which its name does not tell.
struct SeccompDirectory {
  std::filesystem::path path;
  Instance owner;
};
/// Nothing for what is no directory of ours, by its name; links are not followed.
[[nodiscard]] std::optional<SeccompDirectory> seccomp_directory(const std::filesystem::path& path);
[[nodiscard]] std::vector<SeccompDirectory> seccomp_directories(const std::filesystem::path& base);
/// With the file in it and nothing else; one that is not there is a success.
[[nodiscard]] Status remove_seccomp_directory(const std::filesystem::path& directory);

}  // namespace lazaret::backend::docker
