#include "engine/url.hpp"

#include <utility>

namespace lazaret::engine {
namespace {

bool unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool has_control(std::string_view text) noexcept {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

}  // namespace

std::string percent_encode(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

Target::Target(std::string_view word) { segment(word); }

void Target::segment(std::string_view text) {
  path_ += '/';
  path_ += percent_encode(text);
}

void Target::refuse(std::string_view why, std::string_view text) {
  if (error_) return;
  error_ = Error(Errc::invalid_argument,
                 "\"" + percent_encode(text.substr(0, 128)) + "\" cannot be asked for: " +
                     std::string(why));
}

Target Target::word(std::string_view text) && {
  segment(text);
  return std::move(*this);
}

Target Target::id(std::string_view text) && {
  // The engines' routers decode before they match: an encoded slash or dot-dot would still steer
  // the request to another route.
  if (text.empty()) refuse("the id is empty", text);
  if (text == "." || text == "..") refuse("not an id", text);
  if (text.find('/') != text.npos) refuse("an id has no slash", text);
  if (has_control(text)) refuse("control character", text);
  segment(text);
  return std::move(*this);
}

Target Target::reference(std::string_view text) && {
  Target target = std::move(*this);
  std::string_view rest = text;
  for (;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty()) target.refuse("a part of the image's name is empty", text);
    target = std::move(target).id(part);
    if (slash == rest.npos) return target;
    rest.remove_prefix(slash + 1);
  }
}

Target Target::query(std::string_view name, std::string_view value) && {
  query_ += query_.empty() ? '?' : '&';
  query_ += percent_encode(name) + "=" + percent_encode(value);
  return std::move(*this);
}

Target Target::query_if(std::string_view name, std::string_view value) && {
  if (value.empty()) return std::move(*this);
  return std::move(*this).query(name, value);
}

Result<std::string> Target::build(std::string_view version) const {
  if (error_) return *error_;
  std::string text;
  if (!version.empty()) text = "/v" + percent_encode(version);
  return text + path_ + query_;
}

}  // namespace lazaret::engine
