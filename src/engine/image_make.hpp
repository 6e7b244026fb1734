#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "engine/image.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

/// Ways for an image to come into being: pull, import, load, build. None has a default timeout: the
/// caller's deadline decides.
namespace lazaret::engine::image {

struct PullOptions {
  std::string reference = {};      ///< name with tag or digest
  std::string platform = {};       ///< "linux/amd64"; empty: the engine's
  std::string registry_auth = {};  ///< value of X-Registry-Auth; a secret
  ProgressSink progress = {};
};
/// Errors: image_missing when a status, an error code or the registry's own words say so; engine
/// for what only another text tells.
[[nodiscard]] Status pull(const EngineClient& client, const PullOptions& options, const Call& call);

struct ImportOptions {
  std::string repository = {};  ///< empty: the image gets no name
  std::string tag = {};
  std::vector<std::string> changes = {};  ///< Dockerfile instructions, e.g. "CMD [\"/bin/sh\"]"
  std::string message = {};
  std::string platform = {};
};
struct ImportResult {
  std::string id;  ///< use it rather than the name: Podman renames what it imports
};
/// Makes an image of one layer from the tar of a file system, which is never held whole.
[[nodiscard]] Result<ImportResult> import_tar(const EngineClient& client,
                                              const ImportOptions& options,
                                              const http::BodySource& tar, const Call& call);

struct LoadResult {
  std::vector<std::string> images;  ///< names or ids, as the engine now knows them
};
/// Reads a tar in the layout of `docker save`.
[[nodiscard]] Result<LoadResult> load(const EngineClient& client, const http::BodySource& tar,
                                      const Call& call);

struct BuildOptions {
  std::string dockerfile = "Dockerfile";  ///< within the context
  std::vector<std::string> tags = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> arguments = {};
  std::string network_mode = {};
  ProgressSink progress = {};
};
struct BuildResult {
  std::string id;
};
/// Builds from a tar of the context.
[[nodiscard]] Result<BuildResult> build(const EngineClient& client, const BuildOptions& options,
                                        const http::BodySource& context, const Call& call);

}  // namespace lazaret::engine::image
