#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "core/rich.hpp"
#include "lazaret/execution_result.hpp"

namespace lazaret::core {

/// What came over the value channel. All of it is a claim of the program about itself.
struct ValueMessage {
  std::optional<std::string> value;  ///< JSON text
  std::optional<ResultError> error;
};

/// Gathers what is shown, a line each, and the channel's one document behind that; never holds more
/// than their caps.
class ValueChannel {
 public:
  explicit ValueChannel(std::uint64_t cap_bytes) : cap_(static_cast<std::size_t>(cap_bytes)) {}
  void take(Bytes bytes);
  /// Takes a farewell off its end, if the runner has not heard it: it came in two pieces.
  void drop_farewell(std::string_view farewell);
  /// Nothing for a channel that stayed empty; SerializationError for a value that is too large, too
  /// deep or not JSON.
  [[nodiscard]] ValueMessage message() const;
  /// What was shown before.
  [[nodiscard]] RichLines::Message rich() const;

 private:
  void append(std::string_view text);
  void end_line();
  [[nodiscard]] bool is_rich() const { return text_.starts_with(kRichStart); }

  std::size_t cap_;
  std::string text_;  // the document, or a line that shows something
  bool is_document_ = false;
  bool overflowed_ = false;
  RichLines rich_;
};

}  // namespace lazaret::core
