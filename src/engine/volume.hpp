#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "lazaret/result.hpp"

/// /volumes of the Engine API.
namespace lazaret::engine::volume {

struct Volume {
  std::string name;
  std::string driver;
  std::string mountpoint;  ///< on the engine's machine, which need not be this one
  std::map<std::string, std::string> labels;
};

/// Creating a volume that exists with the same driver succeeds.
[[nodiscard]] Result<Volume> create(const EngineClient& client, std::string_view name,
                                    const std::map<std::string, std::string>& labels,
                                    const Call& call);
[[nodiscard]] Result<Volume> inspect(const EngineClient& client, std::string_view name,
                                     const Call& call);
/// Volumes that carry all of the labels ("name" or "name=value").
[[nodiscard]] Result<std::vector<Volume>> list(const EngineClient& client,
                                               const std::vector<std::string>& labels,
                                               const Call& call);
/// One that is not there is a success. Errors: conflict while a container uses it.
[[nodiscard]] Status remove(const EngineClient& client, std::string_view name, const Call& call);

}  // namespace lazaret::engine::volume
