#include "http/exchange.hpp"

#include <gtest/gtest.h>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::http {
namespace {

using engine::test::Answer;
using engine::test::soon;
using engine::test::Then;

struct Told {
  Exchange exchange;
  std::shared_ptr<std::string> heard;
};

Told told(Answer answer, const std::string& method = "GET") {
  auto heard = std::make_shared<std::string>();
  Exchange exchange(std::make_unique<engine::test::FakeWire>(std::move(answer), heard));
  EXPECT_TRUE(exchange.send({method, "/x", {}, ""}, soon()).ok());
  return {std::move(exchange), heard};
}

Result<Response> read(Answer answer, std::size_t cap_bytes = 1024) {
  Told made = told(std::move(answer));
  auto head = made.exchange.head(soon());
  if (!head.ok()) return std::move(head).error();
  auto body = made.exchange.body(cap_bytes, soon());
  if (!body.ok()) return std::move(body).error();
  return Response{std::move(head).value(), std::move(body).value()};
}

Errc failure(Answer answer, std::size_t cap_bytes = 1024) {
  const auto response = read(std::move(answer), cap_bytes);
  return response.ok() ? Errc::system : response.error().code();
}

constexpr const char* kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n"
    "5;ext=1\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nX: late\r\n\r\n";

TEST(EngineHttp, WritesARequestAsItShouldBe) {
  const auto text = serialise({"POST", "/v1.41/x?y=1", {{"Host", "localhost"}}, "{}"},
                              BodyFraming::content_length);
  EXPECT_EQ(*text, "POST /v1.41/x?y=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(EngineHttp, SaysThatAPostWithoutABodyIsEmpty) {
  EXPECT_EQ(*serialise({"POST", "/x", {}, ""}, BodyFraming::content_length),
            "POST /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
}

TEST(EngineHttp, RefusesALineBreakInAHeaderOrATarget) {
  EXPECT_FALSE(serialise({"GET", "/x", {{"A", "b\r\nC: d"}}, ""}, BodyFraming::chunked).ok());
  EXPECT_FALSE(serialise({"GET", "/x", {{"A:", "b"}}, ""}, BodyFraming::chunked).ok());
  EXPECT_FALSE(serialise({"GET", "/x y", {}, ""}, BodyFraming::chunked).ok());
  EXPECT_FALSE(serialise({"GE\nT", "/x", {}, ""}, BodyFraming::chunked).ok());
  EXPECT_FALSE(serialise({"GET", "", {}, ""}, BodyFraming::chunked).ok());
}

TEST(EngineHttp, ReadsABodyOfKnownLength) {
  const auto response = read({.bytes = engine::test::http(201, "body", "X-A: 1\r\n")});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->head.status, 201);
  EXPECT_EQ(response->head.header("x-a"), "1");
  EXPECT_EQ(response->body, "body");
}

TEST(EngineHttp, ReadsChunksAndIgnoresExtensionsAndTrailersP33) {
  const auto response = read({.bytes = kChunked});
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->body, "hello world");
  EXPECT_EQ(response->head.header("X"), "");
}

TEST(EngineHttp, ReadsChunksThatComeByteByByte) {
  const auto response = read({.bytes = kChunked, .piece_bytes = 1});
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->body, "hello world");
}

TEST(EngineHttp, ReadsAnEmptyChunkedBodyByteByByte) {
  const auto response =
      read({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            .piece_bytes = 1});
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->body, "");
}

TEST(EngineHttp, ReadsAKnownLengthByteByByte) {
  const auto response = read({.bytes = engine::test::http(200, "abc"), .piece_bytes = 1});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->body, "abc");
}

TEST(EngineHttp, ReadsABodyThatEndsWithTheConnection) {
  const auto response = read({.bytes = "HTTP/1.1 200 OK\r\n\r\nall of it", .piece_bytes = 1});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->body, "all of it");
}

TEST(EngineHttp, ExpectsNoBodyAfterHead) {
  Told made = told({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"}, "HEAD");
  ASSERT_TRUE(made.exchange.head(soon()).ok());
  EXPECT_EQ(*made.exchange.body(10, soon()), "");
}

TEST(EngineHttp, ExpectsNoBodyWith204And304) {
  EXPECT_EQ(read({.bytes = "HTTP/1.1 204 No Content\r\n\r\n", .then = Then::silence})->body, "");
  EXPECT_EQ(read({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n", .then = Then::silence})->body, "");
}

TEST(EngineHttp, SkipsInterimAnswers) {
  const auto response = read(
      {.bytes = "HTTP/1.1 100 Continue\r\n\r\n" + engine::test::http(200, "x"), .piece_bytes = 3});
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->head.status, 200);
  EXPECT_EQ(response->body, "x");
}

TEST(EngineHttp, GivesUpOnInterimAnswersWithoutEnd) {
  std::string many;
  for (int count = 0; count < 100; ++count) many += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(failure({.bytes = many}), Errc::protocol);
}

TEST(EngineHttp, ABodyOfExactlyTheCapIsRead) {
  EXPECT_TRUE(read({.bytes = engine::test::http(200, std::string(100, 'x'))}, 100).ok());
}

TEST(EngineHttp, ABodyOneByteOverTheCapIsTooLarge) {
  EXPECT_EQ(failure({.bytes = engine::test::http(200, std::string(101, 'x'))}, 100),
            Errc::too_large);
}

TEST(EngineHttp, AHeadOf16MegabytesIsTooLarge) {
  const std::string head = "HTTP/1.1 200 OK\r\nX: " + std::string(16UL << 20, 'a') + "\r\n\r\n";
  EXPECT_EQ(failure({.bytes = head}), Errc::too_large);
}

TEST(EngineHttp, ManySmallHeadersAreTooLargeTogether) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int count = 0; count < 100'000; ++count) head += "A: b\r\n";
  EXPECT_EQ(failure({.bytes = head + "\r\n"}), Errc::too_large);
}

TEST(EngineHttp, TrailersWithoutEndAreTooLarge) {
  std::string body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  for (int count = 0; count < 100'000; ++count) body += "A: b\r\n";
  EXPECT_EQ(failure({.bytes = body}), Errc::too_large);
}

TEST(EngineHttp, AChunkExtensionWithoutEndIsTooLarge) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                              std::string(1UL << 20, 'e')}),
            Errc::too_large);
}

TEST(EngineHttp, ANegativeChunkLengthIsAProtocolError) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nxxxxx"}),
            Errc::protocol);
}

TEST(EngineHttp, AChunkLengthThatOverflowsIsAProtocolError) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "fffffffffffffffff\r\nxxxxx"}),
            Errc::protocol);
}

TEST(EngineHttp, AHugeChunkIsNotAllocatedAndEndsAtTheCap) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "fffffffffffffff0\r\n" +
                              std::string(5000, 'x')}),
            Errc::too_large);
}

TEST(EngineHttp, ANegativeContentLengthIsAProtocolError) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nxxxxx"}),
            Errc::protocol);
}

TEST(EngineHttp, TwoContentLengthsThatDifferAreAProtocolError) {
  EXPECT_EQ(failure({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n"
                              "Content-Length: 2\r\n\r\nx"}),
            Errc::protocol);
}

TEST(EngineHttp, GarbageIsAProtocolError) {
  EXPECT_EQ(failure({.bytes = "SSH-2.0-OpenSSH_9.2\r\n\r\n"}), Errc::protocol);
}

TEST(EngineHttp, HangingUpWithoutAnAnswerIsALostConnection) {
  EXPECT_EQ(failure({.bytes = ""}), Errc::connection_lost);
}

TEST(EngineHttp, AnAnswerCutAnywhereIsALostConnection) {
  const std::string whole = engine::test::http(200, "abcdef");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(failure({.bytes = whole.substr(0, length)}), Errc::connection_lost) << length;
  }
}

TEST(EngineHttp, AChunkedAnswerCutAnywhereIsALostConnection) {
  const std::string whole = kChunked;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(failure({.bytes = whole.substr(0, length)}), Errc::connection_lost) << length;
  }
}

TEST(EngineHttp, SilenceEndsWithTheDeadline) {
  EXPECT_EQ(failure({.bytes = "", .then = Then::silence}), Errc::timed_out);
  EXPECT_EQ(
      failure({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", .then = Then::silence}),
      Errc::timed_out);
}

TEST(EngineHttp, AStopEndsAnAnswerThatNeverStopsTalking) {
  std::stop_source source;
  Told made = told({.bytes = "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x')});
  const Call call{Deadline::never(), source.get_token()};
  ASSERT_TRUE(made.exchange.head(call).ok());
  const BodySink stop_soon = [&source](Bytes) -> Status {
    source.request_stop();
    return {};
  };
  const Status status = made.exchange.body(stop_soon, call);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::cancelled);
}

TEST(EngineHttp, ADeadlineThatHasPassedIsSeenBeforeTheWireIsAsked) {
  Told made = told({.bytes = engine::test::http(200, "x")});
  const auto head = made.exchange.head(Call{}.within(std::chrono::milliseconds(-1)));
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().code(), Errc::timed_out);
}

TEST(EngineHttp, TheSinksErrorEndsTheBodyAndComesBack) {
  Told made = told({.bytes = engine::test::http(200, "abc")});
  ASSERT_TRUE(made.exchange.head(soon()).ok());
  const BodySink refuse = [](Bytes) -> Status { return Error(Errc::conflict, "enough"); };
  const Status status = made.exchange.body(refuse, soon());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code(), Errc::conflict);
}

TEST(EngineHttp, ABodyCanBeTakenPieceByPiece) {
  for (const std::size_t pieces : {std::size_t{1}, std::size_t{1} << 20}) {
    Told made = told({.bytes = kChunked, .piece_bytes = pieces});
    EXPECT_EQ(made.exchange.piece(soon()).error().code(), Errc::invalid_argument) << "no head yet";
    ASSERT_TRUE(made.exchange.head(soon()).ok());
    std::string body;
    for (auto some = made.exchange.piece(soon()); some.ok() && !some->empty();
         some = made.exchange.piece(soon()))
      body += *some;
    EXPECT_EQ(body, "hello world");
    EXPECT_EQ(made.exchange.piece(soon()).value(), "");
  }
  Told cut = told({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"});
  ASSERT_TRUE(cut.exchange.head(soon()).ok());
  EXPECT_EQ(cut.exchange.piece(soon()).value(), "half");
  EXPECT_EQ(cut.exchange.piece(soon()).error().code(), Errc::connection_lost);
}

TEST(EngineHttp, BytesBehindTheHeadBelongToTheHijackedStreamP32) {
  Told made = told({.bytes = "HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\nfirst"});
  ASSERT_EQ(made.exchange.head(soon())->status, 101);
  const auto stream = std::move(made.exchange).hijack();
  EXPECT_EQ(text_of(stream.leftover), "first");
}

TEST(EngineHttp, A200CanBeHijackedTooP32) {
  Told made = told({.bytes = "HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\nfirst"});
  ASSERT_EQ(made.exchange.head(soon())->status, 200);
  EXPECT_EQ(text_of(std::move(made.exchange).hijack().leftover), "first");
}

TEST(EngineHttp, UploadsInChunksWithoutKnowingTheLength) {
  auto heard = std::make_shared<std::string>();
  Exchange exchange(std::make_unique<engine::test::FakeWire>(Answer{}, heard));
  const std::string content(70'000, 'x');
  ASSERT_TRUE(exchange.send({"PUT", "/x", {}, ""}, source_of(bytes_of(content)), soon()).ok());
  EXPECT_EQ(engine::test::request_body(*heard), "10000\r\n" + std::string(65'536, 'x') +
                                                    "\r\n1170\r\n" + std::string(4464, 'x') +
                                                    "\r\n0\r\n\r\n");
}

TEST(EngineHttp, AnAnswerGivenDuringTheUploadIsReadAlthoughThePipeBroke) {
  auto heard = std::make_shared<std::string>();
  Answer answer{.bytes = engine::test::http(403, "no"), .accepts = 100};
  Exchange exchange(std::make_unique<engine::test::FakeWire>(std::move(answer), heard));
  const std::string content(200'000, 'x');
  ASSERT_TRUE(exchange.send({"PUT", "/x", {}, ""}, source_of(bytes_of(content)), soon()).ok());
  EXPECT_EQ(exchange.head(soon())->status, 403);
}

TEST(EngineHttp, ABrokenPipeWithoutAnAnswerIsTheBrokenPipe) {
  auto heard = std::make_shared<std::string>();
  Exchange exchange(
      std::make_unique<engine::test::FakeWire>(Answer{.bytes = "", .accepts = 0}, heard));
  ASSERT_TRUE(exchange.send({"GET", "/x", {}, ""}, soon()).ok());
  const auto head = exchange.head(soon());
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().message(), "broken pipe");
}

TEST(EngineHttp, AConnectionIsNotUsedTwice) {
  Told made = told({.bytes = engine::test::http(200, "x")});
  EXPECT_FALSE(made.exchange.send({"GET", "/y", {}, ""}, soon()).ok());
}

}  // namespace
}  // namespace lazaret::http
