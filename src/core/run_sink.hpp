#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/collector.hpp"
#include "core/stdin_feed.hpp"
#include "core/value.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/limits.hpp"
#include "lazaret/request.hpp"
#include "policy/spec.hpp"
#include "runner/client.hpp"

namespace lazaret::core {

/// The run's streams, bounded; output is passed on while it goes into the head, and the rest of it
/// once it is known that nothing between is missing. That of a terminal is passed on at once, and
/// so is what is relayed, of which nothing is kept.
class RunSink final : public runner::Sink {
 public:
  RunSink(const ExecutionRequest& request, const policy::Spec& spec)
      : request_(request),
        is_relayed_(spec.streams == policy::Streams::relayed),
        limit_(spec.limits.output_bytes),
        out(spec.limits.stdout_bytes),
        err(spec.limits.stderr_bytes),
        value_channel(spec.limits.value_bytes) {}

  /// Refuses what goes beyond the limit on output, and takes it all the same.
  Status output(Stream stream, Bytes bytes) override {
    pass(stream, bytes);
    written_ += bytes.size();
    is_over_ = limit_ && written_ > *limit_;
    if (is_over_) return Error(Errc::too_large, "more output than is allowed");
    return {};
  }
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// Of a program that is being ended anyhow.
  void lift_limit() { limit_.reset(); }
  void pass(Stream stream, Bytes bytes) {
    if (is_relayed_ && stream == Stream::standard_output)
      return request_.on_output(stream, text_of(bytes));
    Collector& collector = stream == Stream::standard_output ? out : err;
    const std::size_t kept = collector.take(bytes);
    const Bytes passed = request_.terminal ? bytes : bytes.first(kept);
    if (!passed.empty() && request_.on_output) request_.on_output(stream, text_of(passed));
  }
  void pass_rest() const {
    if (request_.terminal || is_relayed_) return;
    for (const Stream stream : {Stream::standard_output, Stream::standard_error}) {
      const Collector& collector = stream == Stream::standard_output ? out : err;
      if (!request_.on_output || collector.truncated()) continue;
      if (const std::string rest = collector.tail(); !rest.empty())
        request_.on_output(stream, rest);
    }
  }
  /// What is the program's however it ended; there is no more of it afterwards.
  void give(ExecutionResult& result) {
    result.meta.output = {out.total_bytes(), err.total_bytes(), out.truncated(), err.truncated()};
    result.truncated = out.truncated() || err.truncated();
    result.stdout_text = std::move(out).text();
    result.stderr_text = std::move(err).text();
    RichLines::Message shown = value_channel.rich();
    result.rich = std::move(shown.results);
    for (std::string& warning : shown.warnings) result.meta.warnings.push_back(std::move(warning));
  }
  void value(Bytes bytes) override { value_channel.take(bytes); }
  void credit(std::uint32_t bytes) override {
    if (feed != nullptr) feed->credit(bytes);
  }

 private:
  const ExecutionRequest& request_;
  bool is_relayed_;
  std::optional<std::uint64_t> limit_;  // on both streams together
  std::uint64_t written_ = 0;
  bool is_over_ = false;

 public:
  Collector out;
  Collector err;
  ValueChannel value_channel;
  StdinFeed* feed = nullptr;
};

}  // namespace lazaret::core
