#include "backend/docker/layers.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "backend/docker/tree_tar.hpp"
#include "base/sha256.hpp"
#include "base/try.hpp"
#include "engine/volume.hpp"
#include "policy/packages.hpp"

namespace lazaret::backend::docker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStoreLabel = "dev.lazaret.packages-store";
constexpr const char* kLastFile = ".lazaret-ready";
constexpr std::size_t kDigits = 32, kHelperDigits = 16;  // of a digest, in a name
constexpr std::chrono::seconds kTurn{60};

fs::path layer_at(const std::string& directory) { return fs::path(directory).parent_path(); }

// Whose it is, and where it is kept: a path is nothing to tell an engine.
std::string store_of(const std::string& directory, const Instance& maker) {
  const std::string store = layer_at(directory).parent_path().string();
  return to_hex(sha256(bytes_of(maker.machine + "\n" + std::to_string(maker.user) + "\n" + store)));
}

}  // namespace

VolumeContent layer_content(const std::string& directory, const Instance& maker) {
  const std::string layer = layer_at(directory).filename().string();
  const auto tar = [directory]() -> Result<http::BodySource> {
    LAZARET_TRY(TreeTar tree, TreeTar::of(directory, kLastFile));
    return http::BodySource(
        [kept = std::make_shared<TreeTar>(std::move(tree))](std::span<std::byte> into) {
          return kept->read(into);
        });
  };
  return {.name = "lazaret-packages-" + layer.substr(0, kDigits),
          .helper = "lazaret-fill-" + layer.substr(0, kHelperDigits),
          .labels = {{kOwnerLabel, kOwner},
                     {kPackagesLabel, layer},
                     {kStoreLabel, store_of(directory, maker)}},
          .place = std::string(policy::kPackages),
          .marker = kLastFile,
          .tar = tar,
          .bound = kTurn};
}

void forget_layers(const engine::EngineClient& client, const std::string& directory,
                   const Instance& maker, const Call& call) {
  const fs::path store = layer_at(directory).parent_path();
  const std::string ours = std::string(kStoreLabel) + "=" + store_of(directory, maker);
  const auto volumes = engine::volume::list(client, {ours}, call);
  if (!volumes.ok()) return;
  for (const auto& volume : *volumes) {
    const auto layer = volume.labels.find(kPackagesLabel);
    std::error_code error;
    const bool kept = layer == volume.labels.end() || fs::exists(store / layer->second, error);
    if (!kept && !error) (void)engine::volume::remove(client, volume.name, call).ok();
  }
}

}  // namespace lazaret::backend::docker
