#include "engine/libpod.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::libpod {
namespace {

using nlohmann::json;
using test::FakeEngine;
using test::request_line;
using test::says;
using test::soon;

class EngineLibpod : public testing::Test {
 protected:
  FakeEngine engine_;
  EngineClient client_ = test::client_of(engine_);
};

TEST_F(EngineLibpod, CreatesByPodmansOwnWordsWithTheNameInTheBody) {
  engine_.answers.push_back(says(201, R"({"Id":"abc","Warnings":["old"]})"));
  const auto result = create(client_, {{"name", "box"}}, soon());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->id, "abc");
  EXPECT_EQ(result->warnings, std::vector<std::string>{"old"});
  EXPECT_EQ(request_line(engine_.last_request()), "POST /v4.0.0/libpod/containers/create HTTP/1.1");
  EXPECT_EQ(test::request_body(engine_.last_request()), R"({"name":"box"})");
}

TEST_F(EngineLibpod, AsksForTheImageWhenACreateFailsWithoutSayingWhy) {
  engine_.answers.push_back(says(500, R"({"message":"image not known"})"));
  engine_.answers.push_back(says(404, R"({"message":"no such image"})"));
  const auto result = create(client_, {{"image", "a/bb"}}, soon());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::image_missing);
  EXPECT_EQ(result.error().hint(), "pull it first: podman pull a/bb");
  EXPECT_EQ(request_line(engine_.last_request()), "GET /v4.0.0/libpod/images/a/bb/exists HTTP/1.1");
}

TEST_F(EngineLibpod, KeepsTheErrorOfACreateWhoseImageIsThere) {
  engine_.answers.push_back(says(500, R"({"message":"the name is in use"})"));
  engine_.answers.push_back(says(204, ""));
  const auto result = create(client_, {{"image", "bb"}}, soon());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::engine);
}

TEST_F(EngineLibpod, WithoutAnIdInTheAnswerIsAProtocolError) {
  engine_.answers.push_back(says(201, R"({"Id":7})"));
  EXPECT_EQ(create(client_, json::object(), soon()).error().code(), Errc::protocol);
}

TEST_F(EngineLibpod, InspectsByName) {
  engine_.answers.push_back(says(200, R"({"Id":"abc"})"));
  ASSERT_TRUE(inspect(client_, "box", soon()).ok());
  EXPECT_EQ(request_line(engine_.last_request()),
            "GET /v4.0.0/libpod/containers/box/json HTTP/1.1");
}

}  // namespace
}  // namespace lazaret::engine::libpod
