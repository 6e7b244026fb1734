#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/rest/runs.hpp"
#include "lazaret/request.hpp"

namespace lazaret::rest {

/// One server-sent event (HTML, 9.2); `data` is a single line.
[[nodiscard]] std::string event_text(std::string_view name, std::string_view data);

/// What a client is told of a run while it goes on, taken from it piece by piece, as fast as the
/// client takes it. What waits is bounded by the caps of the run's output: the program waits for no
/// reader, so that its time limit holds, but with a terminal for a moment (Current).
class Events {
 public:
  // Shared with the worker that executes the run.
  explicit Events(std::shared_ptr<Run> run) : run_(std::move(run)) {}

  /// The run's id, once.
  [[nodiscard]] std::optional<std::string> start();
  /// What is done before the program runs, and has not been told yet.
  [[nodiscard]] std::optional<std::string> progress();
  /// Output that has not been taken yet.
  [[nodiscard]] std::optional<Backlog::Piece> output();
  /// The result, once, after all output.
  [[nodiscard]] std::optional<std::string> result();

 private:
  std::shared_ptr<Run> run_;
  bool started_ = false;
  bool over_ = false;
};

/// The same as server-sent events (HTML, 9.2): `run`, `progress`, `stdout` and `stderr` with a JSON
/// string each, `result`. Output that is not UTF-8 is replaced as it is in results.
class EventText {
 public:
  explicit EventText(std::shared_ptr<Run> run) : events_(std::move(run)) {}

  /// The next event; nothing when there is none yet, or after the last.
  [[nodiscard]] std::optional<std::string> next();
  [[nodiscard]] bool over() const noexcept { return over_; }

 private:
  [[nodiscard]] std::optional<std::string> text_of(Backlog::Piece output);

  Events events_;
  std::string cut_[2];  // the beginning of a character whose end has not come yet
  bool over_ = false;
};

}  // namespace lazaret::rest
