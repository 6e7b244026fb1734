#include "core/pool_state.hpp"

#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const pool::Stand& stand) {
  const std::size_t colon = stand.kind.find(':');
  Json json = {{"language", stand.kind.substr(0, colon)},
               {"kind", stand.kind.substr(colon + 1)},
               {"ready", stand.waiting},
               {"making", stand.coming},
               {"wanted", stand.wanted}};
  if (stand.memory_bytes > 0) json["memory_bytes"] = stand.memory_bytes;
  return json;
}

Json json_of(const PoolState& pool) {
  const pool::Counts& counts = pool.counts;
  Json json = {{"backend", pool.backend}, {"ready", counts.waiting},  {"made", counts.made},
               {"used", counts.handed},   {"missed", counts.missed},  {"unfit", counts.unfit},
               {"failed", counts.failed}, {"leaving", counts.leaving}};
  json["kinds"] = Json::array();
  for (const pool::Stand& stand : pool.stands) json["kinds"].push_back(json_of(stand));
  return json;
}

}  // namespace

std::string to_json(const std::vector<PoolState>& pools) {
  Json json = {{"pools", Json::array()}};
  for (const PoolState& pool : pools) json["pools"].push_back(json_of(pool));
  return json.dump();
}

}  // namespace lazaret::core
