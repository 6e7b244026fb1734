#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/bytes.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"

namespace lazaret::os {

/// What becomes of a link that the last name of a path is.
enum class LastLink { follow, refuse };

/// A regular file of this machine's. Opening and reading never wait for anybody.
class PlainFile {
 public:
  /// To be read. Errors: not_found, permission_denied, invalid_argument for what is no regular file
  /// and for a link that is refused, system.
  [[nodiscard]] static Result<PlainFile> open(const std::filesystem::path& path, LastLink link);
  /// A new one, to be written; nothing may be there, not even a link. Errors: those of the system.
  [[nodiscard]] static Result<PlainFile> create(const std::filesystem::path& path, bool executable);

  /// When it was opened, in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// By its owner; never on Windows.
  [[nodiscard]] bool is_executable() const noexcept { return executable_; }
  /// Fills what it can; less only at the end of the file.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into) const;
  /// All of it.
  [[nodiscard]] Status write(Bytes bytes) const;

 private:
  PlainFile(Handle handle, std::uint64_t size, bool executable) noexcept
      : handle_(std::move(handle)), size_(size), executable_(executable) {}

  Handle handle_;
  std::uint64_t size_;
  bool executable_;
};

}  // namespace lazaret::os
