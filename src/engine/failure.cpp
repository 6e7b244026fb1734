#include "engine/failure.hpp"

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "engine/json.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kMessageBytes = 1UL << 10;
constexpr std::size_t kLookedAt = 16UL << 10;

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view{} : text.substr(first);
}

bool is_markup(std::string_view body) noexcept { return trimmed(body).substr(0, 1) == "<"; }

std::string without_tags(std::string_view page) {
  std::string text;
  bool in_tag = false;
  for (const char c : page) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c != '>' || !in_tag) continue;
    in_tag = false;
    text += ' ';
  }
  return text;
}

Errc code_of(int status, Subject subject) noexcept {
  switch (status) {
    case 400: return Errc::invalid_argument;
    case 401:
    case 403: return Errc::permission_denied;
    case 404: return subject == Subject::image ? Errc::image_missing : Errc::not_found;
    case 409: return Errc::conflict;
    default: return Errc::engine;
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text.substr(0, kLookedAt), ' ')) {
    if (c == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += c;
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() <= kMessageBytes) return line;
  return line.substr(0, whole_prefix(std::string_view(line).substr(0, kMessageBytes)));
}

std::string failure_text(std::string_view body) {
  if (is_markup(body)) return one_line(without_tags(body.substr(0, kLookedAt)));
  const auto object = parse_object(body);
  if (!object.ok()) return one_line(body);
  std::string message = text_at(*object, "message");
  if (message.empty()) message = text_at(*object, "cause");
  return one_line(message);
}

Error failure_of(const http::Response& response, Subject subject) {
  const int status = response.head.status;
  std::string text = failure_text(response.body);
  if (text.empty()) text = "the engine gave no reason";
  Error error(code_of(status, subject), text + " (HTTP " + std::to_string(status) + ")");
  if (status != 403 || !is_markup(response.body)) return error;
  return std::move(error).with_hint(
      "a proxy in front of the engine's socket refuses this call; it must allow containers, "
      "images, exec and POST");
}

}  // namespace lazaret::engine
