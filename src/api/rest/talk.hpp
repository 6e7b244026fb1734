#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "api/rest/channel.hpp"
#include "api/rest/desk.hpp"
#include "api/rest/events.hpp"
#include "api/rest/input.hpp"

namespace lazaret::rest {

/// The conversation of one WebSocket, message by message, without the socket. The client's first
/// message asks for a run; then binary ones are standard input, an empty one its end, and texts are
/// {"signal": "TERM"}, {"resize": {"rows": 24, "columns": 80}} or {"cancel": true}. Ours are binary
/// for output, the first byte 1 or 2 for the stream, and for the content of the artifact that was
/// named last, 3, nothing behind it at its end; and texts {"event": "run" | "progress" | "artifact"
/// | "result" | "problem", …}.
class Talk {
 public:
  enum class Kind { text, binary };
  struct Message {
    Kind kind;
    std::string text;
  };

  Talk(Desk& desk, std::string request_id) : desk_(desk), request_id_(std::move(request_id)) {}

  /// Called whenever next() may have something new.
  void when_changed(std::function<void()> changed) { changed_ = std::move(changed); }
  void hear(const std::string& message, Kind kind);
  /// Says what is wrong, and ends; nothing more is heard.
  void complain(const Problem& problem);
  [[nodiscard]] bool complained() const noexcept { return complaint_.has_value(); }
  /// What is to be said next; nothing when there is nothing yet.
  [[nodiscard]] std::optional<Message> next();
  [[nodiscard]] bool begun() const noexcept { return run_ != nullptr; }
  /// Whether the last message has been given out.
  [[nodiscard]] bool over() const noexcept { return over_; }
  /// The client has gone: its run ends.
  void leave();

 private:
  void begin(const std::string& message);
  void open_artifacts(ExecutionRequest& request);
  void control(const std::string& message);
  void resize(const nlohmann::json& wanted);
  void tell_size();

  Desk& desk_;
  std::string request_id_;
  std::function<void()> changed_;
  std::shared_ptr<Run> run_;      // shared with the worker that executes it
  std::shared_ptr<Input> input_;  // shared with the run's source of standard input
  std::shared_ptr<Channel> artifacts_;  // shared with the run's sink for them
  std::optional<std::stop_callback<std::function<void()>>> cut_;  // of them, when the run ends
  std::shared_ptr<std::function<void()>> wake_;                   // here as long as this is
  std::optional<Events> events_;
  std::optional<TerminalSize> size_;  // that the program has not been told of yet
  std::optional<std::string> complaint_;
  bool over_ = false;
};

}  // namespace lazaret::rest
