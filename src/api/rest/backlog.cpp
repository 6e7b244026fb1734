#include "api/rest/backlog.hpp"

#include <utility>

namespace lazaret::rest {

void Backlog::put(Stream stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const bool fits = !pieces_.empty() && pieces_.back().stream == stream &&
                      pieces_.back().bytes.size() < kPieceBytes;
    if (!fits) pieces_.push_back({stream, {}});
    std::string& last = pieces_.back().bytes;
    const std::string_view part = bytes.substr(0, kPieceBytes - last.size());
    last += part;
    bytes.remove_prefix(part.size());
  }
}

std::optional<Backlog::Piece> Backlog::take() {
  if (pieces_.empty()) return std::nullopt;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

}  // namespace lazaret::rest
