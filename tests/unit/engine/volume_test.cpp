#include "engine/volume.hpp"

#include <gtest/gtest.h>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::volume {
namespace {

using test::FakeEngine;
using test::says;
using test::soon;

constexpr const char* kVolume = R"({"Name":"v","Driver":"local","Labels":{"a":"b"}})";

TEST(EngineVolume, IsCreatedWithItsLabels) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(201, kVolume));
  const auto made = create(client, "v", {{"a", "b"}}, soon());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->labels.at("a"), "b");
  EXPECT_EQ(test::request_line(engine.last_request()), "POST /v1.41/volumes/create HTTP/1.1");
  EXPECT_EQ(test::request_body(engine.last_request()),
            R"({"Driver":"local","Labels":{"a":"b"},"Name":"v"})");
}

TEST(EngineVolume, IsInspected) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(200, kVolume));
  EXPECT_EQ(inspect(client, "v", soon())->driver, "local");
}

TEST(EngineVolume, IsListed) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(200, std::string(R"({"Volumes":[)") + kVolume + "]}"));
  EXPECT_EQ(list(client, {"a=b"}, soon())->size(), 1U);
}

TEST(EngineVolume, ListWithoutOneIsEmptyAlthoughDockerSaysNull) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(200, R"({"Volumes":null})"));
  EXPECT_TRUE(list(client, {}, soon())->empty());
  EXPECT_EQ(test::request_line(engine.last_request()), "GET /v1.41/volumes HTTP/1.1");
}

TEST(EngineVolume, RemovedAlreadyIsRemoved) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(404, "{}"));
  EXPECT_TRUE(remove(client, "v", soon()).ok());
}

TEST(EngineVolume, InUseIsAConflict) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(409, R"({"message":"volume is in use"})"));
  EXPECT_EQ(remove(client, "v", soon()).error().code(), Errc::conflict);
}

}  // namespace
}  // namespace lazaret::engine::volume
