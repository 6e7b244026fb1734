#include "core/terminal_json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostExtent = 65535;

bool is_extent(const json& value) {
  return value.is_number_integer() && value >= 1 && value <= kMostExtent;
}

}  // namespace

Result<TerminalSize> terminal_of(const json& object) {
  if (object.is_object() && object.empty()) return TerminalSize();
  const bool whole = object.is_object() && object.size() == 2 && object.contains("rows") &&
                     object.contains("columns");
  if (whole && is_extent(object["rows"]) && is_extent(object["columns"]))
    return TerminalSize{object["rows"].get<std::uint16_t>(),
                        object["columns"].get<std::uint16_t>()};
  return Error(Errc::invalid_argument,
               "terminal must be an object with rows and columns, whole numbers from 1 to 65535");
}

json json_of(const TerminalSize& size) { return {{"rows", size.rows}, {"columns", size.columns}}; }

}  // namespace lazaret::core
