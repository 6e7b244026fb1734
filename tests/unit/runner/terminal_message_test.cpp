#include <gtest/gtest.h>

#include "unit/runner/message_bed.hpp"

// What is said of terminals.
namespace lazaret::runner {
namespace {

using test::expect_only_whole;

Job plain_job() {
  Job job;
  job.argv = {"sh"};
  job.farewell = "bye";
  return job;
}

TEST(JobMessage, BringsTheSizeOfItsTerminal) {
  Job sent = plain_job();
  sent.terminal = TerminalSize{1, 65535};
  const auto job = decode_job(encode(sent));
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->terminal, sent.terminal);
  expect_only_whole(encode(sent), decode_job);
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
  expect_only_whole(encode(sent), decode_terminal_size);
}

}  // namespace
}  // namespace lazaret::runner
