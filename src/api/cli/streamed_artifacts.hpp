#pragma once

#include <filesystem>
#include <string_view>

#include "core/artifacts.hpp"

namespace lazaret::cli {

/// What a run in the daemon has left, as it comes over its stream, on its way into a directory of
/// this machine's. Written by the same rules as what comes from a box of our own.
class StreamedArtifacts {
 public:
  explicit StreamedArtifacts(std::filesystem::path directory);

  /// A new one, by its head (core::head_of).
  void begin(std::string_view head);
  /// Of the one that came last; none at its end.
  void content(std::string_view bytes);
  /// Puts what was taken, and what to know of the rest, where a run of our own has it; `stream` is
  /// how their stream ended. Of nothing that ever came nothing is said.
  void list_in(ExecutionResult& result, const Status& stream) &&;

 private:
  [[nodiscard]] Status take(const Artifact& head);

  core::ArtifactTaker taker_;
  bool has_begun_ = false;
  Status taken_;  // once this is an error, nothing more is
};

}  // namespace lazaret::cli
