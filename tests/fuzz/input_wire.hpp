#pragma once

#include <algorithm>
#include <cstddef>

#include "base/wire.hpp"

namespace lazaret::fuzz {

/// Gives the input in pieces of one size, and takes everything.
class InputWire final : public Wire {
 public:
  InputWire(Bytes input, std::size_t piece) : input_(input), piece_(piece) {}
  Result<std::size_t> read(std::span<std::byte> into, const Call&) override {
    const std::size_t count = std::min({input_.size(), into.size(), piece_});
    std::copy_n(input_.begin(), count, into.begin());
    input_ = input_.subspan(count);
    return count;
  }
  Status write(Bytes, const Call&) override { return {}; }
  Status close_write() override { return {}; }

 private:
  Bytes input_;
  std::size_t piece_;
};

}  // namespace lazaret::fuzz
