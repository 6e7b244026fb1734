#include "engine/json_lines.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kLineBytes = 1UL << 20;

// RFC 7464 puts a record separator in front of each text.
std::string_view trimmed(std::string_view line) noexcept {
  constexpr std::string_view kAround = " \t\r\x1e";
  const std::size_t first = line.find_first_not_of(kAround);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kAround) - first + 1);
}

}  // namespace

JsonLines::JsonLines(JsonSink sink) : sink_(std::move(sink)) {}

Status JsonLines::feed(Bytes piece) {
  std::string_view rest = text_of(piece);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view part = rest.substr(0, end);
    if (part.size() > kLineBytes - line_.size()) {
      return Error(Errc::too_large, "a line of the engine's stream is longer than 1 MiB");
    }
    line_ += part;
    if (end == rest.npos) return {};
    rest.remove_prefix(end + 1);
    LAZARET_CHECK(take_line());
  }
  return {};
}

Status JsonLines::finish() { return take_line(); }

Status JsonLines::take_line() {
  const std::string line = std::exchange(line_, {});
  const std::string_view text = trimmed(line);
  if (text.empty()) return {};
  LAZARET_TRY(const nlohmann::json object, parse_object(text));
  return sink_(object);
}

}  // namespace lazaret::engine
