#include "os/pipe.hpp"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

struct Pipe {
  Handle out, in;
};

Pipe fresh_pipe() {
  auto ends = make_pipe();
  EXPECT_TRUE(ends.ok());
  return {std::move(ends->first), std::move(ends->second)};
}

TEST(WindowsPipe, GivesNothingWhileItIsEmptyThenWhatIsThere) {
  const Pipe pipe = fresh_pipe();
  std::array<std::byte, 16> part;
  EXPECT_FALSE(read_now(pipe.out.get(), part)->has_value());
  EXPECT_EQ(write_now(pipe.in.get(), bytes_of("words")).value(), 5U);
  const auto count = read_now(pipe.out.get(), part);
  ASSERT_TRUE(count.ok() && count->has_value());
  EXPECT_EQ(text_of(Bytes(part).first(**count)), "words");
}

TEST(WindowsPipe, EndsWhenTheWriterIsGone) {
  Pipe pipe = fresh_pipe();
  pipe.in.reset();
  std::array<std::byte, 16> part;
  EXPECT_EQ(read_now(pipe.out.get(), part).value(), 0U);
}

TEST(WindowsPipe, LosesTheConnectionWhenNobodyReads) {
  Pipe pipe = fresh_pipe();
  pipe.out.reset();
  EXPECT_EQ(write_now(pipe.in.get(), bytes_of("words")).error().code(), Errc::connection_lost);
}

TEST(WindowsPipe, RefusesWhatPipesCannotDo) {
  const Pipe pipe = fresh_pipe();
  EXPECT_EQ(set_nonblocking(pipe.in.get()).error().code(), Errc::unsupported);
  EXPECT_EQ(wait_ready({}, Call{}).error().code(), Errc::unsupported);
}

}  // namespace
}  // namespace lazaret::os
