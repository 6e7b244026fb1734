#include "engine/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/wait.hpp"
#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine::container {
namespace {

using nlohmann::json;
using test::FakeEngine;
using test::request_line;
using test::says;
using test::soon;

class EngineContainer : public testing::Test {
 protected:
  [[nodiscard]] std::string last_line() const { return request_line(engine_.last_request()); }

  FakeEngine engine_;
  EngineClient client_ = test::client_of(engine_);
};

TEST_F(EngineContainer, IsCreatedFromTheBodyAndTheWarningsComeBackP39) {
  engine_.answers.push_back(says(201, R"({"Id":"abc","Warnings":["limit discarded"]})"));
  const auto result = create(client_, "box 1", {{"Image", "bb"}}, soon());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->id, "abc");
  EXPECT_EQ(result->warnings, std::vector<std::string>{"limit discarded"});
  EXPECT_EQ(last_line(), "POST /v1.41/containers/create?name=box%201 HTTP/1.1");
  EXPECT_TRUE(test::has_header(engine_.last_request(), "Content-Type: application/json"));
  EXPECT_TRUE(test::has_header(engine_.last_request(), "Connection: close"));
  EXPECT_EQ(test::request_body(engine_.last_request()), R"({"Image":"bb"})");
}

TEST_F(EngineContainer, IsNotGoneBecauseTheEnginesSocketIs) {
  engine_.absent = Errc::not_found;  // what a dialer says of a path that is not there
  const Status removed = remove(client_, "abc", Volumes::remove, soon());
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().code(), Errc::connection_refused);
}

TEST_F(EngineContainer, WithoutItsImageIsImageMissingAndSaysHowToPullP46) {
  engine_.answers.push_back(says(404, R"({"message":"No such image: bb:latest"})"));
  const auto result = create(client_, "", {{"Image", "bb"}}, soon());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::image_missing);
  EXPECT_EQ(result.error().hint(), "pull it first: docker pull bb");
}

TEST_F(EngineContainer, WithoutAnIdInTheAnswerIsAProtocolError) {
  engine_.answers.push_back(says(201, R"({"Id":7})"));
  EXPECT_EQ(create(client_, "", json::object(), soon()).error().code(), Errc::protocol);
}

TEST_F(EngineContainer, WithABodyThatIsNotUtf8IsRefusedBeforeItIsSent) {
  const auto result = create(client_, "", {{"Env", "\xff"}}, soon());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::invalid_argument);
  EXPECT_TRUE(engine_.requests.empty());
}

TEST_F(EngineContainer, WithAnEmptyIdIsRefusedBeforeItIsAsked) {
  EXPECT_EQ(inspect(client_, "", soon()).error().code(), Errc::invalid_argument);
  EXPECT_EQ(remove(client_, "", Volumes::remove, soon()).error().code(), Errc::invalid_argument);
  EXPECT_TRUE(engine_.requests.empty());
}

TEST_F(EngineContainer, IsInspected) {
  engine_.answers.push_back(says(200, R"({"Id":"abc"})"));
  EXPECT_EQ((*inspect(client_, "abc", soon()))["Id"], "abc");
  EXPECT_EQ(last_line(), "GET /v1.41/containers/abc/json HTTP/1.1");
}

TEST_F(EngineContainer, ThatIsGoneIsNotFound) {
  engine_.answers.push_back(says(404, R"({"message":"No such container: abc"})"));
  EXPECT_EQ(inspect(client_, "abc", soon()).error().code(), Errc::not_found);
}

TEST_F(EngineContainer, InspectedAsSomethingElseThanAnObjectIsAProtocolError) {
  engine_.answers.push_back(says(200, "[]"));
  EXPECT_EQ(inspect(client_, "abc", soon()).error().code(), Errc::protocol);
}

TEST_F(EngineContainer, IsStarted) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 204 No Content\r\n\r\n"});
  EXPECT_TRUE(start(client_, "abc", soon()).ok());
  EXPECT_EQ(last_line(), "POST /v1.41/containers/abc/start HTTP/1.1");
}

TEST_F(EngineContainer, StartedTwiceIsStarted) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  EXPECT_TRUE(start(client_, "abc", soon()).ok());
}

TEST_F(EngineContainer, IsKilledWithASignal) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 204 No Content\r\n\r\n"});
  EXPECT_TRUE(kill(client_, "abc", "SIGKILL", soon()).ok());
  EXPECT_EQ(last_line(), "POST /v1.41/containers/abc/kill?signal=SIGKILL HTTP/1.1");
}

TEST_F(EngineContainer, IsRemovedByForceWithItsVolumesP11) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 204 No Content\r\n\r\n"});
  EXPECT_TRUE(remove(client_, "abc", Volumes::remove, soon()).ok());
  EXPECT_EQ(last_line(), "DELETE /v1.41/containers/abc?force=1&v=1 HTTP/1.1");
}

TEST_F(EngineContainer, RemovedAlreadyIsRemoved) {
  engine_.answers.push_back(says(404, "{}"));
  EXPECT_TRUE(remove(client_, "abc", Volumes::keep, soon()).ok());
}

TEST_F(EngineContainer, BeingRemovedBySomebodyElseIsWaitedFor) {
  engine_.answers.push_back(says(409, R"({"message":"removal is already in progress"})"));
  engine_.answers.push_back(says(200, R"({"StatusCode":0})"));
  EXPECT_TRUE(remove(client_, "abc", Volumes::keep, soon()).ok());
  EXPECT_EQ(last_line(), "POST /v1.41/containers/abc/wait?condition=removed HTTP/1.1");
}

TEST_F(EngineContainer, ThatSomebodyElseDidNotManageToRemoveIsStillThere) {
  engine_.answers.push_back(says(409, R"({"message":"removal is already in progress"})"));
  engine_.answers.push_back(says(200, R"({"StatusCode":0,"Error":{"Message":"device busy"}})"));
  const Status removed = remove(client_, "abc", Volumes::keep, soon());
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().code(), Errc::engine);
  EXPECT_THAT(removed.error().message(), testing::HasSubstr("device busy"));
}

TEST_F(EngineContainer, RemovedBySomebodyElseBeforeWeWaitedIsRemoved) {
  engine_.answers.push_back(says(409, "{}"));
  engine_.answers.push_back(says(404, "{}"));
  EXPECT_TRUE(remove(client_, "abc", Volumes::keep, soon()).ok());
}

TEST_F(EngineContainer, RemovalThatFailsIsAnError) {
  engine_.answers.push_back(says(500, R"({"message":"device busy"})"));
  EXPECT_EQ(remove(client_, "abc", Volumes::keep, soon()).error().code(), Errc::engine);
}

TEST_F(EngineContainer, IsListedByLabel) {
  engine_.answers.push_back(says(200, R"([{"Id":"abc","Names":["/box"],"State":"exited",
    "Labels":{"owner":"us"},"Created":7},{"Id":null}])"));
  const auto result = list(client_, {.labels = {"owner=us"}}, soon());
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->size(), 2U);
  EXPECT_EQ(result->at(0).state, "exited");
  EXPECT_EQ(result->at(0).labels.at("owner"), "us");
  EXPECT_EQ(result->at(0).created, 7);
  EXPECT_EQ(last_line(),
            "GET /v1.41/containers/json?all=1&"
            "filters=%7B%22label%22%3A%5B%22owner%3Dus%22%5D%7D HTTP/1.1");
}

TEST_F(EngineContainer, GivesOneSampleOfItsCounters) {
  engine_.answers.push_back(says(200, R"({"pids_stats":{"current":2}})"));
  EXPECT_TRUE(stats(client_, "abc", soon()).ok());
  EXPECT_EQ(last_line(), "GET /v1.41/containers/abc/stats?stream=0&one-shot=1 HTTP/1.1");
}

TEST_F(EngineContainer, ListsItsProcesses) {
  engine_.answers.push_back(says(200, R"({"Titles":["PID"],"Processes":[["7"],["8"]]})"));
  const auto result = top(client_, "abc", "-o pid", soon());
  EXPECT_EQ(result->processes.size(), 2U);
  EXPECT_EQ(result->processes[1], std::vector<std::string>{"8"});
  EXPECT_EQ(last_line(), "GET /v1.41/containers/abc/top?ps_args=-o%20pid HTTP/1.1");
}

TEST_F(EngineContainer, ListsNothingWherePodmanFindsNoPs) {
  engine_.answers.push_back({.bytes = test::http(200, "")});
  EXPECT_TRUE(top(client_, "abc", "", soon())->processes.empty());
}

TEST_F(EngineContainer, IsWaitedForUntilItExits) {
  engine_.answers.push_back(says(200, R"({"StatusCode":137,"Error":null})"));
  EXPECT_EQ(wait(client_, "abc", Until::not_running, soon())->code, 137);
  EXPECT_EQ(last_line(), "POST /v1.41/containers/abc/wait?condition=not-running HTTP/1.1");
}

TEST_F(EngineContainer, WaitIsConfirmedByDockerBeforeTheExitIsKnownP19) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                             .then = test::Then::silence});
  auto pending = Wait::open(client_, "abc", Until::next_exit, Call{});
  ASSERT_TRUE(pending.ok()) << pending.error().message();
  EXPECT_EQ(pending->finish(soon()).error().code(), Errc::timed_out);
  EXPECT_EQ(last_line(), "POST /v1.41/containers/abc/wait?condition=next-exit HTTP/1.1");
}

TEST_F(EngineContainer, WaitDoesNotExpectPodmanToConfirm) {
  FakeEngine engine;
  const EngineClient podman = test::client_of(engine, Kind::podman);
  engine.answers.push_back({.bytes = "", .then = test::Then::silence});
  auto pending = Wait::open(podman, "abc", Until::next_exit, Call{});
  ASSERT_TRUE(pending.ok());
  EXPECT_EQ(pending->finish(soon()).error().code(), Errc::timed_out);
}

TEST_F(EngineContainer, WaitThatIsCutOffIsALostConnectionAndNoExitCodeP20) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"});
  EXPECT_EQ(wait(client_, "abc", Until::not_running, soon()).error().code(),
            Errc::connection_lost);
}

TEST_F(EngineContainer, WaitWithoutAStatusCodeIsAProtocolError) {
  engine_.answers.push_back(says(200, R"({"StatusCode":"0"})"));
  EXPECT_EQ(wait(client_, "abc", Until::not_running, soon()).error().code(), Errc::protocol);
}

TEST_F(EngineContainer, EveryCallEndsWithADefaultDeadlineP30) {
  // The fake ends the program when it is asked to wait for ever.
  engine_.answers.push_back({.bytes = "", .then = test::Then::silence});
  EXPECT_EQ(inspect(client_, "abc", Call{}).error().code(), Errc::timed_out);
}

TEST_F(EngineContainer, AStopEndsACall) {
  engine_.answers.push_back({.bytes = "", .then = test::Then::silence});
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(inspect(client_, "abc", {Deadline::never(), source.get_token()}).error().code(),
            Errc::cancelled);
}

TEST_F(EngineContainer, ARedirectIsNotFollowed) {
  engine_.answers.push_back({.bytes = test::http(301, "", "Location: /x\r\n")});
  EXPECT_EQ(inspect(client_, "abc", soon()).error().code(), Errc::protocol);
}

TEST_F(EngineContainer, ARefusalWithAnEndlessPageIsStillARefusal) {
  engine_.answers.push_back({.bytes = "HTTP/1.1 403 Forbidden\r\n\r\n<html>" +
                                      std::string(5UL << 20, 'x')});
  EXPECT_EQ(inspect(client_, "abc", soon()).error().code(), Errc::permission_denied);
}

TEST_F(EngineContainer, AnAnswerAboveTheCapIsTooLarge) {
  engine_.answers.push_back(says(200, "{\"a\":\"" + std::string(9UL << 20, 'x') + "\"}"));
  EXPECT_EQ(inspect(client_, "abc", soon()).error().code(), Errc::too_large);
}

}  // namespace
}  // namespace lazaret::engine::container
