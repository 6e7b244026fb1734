#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "runner/message.hpp"

namespace lazaret::runner::test {

/// Every cut of a message and one byte more are refused by `decode`.
template <typename Decode>
void expect_only_whole(const std::vector<std::byte>& whole, Decode decode) {
  ASSERT_TRUE(decode(Bytes(whole)).ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const auto decoded = decode(Bytes(whole).first(size));
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code(), Errc::protocol);
  }
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(Bytes(longer)).ok());
}

}  // namespace lazaret::runner::test
