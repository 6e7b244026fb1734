#include "api/rest/backlog.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

constexpr std::size_t kMost = Backlog::kPieceBytes;

std::vector<std::size_t> sizes_taken(Backlog& backlog) {
  std::vector<std::size_t> sizes;
  while (const auto piece = backlog.take()) sizes.push_back(piece->bytes.size());
  return sizes;
}

TEST(Backlog, GivesPiecesOf16KibibytesAndNotOneByteMore) {
  Backlog backlog;
  backlog.put(Stream::standard_output, std::string(kMost, 'x'));
  EXPECT_EQ(sizes_taken(backlog), std::vector{kMost});
  backlog.put(Stream::standard_output, std::string(kMost + 1, 'x'));
  EXPECT_EQ(sizes_taken(backlog), (std::vector{kMost, std::size_t{1}}));
}

TEST(Backlog, JoinsWhatCameInSmallParts) {
  Backlog backlog;
  for (std::size_t count = 0; count < kMost + 2; ++count) backlog.put(Stream::standard_error, "x");
  EXPECT_EQ(sizes_taken(backlog), (std::vector{kMost, std::size_t{2}}));
}

TEST(Backlog, KeepsTheOrderOfBothStreams) {
  Backlog backlog;
  backlog.put(Stream::standard_output, "a");
  backlog.put(Stream::standard_output, "b");
  backlog.put(Stream::standard_error, "c");
  backlog.put(Stream::standard_output, "d");
  std::string told;
  while (const auto piece = backlog.take())
    told += (piece->stream == Stream::standard_error ? "2:" : "1:") + piece->bytes + " ";
  EXPECT_EQ(told, "1:ab 2:c 1:d ");
}

TEST(Backlog, HasNothingToGiveWhenNothingCame) {
  Backlog backlog;
  backlog.put(Stream::standard_output, "");
  EXPECT_FALSE(backlog.take());
}

}  // namespace
}  // namespace lazaret::rest
