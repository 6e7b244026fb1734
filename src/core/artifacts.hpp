#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"
#include "os/plain_file.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Whether the directory can receive artifacts: it is empty, or not there yet. Errors:
/// invalid_argument.
[[nodiscard]] Status check_output_directory(const std::filesystem::path& directory);

/// Of a file, in bytes; length 0: to its end.
struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Takes what a program has left below /work/out, all of it hostile: names that lead elsewhere or
/// come twice are errors (protocol), more bytes than the box can hold another (too_large), after
/// which nothing more is taken. Trouble of this machine's is told once all has come. Files and
/// directories are written as new ones, links and all else never.
class ArtifactTaker final : public runner::Receiver {
 public:
  struct Wish {
    std::optional<std::filesystem::path> directory = {};  ///< to be written into
    bool with_content = false;                       ///< to be kept in memory
    std::uint64_t most_bytes = 0;                    ///< that the box can hold
    bool lone = false;                               ///< it may be no directory, but one thing
    std::optional<Piece> piece = {};                 ///< of the one file that it must be
    ArtifactSink sink = {};                          ///< all is handed on to it
  };
  static constexpr std::uint32_t kMostArtifacts = 10'000;    ///< listed, or in memory
  static constexpr std::size_t kMostNames = 1UL << 20;       ///< bytes of all their paths
  static constexpr std::uint64_t kMostContent = 8ULL << 20;  ///< in memory
  static constexpr std::uint32_t kMostTaken = 100'000;       ///< into a directory
  static constexpr std::size_t kMostNamesTaken = 16UL << 20;  ///< bytes of all their paths

  explicit ArtifactTaker(Wish wish) : wish_(std::move(wish)) {}
  ArtifactTaker(const ArtifactTaker&) = delete;
  ArtifactTaker& operator=(const ArtifactTaker&) = delete;
  ~ArtifactTaker() override;

  /// Makes the directory, or tells the sink of it. Errors: those of this machine.
  [[nodiscard]] Status begin();
  /// Asks the box for what lies below a directory of its /work. Errors: also those of the wire.
  [[nodiscard]] Status take_from(runner::Client& client, const std::string& directory,
                                 const Call& call);
  /// Of this machine's: what is taken after it is let go.
  [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }
  /// That all has come. Errors: protocol for a file without its end, and what went wrong here.
  [[nodiscard]] Status end() const;
  /// Why the box says that the directory cannot be read; 0 where it could be.
  [[nodiscard]] int error_number() const noexcept { return error_number_; }
  /// What was taken as a whole, by path; nothing of what was handed on.
  [[nodiscard]] std::vector<Artifact> artifacts() &&;
  /// What the caller should know of what was not.
  [[nodiscard]] std::vector<std::string> warnings() const;

  [[nodiscard]] Status entry(const runner::Entry& entry) override;
  [[nodiscard]] Status content(Bytes bytes) override;

 private:
  [[nodiscard]] runner::Get get_of(const std::string& directory) const;
  [[nodiscard]] std::uint32_t most() const noexcept {
    return is_carried() ? kMostTaken : kMostArtifacts;
  }
  [[nodiscard]] std::size_t most_names() const noexcept {
    return is_carried() ? kMostNamesTaken : kMostNames;
  }
  [[nodiscard]] bool is_carried() const noexcept { return wish_.directory || wish_.sink; }
  [[nodiscard]] bool is_listing() const noexcept { return !is_carried() && !wish_.with_content; }
  [[nodiscard]] bool is_new(const std::string& path) const;
  void place(const runner::Entry& entry);
  void write(const runner::Entry& entry);
  void hand_on(const Artifact* begun, Bytes bytes);
  void keep(Artifact& artifact, Bytes bytes);
  void leave(const std::string& path, const char* why);
  void give_up(Error error);
  void drop_file();

  Wish wish_;
  std::vector<Artifact> artifacts_;
  std::set<std::string> paths_;        // of all so far, with '/' behind a directory's
  std::optional<os::PlainFile> file_;  // of the last one
  std::size_t count_ = 0;              // that were named
  bool is_open_ = false;               // whether the last one is a file whose end has not come
  std::size_t named_ = 0;              // bytes of their paths
  std::size_t unlisted_ = 0;           // beyond what is listed
  std::uint64_t taken_ = 0;            // bytes of all
  std::uint64_t kept_ = 0;             // of them in memory
  bool is_ours_ = false;               // the last one's file was made by us
  std::optional<Error> trouble_;       // of this machine's: what comes after it is let go
  int error_number_ = 0;
  std::size_t not_taken_ = 0;
  std::vector<std::string> warnings_;
};

/// What was taken, as a result lists it, by path; what the caller should know of the rest goes to
/// the warnings. `taken` is how the taking ended.
[[nodiscard]] std::vector<Artifact> list_of(ArtifactTaker&& taker, const Status& taken,
                                            std::vector<std::string>& warnings);

/// What a file of this name is said to be; "application/octet-stream" where the name says nothing.
[[nodiscard]] std::string media_type_of(std::string_view path);

}  // namespace lazaret::core
