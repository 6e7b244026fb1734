#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "lazaret/result.hpp"

namespace lazaret::backend::docker {

/// A seccomp profile on disk for an engine that only takes a path. Lives as long as the create call
/// that reads it; readable by the engine, in a fresh directory that only this process can write to.
class SeccompFile {
 public:
  /// Errors: unsupported on Windows, where the engine is in another machine; those of the system.
  [[nodiscard]] static Result<SeccompFile> write(std::string_view profile);
  SeccompFile(SeccompFile&& other) noexcept : directory_(std::exchange(other.directory_, {})) {}
  SeccompFile& operator=(SeccompFile&&) = delete;
  ~SeccompFile();

  [[nodiscard]] std::string path() const { return (directory_ / "seccomp.json").string(); }

 private:
  explicit SeccompFile(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

}  // namespace lazaret::backend::docker
