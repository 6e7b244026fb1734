#include "api/rest/events.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"

namespace lazaret::rest {
namespace {

std::string event(const char* name, const std::string& data) {
  return std::string("event: ") + name + "\ndata: " + data + "\n\n";
}

const char* name_of(Stream stream) {
  return stream == Stream::standard_output ? "stdout" : "stderr";
}

}  // namespace

std::optional<std::string> Events::start() {
  if (std::exchange(started_, true)) return std::nullopt;
  return run_->id;
}

std::optional<std::string> Events::result() {
  if (run_->state != RunState::done || std::exchange(over_, true)) return std::nullopt;
  return run_->result;
}

std::optional<std::string> EventText::next() {
  if (const auto id = events_.start()) return event("run", nlohmann::json{{"run_id", *id}}.dump());
  while (auto output = events_.output()) {
    if (auto text = text_of(std::move(*output))) return text;
  }
  const auto result = events_.result();
  if (!result) return std::nullopt;
  over_ = true;
  std::string text;
  for (const Stream stream : {Stream::standard_output, Stream::standard_error}) {
    const std::string& cut = cut_[static_cast<std::size_t>(stream)];
    if (!cut.empty()) text += event(name_of(stream), nlohmann::json(to_utf8(cut)).dump());
  }
  return text + event("result", *result);
}

std::optional<std::string> EventText::text_of(Backlog::Piece output) {
  std::string& cut = cut_[static_cast<std::size_t>(output.stream)];
  const std::string bytes = std::exchange(cut, {}) + output.bytes;
  const std::size_t whole = whole_prefix(bytes);
  cut = bytes.substr(whole);
  if (whole == 0) return std::nullopt;
  return event(name_of(output.stream), nlohmann::json(to_utf8(bytes.substr(0, whole))).dump());
}

}  // namespace lazaret::rest
