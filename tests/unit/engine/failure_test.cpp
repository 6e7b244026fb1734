#include "engine/failure.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace lazaret::engine {
namespace {

Error failure(int status, const std::string& body, Subject subject = Subject::other) {
  http::Response response;
  response.head.status = status;
  response.body = body;
  return failure_of(response, subject);
}

TEST(EngineFailure, ReadsDockersMessage) {
  const Error error = failure(409, R"({"message":"name is in use"})");
  EXPECT_EQ(error.code(), Errc::conflict);
  EXPECT_EQ(error.message(), "name is in use (HTTP 409)");
}

TEST(EngineFailure, ReadsPodmansMessageAndItsCauseWhenThereIsNone) {
  EXPECT_EQ(failure(500, R"({"cause":"c","message":"m","response":500})").message(),
            "m (HTTP 500)");
  EXPECT_EQ(failure(500, R"({"cause":"c","response":500})").message(), "c (HTTP 500)");
}

TEST(EngineFailure, ReadsPlainText) {
  EXPECT_EQ(failure(404, "Not Found\n").message(), "Not Found (HTTP 404)");
}

TEST(EngineFailure, ReadsTheTextOfAnHtmlPageAndNamesTheProxy) {
  const Error error =
      failure(403, "<html><body><h1>403 Forbidden</h1>\nRequest forbidden</body></html>");
  EXPECT_EQ(error.code(), Errc::permission_denied);
  EXPECT_EQ(error.message(), "403 Forbidden Request forbidden (HTTP 403)");
  EXPECT_NE(error.hint().find("proxy"), std::string::npos);
}

TEST(EngineFailure, SaysSoWhenThereIsNoReason) {
  EXPECT_EQ(failure(500, "").message(), "the engine gave no reason (HTTP 500)");
  EXPECT_EQ(failure(500, R"({"message":7})").message(), "the engine gave no reason (HTTP 500)");
}

TEST(EngineFailure, A404IsAMissingImageWhereAnImageWasAskedFor) {
  EXPECT_EQ(failure(404, "{}").code(), Errc::not_found);
  EXPECT_EQ(failure(404, "{}", Subject::image).code(), Errc::image_missing);
}

TEST(EngineFailure, EveryStatusHasItsKind) {
  EXPECT_EQ(failure(400, "").code(), Errc::invalid_argument);
  EXPECT_EQ(failure(401, "").code(), Errc::permission_denied);
  EXPECT_EQ(failure(403, "").code(), Errc::permission_denied);
  EXPECT_EQ(failure(409, "").code(), Errc::conflict);
  EXPECT_EQ(failure(500, "").code(), Errc::engine);
  EXPECT_EQ(failure(503, "").code(), Errc::engine);
}

TEST(EngineFailure, AMessageIsOneLineWithoutControlCharacters) {
  EXPECT_EQ(one_line("a\x1b[31mred\r\nb\tc\x7f \xc2\x9b"
                     "d"),
            "a [31mred b c d");
}

TEST(EngineFailure, AMessageIsValidUtf8) {
  EXPECT_TRUE(
      is_utf8(one_line("a\xff\xfe"
                       "b\xc3")));
}

TEST(EngineFailure, AMessageEndsByOneKibibyteOnACharacter) {
  std::string text;
  for (int count = 0; count < 10'000; ++count) text += "\xe2\x82\xac";
  const std::string line = one_line(text);
  EXPECT_LE(line.size(), 1024U);
  EXPECT_GT(line.size(), 1020U);
  EXPECT_TRUE(is_utf8(line));
}

}  // namespace
}  // namespace lazaret::engine
