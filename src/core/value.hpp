#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "lazaret/execution_result.hpp"

namespace lazaret::core {

/// What came over the value channel. All of it is a claim of the program about itself.
struct ValueMessage {
  std::optional<std::string> value;  ///< JSON text
  std::optional<ResultError> error;
};

/// Gathers the channel's one document; never holds more than its cap.
class ValueChannel {
 public:
  explicit ValueChannel(std::uint64_t cap_bytes) : cap_(static_cast<std::size_t>(cap_bytes)) {}
  void take(Bytes bytes);
  /// Takes a farewell off its end, if the runner has not heard it: it came in two pieces.
  void drop_farewell(std::string_view farewell);
  /// Nothing for a channel that stayed empty; SerializationError for a value that is too large, too
  /// deep or not JSON.
  [[nodiscard]] ValueMessage message() const;

 private:
  std::size_t cap_;
  std::string text_;
  bool overflowed_ = false;
};

}  // namespace lazaret::core
