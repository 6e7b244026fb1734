#include "os/pipe.hpp"
#include "soon.hpp"

#include <fcntl.h>
#include <signal.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

using lazaret::test::at_once;
using lazaret::test::soon;

struct Ends {
  Handle out, in;
  Ends() {
    auto ends = make_pipe();
    out = std::move(ends->first);
    in = std::move(ends->second);
    EXPECT_TRUE(set_nonblocking(out.get()).ok());
    EXPECT_TRUE(set_nonblocking(in.get()).ok());
  }
};

TEST(Pipe, ClosesOnExec) {
  const Ends ends;
  EXPECT_TRUE(::fcntl(ends.out.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(ends.in.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(Pipe, TellsNothingYetFromTheEnd) {
  Ends ends;
  std::array<std::byte, 8> room{};
  EXPECT_EQ(read_now(ends.out.get(), room).value(), std::nullopt);
  ASSERT_EQ(write_now(ends.in.get(), bytes_of("abc")).value(), 3U);
  EXPECT_EQ(read_now(ends.out.get(), room).value(), 3U);
  ends.in.reset();
  EXPECT_EQ(read_now(ends.out.get(), room).value(), 0U);
}

TEST(Pipe, TakesWhatFitsAndThenNothing) {
  const Ends ends;
  const std::string much(1 << 20, 'x');
  const std::size_t first = write_now(ends.in.get(), bytes_of(much)).value();
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, much.size());
  EXPECT_EQ(write_now(ends.in.get(), bytes_of(much)).value(), 0U);
}

TEST(Pipe, SaysConnectionLostWhenNobodyReads) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  Ends ends;
  ends.out.reset();
  EXPECT_EQ(write_now(ends.in.get(), bytes_of("a")).error().code(), Errc::connection_lost);
  ASSERT_EQ(::sigaction(SIGPIPE, &before, nullptr), 0);
}

TEST(Pipe, SaysWhichCallFailed) {
  std::array<std::byte, 1> room{};
  EXPECT_FALSE(read_now(kNoHandle, room).ok());
  EXPECT_FALSE(write_now(kNoHandle, bytes_of("a")).ok());
  EXPECT_FALSE(set_nonblocking(kNoHandle).ok());
}

TEST(WaitReady, SeesWhichOneIsReadable) {
  const Ends quiet, loud;
  ASSERT_TRUE(write_now(loud.in.get(), bytes_of("a")).ok());
  std::array<Watch, 2> watches = {Watch{quiet.out.get(), true, false},
                                  Watch{loud.out.get(), true, false}};
  ASSERT_TRUE(wait_ready(watches, soon()).ok());
  EXPECT_FALSE(watches[0].ready);
  EXPECT_TRUE(watches[1].ready);
}

TEST(WaitReady, SkipsWhatIsNotThereOrNotWanted) {
  const Ends loud;
  std::array<Watch, 3> watches = {Watch{kNoHandle, true, true}, Watch{loud.in.get(), false, false},
                                  Watch{loud.in.get(), false, true}};
  ASSERT_TRUE(wait_ready(watches, soon()).ok());
  EXPECT_FALSE(watches[0].ready);
  EXPECT_FALSE(watches[1].ready);
  EXPECT_TRUE(watches[2].ready);
}

TEST(WaitReady, CountsAHangUpAsReadable) {
  Ends ends;
  ends.in.reset();
  std::array<Watch, 1> watches = {Watch{ends.out.get(), true, false}};
  ASSERT_TRUE(wait_ready(watches, soon()).ok());
  EXPECT_TRUE(watches[0].ready);
}

TEST(WaitReady, EndsAtTheDeadline) {
  const Ends ends;
  std::array<Watch, 1> watches = {Watch{ends.out.get(), true, false}};
  EXPECT_EQ(wait_ready(watches, at_once()).error().code(), Errc::timed_out);
}

TEST(WaitReady, EndsWhenStoppedBeforeAndWhileItWaits) {
  const Ends ends;
  std::array<Watch, 1> watches = {Watch{ends.out.get(), true, false}};
  std::stop_source source;
  const Call call{soon().deadline, source.get_token()};
  const std::jthread stopper([&source] { source.request_stop(); });
  EXPECT_EQ(wait_ready(watches, call).error().code(), Errc::cancelled);
  EXPECT_EQ(wait_ready(watches, call).error().code(), Errc::cancelled);
}

TEST(WaitReady, TakesSixteenAndRefusesOneMore) {
  const Ends ends;
  std::vector<Watch> watches(16, Watch{ends.in.get(), false, true});
  EXPECT_TRUE(wait_ready(watches, soon()).ok());
  watches.push_back({ends.in.get(), false, true});
  EXPECT_EQ(wait_ready(watches, soon()).error().code(), Errc::too_large);
}

}  // namespace
}  // namespace lazaret::os
