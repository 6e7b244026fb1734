#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lazaret/execution_result.hpp"

namespace lazaret::core {

inline constexpr std::size_t kMostRich = 100;
inline constexpr std::size_t kMostRichBytes = 8UL << 20;  ///< of all, as they come, in base64
inline constexpr std::size_t kLargestRich = 4UL << 20;    ///< of one

/// How a line begins on the value channel that shows something. It ends with '}' and '\n'.
inline constexpr std::string_view kRichStart = R"({"rich":)";

/// What JSON has of a form: bytes in base64, a text, or JSON itself.
enum class RichKind { bytes, text, json };
[[nodiscard]] RichKind kind_of(std::string_view media_type) noexcept;

/// {"source": …, "data": {media type: …}}, of which only types that are known, with content of
/// their kind, are taken; nothing where there are none. Takes time and memory by its length.
[[nodiscard]] std::optional<RichResult> rich_of(std::string_view entry);
/// What rich_of() reads.
[[nodiscard]] std::string json_of(const RichResult& rich);

/// What a program shows, as it comes; holds no more than may be kept. All of it is its own claim.
class RichLines {
 public:
  /// A whole line without its end.
  void take(std::string line);
  /// One that was longer than any may be, or has no end.
  void leave() { ++left_out_; }
  struct Message {
    std::vector<RichResult> results;
    std::vector<std::string> warnings;
  };
  [[nodiscard]] Message message() const;

 private:
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace lazaret::core
