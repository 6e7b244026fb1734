#include "core/value.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "core/colours.hpp"
#include "core/json_members.hpp"
#include "core/place.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kEnvelopeBytes = 512UL << 10;  // an error's message and stack, and the braces

ValueMessage refused(std::string message) {
  return {std::nullopt, ResultError{ErrorType::SerializationError, std::move(message), {}, {}}};
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

std::optional<std::string> text_at(const JsonMembers& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->second.starts_with('"')) return std::nullopt;
  return without_colours(nlohmann::json::parse(found->second).get<std::string>());
}

std::optional<std::string> name_at(const JsonMembers& object) {
  return name_from(text_at(object, "name").value_or(""));
}

std::optional<std::uint32_t> line_at(const JsonMembers& object) {
  const auto found = object.find("line");
  const bool whole =
      found != object.end() && found->second.find_first_not_of("0123456789") == std::string::npos;
  return whole ? line_at_start_of(found->second) : std::nullopt;
}

ValueMessage error_of(const std::string& text) {
  const auto error = members_of(text, {"type", "message", "stack", "name", "line"});
  const auto type = error ? type_named(text_at(*error, "type").value_or("")) : std::nullopt;
  if (!type) return refused("the value channel carries an error of no known type");
  return {std::nullopt, ResultError{*type,
                                    text_at(*error, "message").value_or(""),
                                    text_at(*error, "stack"),
                                    {},
                                    name_at(*error),
                                    line_at(*error)}};
}

}  // namespace

void ValueChannel::take(Bytes bytes) {
  for (std::string_view rest = text_of(bytes); !rest.empty();) {
    const std::size_t size = is_document_ ? rest.size() : std::min(rest.find('\n'), rest.size());
    append(rest.substr(0, size));
    rest.remove_prefix(size);
    const bool is_whole = !rest.empty();
    const std::string_view start = is_whole ? kRichStart : kRichStart.substr(0, text_.size());
    is_document_ = !text_.empty() && !text_.starts_with(start);
    if (is_document_ || !is_whole) continue;
    rest.remove_prefix(1);
    end_line();
  }
}

void ValueChannel::append(std::string_view text) {
  const std::size_t most = std::max(cap_ + kEnvelopeBytes, kLargestRich);
  const std::size_t room = most - text_.size();
  overflowed_ = overflowed_ || text.size() > room;
  text_.append(text.substr(0, room));
}

// One without anything is what was left of a line that is over.
void ValueChannel::end_line() {
  if (std::exchange(overflowed_, false))
    rich_.leave();
  else if (!text_.empty())
    rich_.take(std::move(text_));
  text_.clear();
}

void ValueChannel::drop_farewell(std::string_view farewell) {
  if (text_.ends_with(farewell)) text_.resize(text_.size() - farewell.size());
}

ValueMessage ValueChannel::message() const {
  const std::string cap_text = std::to_string(cap_) + " bytes";
  if (text_.empty() || is_rich()) return {};
  if (overflowed_ || text_.size() > cap_ + kEnvelopeBytes)
    return refused("the value is larger than " + cap_text);
  const auto members = is_utf8(text_) ? members_of(text_, {"value", "error"}) : std::nullopt;
  if (!members) return refused("the value is not JSON, or nested too deep");
  if (const auto error = members->find("error"); error != members->end())
    return error_of(error->second);
  const auto value = members->find("value");
  if (value == members->end()) return refused("the value channel carries neither value nor error");
  if (value->second.size() > cap_) return refused("the value is larger than " + cap_text);
  return {value->second, std::nullopt};
}

RichLines::Message ValueChannel::rich() const {
  RichLines rich = rich_;
  if (is_rich()) rich.leave();
  return rich.message();
}

}  // namespace lazaret::core
