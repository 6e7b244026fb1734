#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/archives_bed.hpp"

// How the daemon carries them, whatever the box.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

#ifndef LAZARET_SANITIZED  // what a sanitizer keeps is not ours
// Of the daemon, in KiB.
std::size_t peak_memory(const Daemon& daemon) {
  std::ifstream status("/proc/" + std::to_string(daemon.pid()) + "/status");
  std::string word;
  std::size_t kib = 0;
  while (status >> word)
    if (word == "VmHWM:") status >> kib;
  return kib;
}

class ServeLargeArchivesOn : public testing::TestWithParam<const char*> {};

TEST_P(ServeLargeArchivesOn, OfOneGibibyteGoInAndComeOutInBoundedMemory) {
  constexpr std::uint64_t kSize = 1ULL << 30;
  const auto words = words_for(GetParam());
  if (words.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  const Daemon daemon(words);
  const std::string files = files_of_new(
      daemon, {{"disk_bytes", kSize}, {"file_bytes", kSize}, {"memory_bytes", 2 * kSize}});
  const Call call = Call{}.within(300s);
  {
    http::Exchange exchange(daemon.connect());
    std::string head = tar_head({.path = "large", .size = kSize}).value();
    std::uint64_t left = kSize + 2 * kTarBlock;  // zeros, as the end is
    const http::BodySource source = [&](std::span<std::byte> into) -> Result<std::size_t> {
      if (!head.empty()) {
        std::ranges::copy(bytes_of(head), into.begin());
        return std::exchange(head, {}).size();
      }
      const std::size_t count = std::min<std::uint64_t>(left, into.size());
      std::ranges::fill(into.first(count), std::byte{0});
      left -= count;
      return count;
    };
    ASSERT_TRUE(exchange.send({"PUT", files, {{"Host", "x"}, kTar}, ""}, source, call).ok());
    EXPECT_EQ(exchange.head(call)->status, 204);
  }
  http::Exchange exchange(daemon.connect());
  ASSERT_TRUE(exchange.send({"GET", files + "?format=tar", {{"Host", "x"}}, ""}, call).ok());
  ASSERT_EQ(exchange.head(call)->status, 200);
  std::uint64_t taken = 0;
  const http::BodySink sink = [&taken](Bytes piece) -> Status {
    taken += piece.size();
    return {};
  };
  EXPECT_TRUE(exchange.body(sink, call).ok());
  EXPECT_EQ(taken, kSize + 3 * kTarBlock);
  EXPECT_GT(peak_memory(daemon), 0U);
  EXPECT_LT(peak_memory(daemon), 64U << 10);
}

INSTANTIATE_TEST_SUITE_P(Of, ServeLargeArchivesOn, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });
#endif

TEST(ServeArchives, AreReadByGnuTarAndItsOwnAreTaken) {
  const Daemon daemon;
  const Folder folder;
  const std::string files = files_of_new(daemon), odd = "new\nline", deep(250, 'd');
  std::filesystem::create_directories(folder.path() + "/in/empty");
  std::filesystem::create_directories(folder.path() + "/in/" + deep);
  std::filesystem::create_symlink("../run", folder.path() + "/in/empty/link");
  (void)folder.write("in/" + odd, "odd");
  (void)folder.write("in/" + deep + "/f", std::string(70'000, 'f'));
  (void)folder.write("in/run", "#!/bin/sh\n", 0755);
  const auto shell = [&](const std::string& command) {
    return std::system(("cd " + folder.path() + " && " + command).c_str());
  };
  for (const std::string format : {"gnu", "posix"}) {
    ASSERT_EQ(shell("tar cf sent.tar --format=" + format + " -C in ."), 0);
    EXPECT_EQ(put_archive(daemon, files + "?path=" + format, file_text(folder.path() + "/sent.tar"))
                  .status,
              204);
    (void)folder.write("got.tar",
                       daemon.ask("GET", files + "?path=" + format + "&format=tar").body);
    EXPECT_EQ(shell("rm -rf out && mkdir out && tar xf got.tar -C out && diff -r in out && "
                    "test -x out/run && test -L out/empty/link"),
              0)
        << format;
  }
}

TEST(ServeArchives, AreAskedForByTheirOwnParameters) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon), archive = tar_of(tar_file("a", "x"));
  EXPECT_EQ(put_archive(daemon, files + "?append=true", archive).status, 400);
  EXPECT_EQ(put_archive(daemon, files + "?path=..", archive).status, 422);
  EXPECT_EQ(daemon.ask("PUT", files, archive).status, 400);
  EXPECT_EQ(daemon.ask("PUT", files + "?path=a", R"({"files":[]})").status, 400);
  for (const char* const query :
       {"?format=zip", "?format=tar&content=false", "?format=tar&offset=1", "?stat=1",
        "?stat=true&length=1", "?stat=true&path=a&format=tar"})
    EXPECT_EQ(daemon.ask("GET", files + query).status, 400) << query;
  EXPECT_EQ(put_archive(daemon, "/v1/sessions/0/files", archive).status, 404);
  const Reply head = daemon.ask("HEAD", files + "?format=tar");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.head.header("Content-Type"), "application/x-tar");
  EXPECT_EQ(daemon.ask("HEAD", files + "?format=tar&path=none").status, 404);
}

TEST(ServeArchives, AreFollowedByAnotherRequestOnTheSameConnection) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon), archive = tar_of(tar_file("a", "x"));
  const std::string told =
      daemon.say(head_of_put(files, archive.size()) + archive + head_of_put(files, archive.size()) +
                 archive + "GET " + files + "?format=tar HTTP/1.1\r\nHost: x\r\n\r\n" +
                 "GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(told, HasSubstr("204 No Content"));
  EXPECT_THAT(told.substr(told.find("204") + 3), HasSubstr("204 No Content"));
  EXPECT_THAT(told, HasSubstr("0\r\n\r\nHTTP/1.1 200 OK"));
  EXPECT_THAT(told, HasSubstr("\"status\":\"ok\""));
}

// More than a channel holds: the head is the answer, whatever becomes of the rest.
TEST(ServeArchives, OfWhichTheHeadAloneIsAskedForLeaveTheConnectionAsItIs) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon);
  const std::string large = tar_of(tar_file("large", std::string(4 << 20, 'l')));
  ASSERT_EQ(put_archive(daemon, files, large).status, 204);
  const std::string told =
      daemon.say("HEAD " + files + "?format=tar HTTP/1.1\r\nHost: x\r\n\r\n" +
                 "GET /v1/runs?none=1 HTTP/1.1\r\nHost: x\r\n\r\n" +
                 "GET /v1/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(told, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(told, HasSubstr("HTTP/1.1 400"));
  EXPECT_THAT(told.substr(told.rfind("HTTP/1.1 ")), HasSubstr("\"status\":\"ready\""));
  EXPECT_TRUE(is_ready(daemon, files));
}

TEST(ServeArchives, AreNotForHttp10WhichKnowsNoChunks) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon), archive = tar_of(tar_file("a", "x"));
  std::string put = head_of_put(files, archive.size()) + archive;
  put.replace(put.find("HTTP/1.1"), 8, "HTTP/1.0");
  EXPECT_THAT(daemon.say(put), HasSubstr(" 204 "));
  EXPECT_THAT(daemon.say("GET " + files + "?format=tar HTTP/1.0\r\n\r\n"), HasSubstr(" 426 "));
  const std::string body = bash_body("echo whole");
  const std::string told =
      daemon.say("POST /v1/runs HTTP/1.0\r\nAccept: text/event-stream\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(told, HasSubstr("\r\nContent-Length: "));
  EXPECT_THAT(told, HasSubstr("\"stdout\":\"whole\\n\""));
}

TEST(ServeArchives, AreNotTakenForTheBodiesOfOtherRoutes) {
  const Daemon daemon;
  const std::string body = Json{{"language", "none"}}.dump();
  for (const char* const type : {";", "; charset=utf-8", "application/x-tar"})
    EXPECT_EQ(daemon.ask("POST", "/v1/sessions", body, {{"Content-Type", type}}).status, 422)
        << type;
  EXPECT_THAT(daemon.say("POST /v1/runs HTTP/1.1\r\nContent-Type: ;\r\n"
                         "Content-Length: 99999999\r\n\r\n"),
              HasSubstr("HTTP/1.1 413"));
}

TEST(ServeArchives, ThatStopComingAreWaitedForNoLongerThanARequest) {
  const Daemon daemon({"--request-timeout", "1"});
  const std::string files = files_of_new(daemon);
  EXPECT_THAT(daemon.say(head_of_put(files, 10'000) + tar_file("whole", "x") +
                         tar_file("cut", std::string(9000, 'c')).substr(0, 3000)),
              HasSubstr("HTTP/1.1 408"));
  EXPECT_EQ(bash_in(daemon, files, "ls"), "main.sh\nwhole\n");
  EXPECT_TRUE(is_ready(daemon, files));
}

TEST(ServeArchives, AreInvitedWhereTheClientAsksFirst) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon), archive = tar_of(tar_file("a", "x"));
  const auto wire = daemon.connect();
  const std::string head = "PUT " + files +
                           " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-tar\r\n"
                           "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(head), Call{}.within(5s)).ok());
  EXPECT_THAT(text_until(*wire, "\r\n\r\n"), HasSubstr("100 Continue"));
  ASSERT_EQ(archive.size(), 0x800U);
  const std::string body = "800\r\n" + archive + "\r\n0\r\n\r\n";
  ASSERT_TRUE(wire->write(bytes_of(body), Call{}.within(5s)).ok());
  EXPECT_THAT(text_until(*wire, "\r\n\r\n"), HasSubstr("204 No Content"));
}

TEST(ServeArchives, AreNotWhatElseIsAskedOfAFile) {
  const Daemon daemon;
  const std::string files = files_of_new(daemon);
  EXPECT_EQ(bash_in(daemon, files, "mkdir d; echo abc > d/d; ln -s d l"), "");
  const auto seen = [&](const std::string& path) {
    const Json answer = daemon.ask("GET", files + "?stat=true&path=" + path).json();
    return answer.contains("files") ? answer["files"][0] : answer["status"];
  };
  EXPECT_EQ(seen("d"), Json({{"path", "d"}, {"type", "directory"}}));
  EXPECT_EQ(seen("."), Json({{"path", "."}, {"type", "directory"}}));
  EXPECT_EQ(seen("l"), Json({{"path", "l"}, {"type", "link"}}));
  EXPECT_EQ(seen("d/d"), Json({{"path", "d/d"},
                               {"type", "file"},
                               {"size", 4},
                               {"media_type", "application/octet-stream"}}));
  EXPECT_EQ(seen("none"), 404);
  EXPECT_EQ(seen("d/d/x"), 404);
  EXPECT_EQ(seen(".."), 422);
}

}  // namespace
}  // namespace lazaret::test
