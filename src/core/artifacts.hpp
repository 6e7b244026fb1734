#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lazaret/execution_result.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// Whether the directory can receive artifacts: it is empty, or not there yet. Errors:
/// invalid_argument.
[[nodiscard]] Status check_output_directory(const std::filesystem::path& directory);

/// Takes what a program has left below /work/out, all of it hostile: names that lead elsewhere or
/// come twice and more bytes than the box can hold are errors (protocol), after which nothing more
/// is taken. Files and directories are written as new ones, links and all else never.
class ArtifactTaker final : public runner::Receiver {
 public:
  struct Wish {
    std::optional<std::filesystem::path> directory;  ///< to be written into
    bool with_content = false;                       ///< to be kept in memory
    std::uint64_t most_bytes = 0;                    ///< that the box can hold
  };
  static constexpr std::uint32_t kMostArtifacts = 10000;
  static constexpr std::size_t kMostNames = 1UL << 20;       ///< bytes of all paths
  static constexpr std::uint64_t kMostContent = 8ULL << 20;  ///< in memory

  explicit ArtifactTaker(Wish wish) : wish_(std::move(wish)) {}

  /// Asks the box for all that, which it has. Errors: also those of the wire.
  [[nodiscard]] Status take_from(runner::Client& client, const Call& call);
  /// What was taken, by path.
  [[nodiscard]] std::vector<Artifact> artifacts() &&;
  /// What the caller should know of what was not.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  [[nodiscard]] Status entry(const runner::Entry& entry) override;
  [[nodiscard]] Status content(Bytes bytes) override;

 private:
  [[nodiscard]] Status write(const runner::Entry& entry);
  [[nodiscard]] Status end_file();

  Wish wish_;
  std::vector<Artifact> artifacts_;
  std::set<std::string> paths_;  // of all so far, with '/' behind a directory's
  std::ofstream file_;           // of the last one
  bool is_open_ = false;         // whether the last one is a file whose end has not come
  std::size_t named_ = 0;        // bytes of their paths
  std::uint64_t taken_ = 0;      // bytes of all
  std::uint64_t kept_ = 0;       // of them in memory
  std::vector<std::string> warnings_;
};

/// What a file of this name is said to be; "application/octet-stream" where the name says nothing.
[[nodiscard]] std::string media_type_of(std::string_view path);

}  // namespace lazaret::core
