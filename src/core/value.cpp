#include "core/value.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"

namespace lazaret::core {
namespace {

using json = nlohmann::ordered_json;  // the program's own order of keys is kept

constexpr std::size_t kEnvelopeBytes = 512UL << 10;  // an error's message and stack, and the braces
constexpr int kMostDepth = 128;

ValueMessage refused(std::string message) {
  return {std::nullopt, ResultError{ErrorType::SerializationError, std::move(message), {}, {}}};
}

// The parser keeps its own stack, but dump() recurses: depth is bounded while parsing.
std::optional<json> parse_bounded(const std::string& text) {
  bool too_deep = false;
  const json::parser_callback_t watch = [&too_deep](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kMostDepth;
    return !too_deep;
  };
  json document = json::parse(text, watch, false);
  if (document.is_discarded() || too_deep) return std::nullopt;
  return document;
}

std::optional<ErrorType> type_named(const std::string& name) {
  constexpr std::array kTypes = {ErrorType::SyntaxError, ErrorType::RuntimeError,
                                 ErrorType::MemoryError, ErrorType::SerializationError,
                                 ErrorType::PermissionDenied};
  for (const ErrorType type : kTypes) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

// Colours and the other CSI sequences of ECMA-48 have no place in a message.
std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') {
      plain += text[at];
      continue;
    }
    at += 2;
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
  }
  return plain;
}

std::optional<std::string> text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return without_colours(found->get<std::string>());
}

ValueMessage error_of(const json& error) {
  const auto type =
      error.is_object() ? type_named(text_at(error, "type").value_or("")) : std::nullopt;
  if (!type) return refused("the value channel carries an error of no known type");
  return {std::nullopt,
          ResultError{*type, text_at(error, "message").value_or(""), text_at(error, "stack"), {}}};
}

}  // namespace

void ValueChannel::take(Bytes bytes) {
  const std::size_t room = cap_ + kEnvelopeBytes - std::min(text_.size(), cap_ + kEnvelopeBytes);
  overflowed_ = overflowed_ || bytes.size() > room;
  text_.append(text_of(bytes.first(std::min(bytes.size(), room))));
}

ValueMessage ValueChannel::message() const {
  const std::string cap_text = std::to_string(cap_) + " bytes";
  if (overflowed_) return refused("the value is larger than " + cap_text);
  if (text_.empty()) return {};
  const auto document = is_utf8(text_) ? parse_bounded(text_) : std::nullopt;
  if (!document || !document->is_object())
    return refused("the value is not JSON, or nested too deep");
  if (const auto error = document->find("error"); error != document->end()) return error_of(*error);
  const auto value = document->find("value");
  if (value == document->end()) return refused("the value channel carries neither value nor error");
  std::string text = value->dump();
  if (text.size() > cap_) return refused("the value is larger than " + cap_text);
  return {std::move(text), std::nullopt};
}

}  // namespace lazaret::core
