#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/tar.hpp"
#include "lazaret/result.hpp"
#include "os/plain_file.hpp"

namespace lazaret::backend::docker {

/// A directory of this machine's as a tar, made as it is read: its directories and regular files by
/// their names, for all to read, and at the end an empty file more. Nobody may change it meanwhile.
class TreeTar {
 public:
  /// Errors: system; invalid_argument where something in it has the last file's name.
  [[nodiscard]] static Result<TreeTar> of(const std::filesystem::path& root,
                                          const std::string& marker);
  /// Fills what it can; zero is the end. Errors: those of the files, invalid_argument for a path
  /// that no tar has, system for a file that has another size than before.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into);

 private:
  struct Item {
    std::filesystem::path source;  // of a file
    TarHead head;
  };
  explicit TreeTar(std::vector<Item> items) : items_(std::move(items)) {}
  [[nodiscard]] Status go_on();

  std::vector<Item> items_;
  std::size_t next_ = 0;
  std::string text_;  // to be given before more of the file
  std::size_t given_ = 0;
  std::optional<os::PlainFile> file_;
  std::uint64_t left_ = 0;  // of the file
  bool is_over_ = false;
};

}  // namespace lazaret::backend::docker
