#include "core/rich.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/base64.hpp"
#include "base/utf8.hpp"
#include "core/json_members.hpp"

namespace lazaret::core {
namespace {

using nlohmann::json;

// By the media types that are known.
std::optional<JsonMembers> forms_of(std::string_view data) {
  return members_of(
      data, {"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "text/html",
             "text/markdown", "text/latex", "text/plain", "application/json",
             "application/geo+json", "application/vnd.dataresource+json",
             "application/vnd.plotly.v1+json", "application/vnd.vega.v5+json",
             "application/vnd.vegalite.v5+json", "application/javascript", "application/pdf"});
}

constexpr int kMostDepthInAList = kMostDepth - 2;  // of what an entry of it has

std::optional<std::string> content_of(RichKind kind, const std::string& text) {
  if (kind == RichKind::json) return text;
  if (!text.starts_with('"')) return std::nullopt;
  std::string content = json::parse(text).get<std::string>();
  return kind == RichKind::text ? std::optional(std::move(content)) : from_base64(content);
}

std::string in_json(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_of(RichKind kind, const std::string& content) {
  if (kind == RichKind::json) return content;
  return in_json(kind == RichKind::bytes ? to_base64(content) : content);
}

std::optional<RichResult> rich_of_line(std::string_view line) {
  if (!line.ends_with('}') || !is_utf8(line)) return std::nullopt;
  return rich_of(line.substr(kRichStart.size(), line.size() - kRichStart.size() - 1));
}

std::size_t size_of(const RichResult& rich) {
  std::size_t size = 0;
  for (const auto& [type, content] : rich.data) size += content.size();
  return size;
}

}  // namespace

RichKind kind_of(std::string_view media_type) noexcept {
  if (media_type == "application/json" || media_type.ends_with("+json")) return RichKind::json;
  const bool is_text = media_type.starts_with("text/") || media_type.ends_with("+xml") ||
                       media_type == "application/javascript";
  return is_text ? RichKind::text : RichKind::bytes;
}

std::optional<RichResult> rich_of(std::string_view entry) {
  const auto members = members_of(entry, {"source", "data"}, kMostDepthInAList);
  if (!members || !members->contains("data")) return std::nullopt;
  const auto data = forms_of(members->find("data")->second);
  if (!data) return std::nullopt;
  RichResult rich;
  const auto source = members->find("source");
  if (source != members->end() && source->second == R"("value")")
    rich.source = RichResult::Source::value;
  for (const auto& [type, text] : *data) {
    if (auto content = content_of(kind_of(type), text)) rich.data[type] = *std::move(content);
  }
  return rich.data.empty() ? std::nullopt : std::optional(std::move(rich));
}

std::string json_of(const RichResult& rich) {
  std::string text = R"({"source":)" + in_json(name_of(rich.source)) + R"(,"data":{)";
  for (const auto& [type, content] : rich.data) {
    if (!text.ends_with('{')) text += ',';
    text += in_json(type) + ':' + json_of(kind_of(type), content);
  }
  return text + "}}";
}

void RichLines::take(std::string line) {
  const bool fits = lines_.size() < kMostRich && line.size() <= kMostRichBytes - bytes_;
  if (!fits || line.size() > kLargestRich) return leave();
  bytes_ += line.size();
  lines_.push_back(std::move(line));
}

// Numbers of JSON may have been shorter when they came.
RichLines::Message RichLines::message() const {
  Message message;
  std::size_t unknown = 0, too_many = left_out_, room = kMostRichBytes;
  for (const std::string& line : lines_) {
    auto rich = rich_of_line(line);
    const std::size_t size = rich ? size_of(*rich) : 0;
    if (!rich) {
      ++unknown;
    } else if (size > std::min(room, kLargestRich)) {
      ++too_many;
    } else {
      room -= size;
      message.results.push_back(*std::move(rich));
    }
  }
  const auto warn = [&message](std::size_t count, const char* why) {
    if (count == 0) return;
    message.warnings.push_back("rich results left out: " + std::to_string(count) + why);
  };
  warn(too_many, "; at most 100 are kept, 8 MiB in all, 4 MiB of one");
  warn(unknown, "; they have no content of a known media type");
  return message;
}

}  // namespace lazaret::core
