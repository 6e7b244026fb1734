#include "backend/docker/runner_volume.hpp"

#include <memory>
#include <string>
#include <utility>

#include "backend/docker/harden.hpp"
#include "backend/docker/instance.hpp"
#include "base/try.hpp"
#include "engine/tar.hpp"
#include "runner/image.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::size_t kDigestDigits = 16;
constexpr std::chrono::seconds kFillBound{8};
constexpr std::uint32_t kRunnerMode = 0755, kMarkerMode = 0644;

Result<http::BodySource> runner_tar() {
  const std::string_view image = text_of(runner::runner_image());
  LAZARET_TRY(std::string tar, engine::write_tar({{"runner", kRunnerMode, std::string(image)},
                                                  {"ready", kMarkerMode, ""}}));
  const auto kept = std::make_shared<const std::string>(std::move(tar));
  return http::BodySource(
      [kept, source = http::source_of(bytes_of(*kept))](std::span<std::byte> into) {
        return source(into);
      });
}

}  // namespace

VolumeContent runner_content() {
  const std::string digest = runner::runner_digest().substr(0, kDigestDigits);
  return {.name = "lazaret-runner-" + digest,
          .helper = "lazaret-fill-" + digest,
          .labels = {{kOwnerLabel, kOwner}, {kRunnerLabel, runner::runner_digest()}},
          .place = kRunnerDirectory,
          .marker = "ready",
          .tar = runner_tar,
          .bound = kFillBound};
}

}  // namespace lazaret::backend::docker
