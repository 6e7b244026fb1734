#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backend/images/definition.hpp"
#include "base/call.hpp"
#include "engine/client.hpp"
#include "engine/image.hpp"
#include "lazaret/result.hpp"

namespace lazaret::backend::images {

/// Where an image's files come from.
enum class From {
  automatic,  ///< registry when the base is there or can be pulled in time, otherwise packages
  registry,   ///< the engine builds the Dockerfile on a base pulled by digest
  packages,   ///< mmdebstrap runs here and its tar is imported
};
[[nodiscard]] std::string_view name_of(From from) noexcept;

struct BuildOptions {
  From from = From::automatic;
  Contents contents = Contents::plain;
  std::string base;                      ///< instead of the Dockerfile's; for mirrors
  std::chrono::milliseconds pull_within{20'000};  ///< what automatic waits for the base
  std::filesystem::path cache_directory;  ///< for tars made from packages; empty: none is kept
  std::vector<std::string> environment;   ///< of our process: PATH, TMPDIR and proxies are used
  std::chrono::system_clock::time_point now;
  engine::image::ProgressSink progress;
};

struct Built {
  std::string name;
  std::string reference;
  std::string id;
  From from = From::registry;
  bool from_cache = false;  ///< the tar was there already
};

/// Makes the image under its reference on this engine; the image that had the name is removed
/// unless something else still uses it. Takes a minute or two; no default timeout. Errors:
/// image_missing and those of the engine (registry), not_found and engine with a hint (packages).
[[nodiscard]] Result<Built> build(const engine::EngineClient& client, const Definition& definition,
                                  const BuildOptions& options, const Call& call);

}  // namespace lazaret::backend::images
