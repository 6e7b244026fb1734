#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "lazaret/request.hpp"

namespace lazaret::rest {

/// What a program has written to its streams, to be read from anywhere and more than once.
class Record {
 public:
  void put(Stream stream, std::string_view bytes) { streams_[at(stream)] += bytes; }
  [[nodiscard]] const std::string& of(Stream stream) const { return streams_[at(stream)]; }
  /// When no more comes.
  void shrink() {
    for (std::string& stream : streams_) stream.shrink_to_fit();
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return streams_[0].size() + streams_[1].size();
  }

 private:
  static std::size_t at(Stream stream) { return stream == Stream::standard_output ? 0 : 1; }

  std::array<std::string, 2> streams_;
};

}  // namespace lazaret::rest
