#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lazaret/result.hpp"
#include "os/plain_file.hpp"

namespace lazaret::cli {

/// An archive of files and directories of this machine's, made while it is sent: their content is
/// read when its turn comes.
class SentArchive {
 public:
  /// Adds a file, or a directory with all that is in it, under its own name. One that is a link is
  /// followed. Errors: invalid_argument, naming it.
  [[nodiscard]] Status add(const std::filesystem::path& source);
  /// More of the archive, from the front of `into` on; 0 at its end (http::BodySource). Errors:
  /// those of PlainFile, and invalid_argument for a file that shrinks, and for a link.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into);

  /// So far.
  [[nodiscard]] std::uint64_t files() const noexcept { return files_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Item {
    std::filesystem::path source;  ///< of a directory none
    std::string path;              ///< in the archive
    os::LastLink link = os::LastLink::refuse;
  };
  [[nodiscard]] Status add_directory(const std::filesystem::path& root, const std::string& path);
  [[nodiscard]] Status begin_next();
  [[nodiscard]] Result<std::size_t> read_file(std::span<std::byte> into);

  std::vector<Item> items_;
  std::size_t next_ = 0;  // of them
  std::string text_;      // a head, or what fills a block, that is to be given next
  std::optional<os::PlainFile> file_;
  std::uint64_t left_ = 0;  // of its content
  bool has_ended_ = false;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace lazaret::cli
