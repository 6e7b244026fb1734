#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/tar.hpp"
#include "lazaret/result.hpp"

namespace lazaret {

/// An archive's entries, one after the other, whoever made it: ustar, pax (POSIX.1-2001), and GNU's
/// long names and large numbers, as in tar(5) of libarchive. Files, directories and links; all else
/// is refused, and so is what two readers could take for two things. Holds what the source gives at
/// once, and 1 MiB of an extended header.
class TarReader {
 public:
  /// More of the archive; nothing at its end.
  using Source = std::function<Result<std::string>()>;

  explicit TarReader(Source source) : source_(std::move(source)) {}

  /// The next entry, its path as clean_tar_path() has it, "." of a directory alone; what is left of
  /// the content before is skipped. Nothing at the end, behind which there was nothing. Errors:
  /// those of the source; invalid_argument, after which nothing more is to be read.
  [[nodiscard]] Result<std::optional<TarHead>> next();
  /// More of the content of the file that came last, until the next call; nothing at its end.
  /// Errors: as above.
  [[nodiscard]] Result<Bytes> content();
  /// What the archive calls the entry that came last, or was refused, as far as it was read.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  // What an extended header, or GNU's, says of the entry behind it.
  struct Extension {
    std::optional<std::string> path;
    std::optional<std::string> target;
    std::optional<std::uint64_t> size;
    bool is_sparse = false;
    bool is_there = false;
  };
  struct Header;
  enum class Scope { entry, all };

  [[nodiscard]] Result<bool> fill(std::size_t count);
  [[nodiscard]] Result<std::string_view> take(std::size_t count);
  [[nodiscard]] Result<std::string_view> payload(const Header& header);
  [[nodiscard]] Status skip();
  [[nodiscard]] Status end();
  [[nodiscard]] Result<bool> extend(const Header& header);
  [[nodiscard]] Status note_records(std::string_view records, Scope scope);
  [[nodiscard]] Status note(std::string_view keyword, std::string_view value, Scope scope);
  [[nodiscard]] Result<TarHead> entry_of(Header header);

  Source source_;
  std::string buffer_;
  std::size_t at_ = 0;      // what lies before it in the buffer was taken
  std::uint64_t left_ = 0;  // of the content
  std::size_t padding_ = 0;
  Extension extension_;
  std::string name_;
};

}  // namespace lazaret
