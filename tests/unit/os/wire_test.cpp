#include "os/wire.hpp"
#include "soon.hpp"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace lazaret::os {
namespace {

using lazaret::test::at_once;
using lazaret::test::soon;

struct Pair {
  std::unique_ptr<Wire> ours, theirs;
  Pair() {
    auto ends = stream_pair();
    ours = wire_over(std::move(ends->first));
    theirs = wire_over(std::move(ends->second));
  }
};

std::string read_all(Wire& wire) {
  std::string text;
  std::array<std::byte, 4096> room;
  for (auto count = wire.read(room, soon()); count.ok() && *count > 0;
       count = wire.read(room, soon())) {
    text += text_of(Bytes(room).first(*count));
  }
  return text;
}

TEST(Wire, CarriesBytesBothWays) {
  Pair pair;
  ASSERT_TRUE(pair.ours->write(bytes_of("there"), soon()).ok());
  ASSERT_TRUE(pair.theirs->write(bytes_of("back"), soon()).ok());
  ASSERT_TRUE(pair.ours->close_write().ok());
  ASSERT_TRUE(pair.theirs->close_write().ok());
  EXPECT_EQ(read_all(*pair.theirs), "there");
  EXPECT_EQ(read_all(*pair.ours), "back");
}

TEST(Wire, WritesMoreThanTheSocketHolds) {
  Pair pair;
  const std::string much(8 << 20, 'w');
  std::string seen;
  {
    const std::jthread reader([&] { seen = read_all(*pair.theirs); });
    ASSERT_TRUE(pair.ours->write(bytes_of(much), soon()).ok());
    ASSERT_TRUE(pair.ours->close_write().ok());
  }
  EXPECT_EQ(seen.size(), much.size());
}

TEST(Wire, StopsReadingAtTheDeadlineOrWhenStopped) {
  Pair pair;
  std::array<std::byte, 8> room{};
  EXPECT_EQ(pair.ours->read(room, at_once()).error().code(), Errc::timed_out);
  std::stop_source source;
  const std::jthread stopper([&source] { source.request_stop(); });
  EXPECT_EQ(pair.ours->read(room, {soon().deadline, source.get_token()}).error().code(),
            Errc::cancelled);
}

TEST(Wire, StopsWritingAtTheDeadlineOrWhenStopped) {
  Pair pair;
  const std::string much(8 << 20, 'w');
  EXPECT_EQ(pair.ours->write(bytes_of(much), at_once()).error().code(), Errc::timed_out);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(pair.ours->write(bytes_of(much), {soon().deadline, source.get_token()}).error().code(),
            Errc::cancelled);
}

TEST(Wire, SaysConnectionLostInsteadOfRaisingSigpipe) {
  Pair pair;
  pair.theirs.reset();
  EXPECT_EQ(pair.ours->write(bytes_of("a"), soon()).error().code(), Errc::connection_lost);
}

struct Directory {
  std::string path;
  Directory() {
    char name[] = "/tmp/lazaret-wire-XXXXXX";
    path = ::mkdtemp(name);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

Handle bound_socket(const std::string& path) {
  Handle handle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  EXPECT_EQ(::bind(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return handle;
}

TEST(ConnectUnix, ReachesAListener) {
  const Directory directory;
  const Handle listener = bound_socket(directory.path + "/s");
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const auto wire = connect_unix(directory.path + "/s", soon());
  ASSERT_TRUE(wire.ok());
  ASSERT_TRUE((*wire)->write(bytes_of("hi"), soon()).ok());
  const auto peer = wire_over(Handle(::accept(listener.get(), nullptr, nullptr)));
  std::array<std::byte, 8> room{};
  EXPECT_EQ(peer->read(room, soon()).value(), 2U);
}

TEST(ConnectUnix, TellsNoSocketFromAStaleOne_P28) {
  const Directory directory;
  EXPECT_EQ(connect_unix(directory.path + "/none", soon()).error().code(), Errc::not_found);
  const Handle stale = bound_socket(directory.path + "/stale");
  EXPECT_EQ(connect_unix(directory.path + "/stale", soon()).error().code(),
            Errc::connection_refused);
}

TEST(ConnectUnix, RefusesPathsThatNoSocketCanHave) {
  EXPECT_EQ(connect_unix("", soon()).error().code(), Errc::invalid_argument);
  EXPECT_EQ(connect_unix("/" + std::string(107, 'x'), soon()).error().code(),
            Errc::invalid_argument);
  EXPECT_EQ(connect_unix("/" + std::string(106, 'x'), soon()).error().code(), Errc::not_found);
}

TEST(ConnectUnix, DoesNotWaitForeverForAFullBacklog_P30) {
  const Directory directory;
  const Handle listener = bound_socket(directory.path + "/s");
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  const auto first = connect_unix(directory.path + "/s", soon());
  ASSERT_TRUE(first.ok());
  const auto second =
      connect_unix(directory.path + "/s", Call{}.within(std::chrono::milliseconds(30)));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), Errc::timed_out);
}

}  // namespace
}  // namespace lazaret::os
