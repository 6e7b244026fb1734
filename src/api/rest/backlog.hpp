#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "lazaret/request.hpp"

namespace lazaret::rest {

/// Output that its reader has not taken yet, in order, in pieces of at most 16 KiB of one stream.
class Backlog {
 public:
  static constexpr std::size_t kPieceBytes = 16UL << 10;
  struct Piece {
    Stream stream;
    std::string bytes;
  };

  void put(Stream stream, std::string_view bytes);
  /// The oldest piece; nothing when there is none.
  [[nodiscard]] std::optional<Piece> take();

 private:
  std::deque<Piece> pieces_;
};

}  // namespace lazaret::rest
