#include <vector>

#include <gtest/gtest.h>

#include "runner/message.hpp"

// What is said of terminals.
namespace lazaret::runner {
namespace {

Job plain_job() {
  Job job;
  job.argv = {"sh"};
  job.farewell = "bye";
  return job;
}

// Every cut, and one byte more.
template <typename Decode>
void expect_refused_cut(std::vector<std::byte> whole, Decode decode) {
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode(Bytes(whole).first(size)).ok()) << size;
  whole.push_back(std::byte{0});
  EXPECT_FALSE(decode(Bytes(whole)).ok());
}

TEST(JobMessage, BringsTheSizeOfItsTerminal) {
  Job sent = plain_job();
  sent.terminal = TerminalSize{1, 65535};
  const auto job = decode_job(encode(sent));
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->terminal, sent.terminal);
  expect_refused_cut(encode(sent), decode_job);
}

TEST(JobMessage, HasNoTerminalWithoutASizeNorInAContext) {
  Job sent = plain_job();
  for (const TerminalSize size : {TerminalSize{0, 80}, TerminalSize{24, 0}}) {
    sent.terminal = size;
    EXPECT_EQ(decode_job(encode(sent)).error().code(), Errc::protocol);
  }
  sent.terminal.emplace();
  sent.context = "main";
  sent.keeps_box = true;
  EXPECT_EQ(decode_job(encode(sent)).error().code(), Errc::protocol);
  sent.terminal.reset();
  EXPECT_TRUE(decode_job(encode(sent)).ok());
}

TEST(TerminalSizeMessage, ComesBackAsItWas) {
  const TerminalSize sent{7, 0xABCD};
  const auto size = decode_terminal_size(encode(sent));
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(*size, sent);
  expect_refused_cut(encode(sent), decode_terminal_size);
}

}  // namespace
}  // namespace lazaret::runner
