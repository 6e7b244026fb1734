#include "engine/exec.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::exec {
namespace {

using test::FakeEngine;
using test::says;
using test::soon;

Inspection inspected(Kind kind, const std::string& answer) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine, kind);
  engine.answers.push_back(says(200, answer));
  auto result = inspect(client, "e1", soon());
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : Inspection{};
}

TEST(EngineExec, IsCreatedInAContainer) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(201, R"({"Id":"e1"})"));
  EXPECT_EQ(*create(client, "abc", {{"Cmd", {"true"}}}, soon()), "e1");
  EXPECT_EQ(test::request_line(engine.last_request()),
            "POST /v1.41/containers/abc/exec HTTP/1.1");
}

TEST(EngineExec, InAContainerThatDoesNotRunIsAConflict) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(says(409, R"({"message":"not running"})"));
  EXPECT_EQ(create(client, "abc", nlohmann::json::object(), soon()).error().code(),
            Errc::conflict);
}

TEST(EngineExec, StartsWithAStream) {
  FakeEngine engine;
  const EngineClient client = test::client_of(engine);
  engine.answers.push_back(
      {.bytes = "HTTP/1.1 101 UPGRADED\r\n\r\n" + test::frame(1, "out"), .piece_bytes = 1});
  auto stream = start(client, "e1", Framing::multiplexed, soon());
  ASSERT_TRUE(stream.ok());
  std::array<std::byte, 10> room{};
  EXPECT_EQ(*(*stream)->read(room, soon()), 1U);
  EXPECT_EQ(test::request_line(engine.last_request()), "POST /v1.41/exec/e1/start HTTP/1.1");
  EXPECT_EQ(test::request_body(engine.last_request()), R"({"Detach":false,"Tty":false})");
}

TEST(EngineExec, HasThreeStatesP18) {
  const auto created =
      inspected(Kind::docker, R"({"Running":false,"ExitCode":null,"Pid":0})");
  EXPECT_EQ(created.state, State::created);
  EXPECT_FALSE(created.exit_code.has_value());

  const auto running = inspected(Kind::docker, R"({"Running":true,"ExitCode":null,"Pid":7})");
  EXPECT_EQ(running.state, State::running);
  EXPECT_EQ(running.pid, 7);

  const auto exited = inspected(Kind::docker, R"({"Running":false,"ExitCode":3,"Pid":7})");
  EXPECT_EQ(exited.state, State::exited);
  EXPECT_EQ(exited.exit_code, 3);
}

TEST(EngineExec, IsNotOverWherePodmanGivesACodeBeforeTheStartP18) {
  EXPECT_EQ(inspected(Kind::podman, R"({"Running":false,"ExitCode":0,"CanRemove":false})").state,
            State::created);
  EXPECT_EQ(inspected(Kind::podman, R"({"Running":false,"ExitCode":0,"CanRemove":true})").state,
            State::exited);
}

TEST(EngineExec, RunningWithACodeIsRunning) {
  EXPECT_FALSE(inspected(Kind::podman, R"({"Running":true,"ExitCode":0})").exit_code.has_value());
}

}  // namespace
}  // namespace lazaret::engine::exec
