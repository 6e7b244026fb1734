#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/call.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Takes an archive, piece by piece, as fast as it likes. Its errors end the archive.
using ArchiveSink = std::function<Status(std::string piece, const Call& call)>;

/// Makes an archive of what a box gives, all of it hostile: a name that leads elsewhere, comes
/// twice or in no directory is an error (protocol), after which nothing more is taken. What goes
/// wrong otherwise is trouble: nothing more is written, and what comes is let go, so that the box
/// stays in step. Holds one piece, and a number for each name in the directories that are open.
class Packer final : public runner::Receiver {
 public:
  struct Wish {
    std::uint64_t time = 0;                ///< what the archive says of everything
    std::uint64_t most_bytes = 0;          ///< that the box can hold
    std::uint32_t most_entries = 1U << 20;  ///< what is beyond them is left out
  };

  Packer(Wish wish, ArchiveSink sink, Call call);

  /// All that lies below a directory of the box's /work, or the one file or link there. Gives the
  /// number of the error that the box had with it, or 0. Errors: those of the wire, and protocol.
  [[nodiscard]] Result<int> pack(runner::Client& client, const std::string& path, const Call& call);
  /// Why the archive is not whole.
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }

  [[nodiscard]] Status entry(const runner::Entry& entry) override;
  [[nodiscard]] Status content(Bytes bytes) override;

 private:
  struct Level {
    std::string path;  ///< ends with '/' unless it is empty
    std::unordered_set<std::size_t> names = {};
  };
  [[nodiscard]] bool is_in_order(const std::string& path);
  void write_head(const runner::Entry& entry);
  void write(std::string_view bytes);
  void flush();
  void spoil(Error error);
  void give_up(Error error);

  Wish wish_;
  ArchiveSink sink_;
  Call call_;
  std::vector<Level> levels_;
  std::string piece_;
  std::string path_;         // of the file that came last
  bool is_open_ = false;     // and its end has not come
  std::uint64_t due_ = 0;    // of its content, as its head says
  std::uint64_t size_ = 0;   // as its head says
  std::uint64_t taken_ = 0;  // bytes of all contents
  std::uint32_t entries_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace lazaret::core
