#include "api/cli/streamed_artifacts.hpp"

#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "core/artifact_json.hpp"

namespace lazaret::cli {
namespace {

runner::Entry::Kind kind_of(Artifact::Kind kind) {
  using Kind = runner::Entry::Kind;
  switch (kind) {
    case Artifact::Kind::file: return Kind::file;
    case Artifact::Kind::directory: return Kind::directory;
    case Artifact::Kind::link: return Kind::link;
    case Artifact::Kind::other: break;
  }
  return Kind::other;
}

}  // namespace

// The daemon knows how much the box can hold, and gives no more.
StreamedArtifacts::StreamedArtifacts(std::filesystem::path directory)
    : taker_({.directory = std::move(directory),
              .most_bytes = std::numeric_limits<std::uint64_t>::max()}) {}

void StreamedArtifacts::begin(std::string_view head) {
  has_begun_ = true;
  if (!taken_.ok()) return;
  const auto artifact = core::head_of(head);
  taken_ = artifact.ok() ? take(*artifact) : Status(artifact.error());
}

// The first is /work/out itself.
Status StreamedArtifacts::take(const Artifact& head) {
  if (head.path == ".") return taker_.begin();
  return taker_.entry({kind_of(head.kind), head.executable, 0, head.path, {}});
}

void StreamedArtifacts::content(std::string_view bytes) {
  if (taken_.ok()) taken_ = taker_.content(bytes_of(bytes));
}

void StreamedArtifacts::list_in(ExecutionResult& result, const Status& stream) && {
  if (!has_begun_) return;
  if (taken_.ok() && taker_.trouble()) taken_ = *taker_.trouble();
  if (taken_.ok()) taken_ = stream;
  result.artifacts = core::list_of(std::move(taker_), taken_, result.meta.warnings);
}

}  // namespace lazaret::cli
