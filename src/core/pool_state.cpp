#include "core/pool_state.hpp"

#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const pool::Stand& stand) {
  const std::size_t colon = stand.kind.find(':');
  Json object = {{"language", stand.kind.substr(0, colon)},
                 {"kind", stand.kind.substr(colon + 1)},
                 {"ready", stand.waiting},
                 {"making", stand.coming},
                 {"wanted", stand.wanted}};
  if (stand.memory_bytes > 0) object["memory_bytes"] = stand.memory_bytes;
  return object;
}

Json json_of(const PoolState& pool) {
  const pool::Counts& counts = pool.counts;
  Json object = {{"backend", pool.backend}, {"ready", counts.waiting},  {"made", counts.made},
                 {"used", counts.handed},   {"missed", counts.missed},  {"unfit", counts.unfit},
                 {"failed", counts.failed}, {"leaving", counts.leaving}};
  object["kinds"] = Json::array();
  for (const pool::Stand& stand : pool.stands) object["kinds"].push_back(json_of(stand));
  return object;
}

}  // namespace

std::string to_json(const std::vector<PoolState>& pools) {
  Json object = {{"pools", Json::array()}};
  for (const PoolState& pool : pools) object["pools"].push_back(json_of(pool));
  return object.dump();
}

}  // namespace lazaret::core
