#include "api/rest/events.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"

namespace lazaret::rest {
namespace {

void put_event(std::string& text, std::string_view name, std::string_view data) {
  constexpr std::string_view kName = "event: ", kData = "\ndata: ", kEnd = "\n\n";
  text.reserve(text.size() + kName.size() + name.size() + kData.size() + data.size() + kEnd.size());
  for (const std::string_view part : {kName, name, kData, data, kEnd}) text += part;
}

const char* name_of(Stream stream) {
  return stream == Stream::standard_output ? "stdout" : "stderr";
}

}  // namespace

std::string event_text(std::string_view name, std::string_view data) {
  std::string text;
  put_event(text, name, data);
  return text;
}

std::optional<std::string> Events::start() {
  if (std::exchange(started_, true)) return std::nullopt;
  return run_->id;
}

std::optional<std::string> Events::progress() {
  if (run_->progress.empty()) return std::nullopt;
  std::string first = std::move(run_->progress.front());
  run_->progress.pop_front();
  return first;
}

std::optional<Backlog::Piece> Events::output() {
  auto piece = run_->output.take();
  if (piece) run_->current.take(piece->bytes.size());
  return piece;
}

std::optional<std::string> Events::result() {
  if (run_->state != RunState::done || std::exchange(over_, true)) return std::nullopt;
  return std::move(run_->result);
}

std::optional<std::string> EventText::next() {
  if (const auto id = events_.start())
    return event_text("run", nlohmann::json{{"run_id", *id}}.dump());
  if (const auto what = events_.progress())
    return event_text("progress", nlohmann::json(to_utf8(*what)).dump());
  while (auto output = events_.output()) {
    if (auto text = text_of(std::move(*output))) return text;
  }
  const auto result = events_.result();
  if (!result) return std::nullopt;
  over_ = true;
  std::string text;
  for (const Stream stream : {Stream::standard_output, Stream::standard_error}) {
    const std::string& cut = cut_[static_cast<std::size_t>(stream)];
    if (!cut.empty()) put_event(text, name_of(stream), nlohmann::json(to_utf8(cut)).dump());
  }
  put_event(text, "result", *result);
  return text;
}

std::optional<std::string> EventText::text_of(Backlog::Piece output) {
  std::string& cut = cut_[static_cast<std::size_t>(output.stream)];
  const std::string bytes = std::exchange(cut, {}) + output.bytes;
  const std::size_t whole = whole_prefix(bytes);
  cut = bytes.substr(whole);
  if (whole == 0) return std::nullopt;
  return event_text(name_of(output.stream), nlohmann::json(to_utf8(bytes.substr(0, whole))).dump());
}

}  // namespace lazaret::rest
