#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

/// /images and /build of the Engine API. A failure that comes inside a stream which began with
/// status 200 is an Error like any other (P-35).
namespace lazaret::engine::image {

/// One line of progress.
struct Progress {
  std::string id;      ///< the layer, where there is one
  std::string status;  ///< what is going on; a line of the build's output
  std::int64_t current_bytes = 0;
  std::int64_t total_bytes = 0;
};
using ProgressSink = std::function<void(const Progress&)>;

/// Errors: image_missing.
[[nodiscard]] Result<nlohmann::json> inspect(const EngineClient& client, std::string_view image,
                                             const Call& call);

struct Summary {
  std::string id;
  std::vector<std::string> tags;
  std::vector<std::string> digests;
  std::map<std::string, std::string> labels;
  std::int64_t size_bytes = 0;
};
/// Images that carry all of the labels ("name" or "name=value").
[[nodiscard]] Result<std::vector<Summary>> list(const EngineClient& client,
                                                const std::vector<std::string>& labels,
                                                const Call& call);

/// Removes a tag or an image; one that is not there is a success.
[[nodiscard]] Status remove(const EngineClient& client, std::string_view image, const Call& call);

}  // namespace lazaret::engine::image
