#include "engine/discovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "unit/engine/fake_wire.hpp"

namespace lazaret::engine {
namespace {

using test::soon;

struct Desk {
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string> files;

  [[nodiscard]] Surroundings surroundings() const {
    Surroundings around;
    around.variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    around.file = [this](const std::filesystem::path& path) -> std::optional<std::string> {
      const auto found = files.find(path.generic_string());
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    around.home = "/home/u";
    around.uid = 1000;
    return around;
  }
  [[nodiscard]] std::vector<std::string> endpoints(Wanted wanted = Wanted::any) const {
    std::vector<std::string> list;
    for (const Candidate& candidate : candidates(surroundings(), wanted, std::nullopt)) {
      list.push_back(candidate.endpoint);
    }
    return list;
  }
};

// SHA-256 of "far", under which the docker CLI files that context.
constexpr const char* kFarMeta =
    "/home/u/.docker/contexts/meta/"
    "512eea46ceb3921dff4363c7069d89d4964d1d9fccaa0f411851a7aa60a5c868/meta.json";

TEST(EngineDiscovery, TriesThePlacesInOrderP28) {
  EXPECT_EQ(Desk{}.endpoints(),
            (std::vector<std::string>{
                "unix:///var/run/docker.sock",
                "unix:///run/user/1000/docker.sock",
                "unix:///home/u/.docker/run/docker.sock",
                "unix:///home/u/.docker/desktop/docker.sock",
                "unix:///home/u/.colima/default/docker.sock",
                "unix:///home/u/.colima/docker/docker.sock",
                "unix:///home/u/.rd/docker.sock",
                "unix:///home/u/.orbstack/run/docker.sock",
                "unix:///home/u/.lima/default/sock/docker.sock",
                "unix:///home/u/.lima/docker/sock/docker.sock",
                "unix:///run/user/1000/podman/podman.sock",
                "unix:///run/podman/podman.sock",
                "unix:///home/u/.local/share/containers/podman/machine/podman.sock",
            }));
}

TEST(EngineDiscovery, AnExplicitHostIsTheOnlyCandidateP28) {
  Desk desk;
  desk.variables["DOCKER_HOST"] = "unix:///a.sock";
  const auto list = candidates(desk.surroundings(), Wanted::any, "unix:///b.sock");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].endpoint, "unix:///b.sock");
}

TEST(EngineDiscovery, DockerHostComesBeforeTheContextAndContainerHostP28) {
  Desk desk;
  desk.variables = {{"DOCKER_HOST", "unix:///a.sock"},
                    {"DOCKER_CONTEXT", "far"},
                    {"CONTAINER_HOST", "unix:///c.sock"}};
  const auto list = candidates(desk.surroundings(), Wanted::any, std::nullopt);
  EXPECT_EQ(list[0].origin, "DOCKER_HOST");
  EXPECT_EQ(list[1].origin, "docker context far");
  EXPECT_EQ(list[2].origin, "CONTAINER_HOST");
  EXPECT_EQ(list[3].endpoint, "unix:///var/run/docker.sock");
}

TEST(EngineDiscovery, FollowsTheCurrentContextOfTheConfigP28) {
  Desk desk;
  desk.files["/home/u/.docker/config.json"] = R"({"currentContext":"far"})";
  desk.files[kFarMeta] = R"({"Endpoints":{"docker":{"Host":"unix:///far.sock"}}})";
  EXPECT_EQ(desk.endpoints()[0], "unix:///far.sock");
}

TEST(EngineDiscovery, DockerContextBeatsTheConfigAndDockerConfigMovesIt) {
  Desk desk;
  desk.variables = {{"DOCKER_CONTEXT", "far"}, {"DOCKER_CONFIG", "/cfg"}};
  desk.files["/cfg/config.json"] = R"({"currentContext":"other"})";
  desk.files["/cfg" + std::string(kFarMeta).substr(15)] =
      R"({"Endpoints":{"docker":{"Host":"unix:///far.sock"}}})";
  EXPECT_EQ(desk.endpoints()[0], "unix:///far.sock");
}

TEST(EngineDiscovery, TheDefaultContextIsNoContext) {
  Desk desk;
  desk.variables["DOCKER_CONTEXT"] = "default";
  EXPECT_EQ(desk.endpoints()[0], "unix:///var/run/docker.sock");
}

TEST(EngineDiscovery, AContextThatCannotBeReadIsReportedAndPassedOver) {
  Desk desk;
  desk.variables["DOCKER_CONTEXT"] = "gone";
  const auto list = candidates(desk.surroundings(), Wanted::any, std::nullopt);
  ASSERT_TRUE(list[0].trouble.has_value());
  EXPECT_EQ(list[0].origin, "docker context gone");
}

TEST(EngineDiscovery, AConfigThatIsNotJsonIsNoContext) {
  Desk desk;
  desk.files["/home/u/.docker/config.json"] = "{";
  EXPECT_EQ(desk.endpoints()[0], "unix:///var/run/docker.sock");
}

TEST(EngineDiscovery, NamesAPlaceOnce) {
  Desk desk;
  desk.variables["DOCKER_HOST"] = "unix:///var/run/docker.sock";
  const auto list = desk.endpoints();
  EXPECT_EQ(std::count(list.begin(), list.end(), "unix:///var/run/docker.sock"), 1);
}

TEST(EngineDiscovery, LeavesOutPodmansPlacesWhenDockerIsWanted) {
  for (const std::string& endpoint : Desk{}.endpoints(Wanted::docker)) {
    EXPECT_EQ(endpoint.find("podman"), std::string::npos) << endpoint;
  }
}

TEST(EngineDiscovery, KeepsThePlacesWherePodmanMayAnswerWhenItIsWanted) {
  EXPECT_EQ(Desk{}.endpoints(Wanted::podman),
            (std::vector<std::string>{
                "unix:///var/run/docker.sock",
                "unix:///run/user/1000/podman/podman.sock",
                "unix:///run/podman/podman.sock",
                "unix:///home/u/.local/share/containers/podman/machine/podman.sock",
            }));
}

TEST(EngineDiscovery, KnowsThePipesOfWindowsP28) {
  Desk desk;
  Surroundings around = desk.surroundings();
  around.platform = Platform::windows;
  const auto list = candidates(around, Wanted::any, std::nullopt);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].endpoint, "npipe:////./pipe/docker_engine");
}

TEST(EngineDiscovery, NeedsNoHomeAndNoUser) {
  const auto list = candidates(Surroundings{}, Wanted::any, std::nullopt);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].endpoint, "unix:///var/run/docker.sock");
}

// Refuses with the scripted error, or connects to the fake engine.
struct Neighbourhood {
  std::map<std::string, Error> refusals;
  test::FakeEngine engine;

  [[nodiscard]] SearchOptions options(Wanted wanted = Wanted::any) {
    SearchOptions options{.wanted = wanted};
    options.dialer = [this](const std::string& text) -> Result<std::unique_ptr<Dialer>> {
      const auto refusal = refusals.find(text);
      if (refusal != refusals.end()) return refusal->second;
      return std::unique_ptr<Dialer>(std::make_unique<test::FakeDialer>(engine));
    };
    return options;
  }
};

std::vector<Candidate> places(std::initializer_list<std::string> endpoints) {
  std::vector<Candidate> list;
  for (const std::string& endpoint : endpoints) list.push_back({endpoint, "test"});
  return list;
}

TEST(EngineSearch, AStaleSocketDoesNotEndItP28) {
  Neighbourhood around;
  around.refusals.emplace("unix:///stale", Error(Errc::connection_refused, "refused"));
  script_negotiation(around.engine, Kind::docker);
  const Search search =
      connect_first(places({"unix:///stale", "unix:///good"}), around.options(), soon());
  ASSERT_TRUE(search.client.has_value());
  EXPECT_EQ(search.endpoint, "unix:///good");
  ASSERT_EQ(search.attempts.size(), 1U);
  EXPECT_EQ(search.attempts[0].error.code(), Errc::connection_refused);
}

TEST(EngineSearch, ASilentEngineIsGivenUpAfterTwoSecondsP30) {
  Neighbourhood around;
  around.engine.answers.push_back({.bytes = "", .then = test::Then::silence});
  script_negotiation(around.engine, Kind::docker);
  // The fake refuses to wait without a deadline: that there is one is what is tested.
  const Search search = connect_first(places({"unix:///a", "unix:///b"}), around.options(), Call{});
  EXPECT_TRUE(search.client.has_value());
  EXPECT_EQ(search.attempts[0].error.code(), Errc::timed_out);
}

TEST(EngineSearch, AnEngineOfTheOtherKindIsPassedOver) {
  Neighbourhood around;
  script_negotiation(around.engine, Kind::podman);
  const Search search =
      connect_first(places({"unix:///a"}), around.options(Wanted::docker), soon());
  EXPECT_FALSE(search.client.has_value());
  EXPECT_EQ(search.attempts[0].error.code(), Errc::unsupported);
}

TEST(EngineSearch, AMalformedDockerHostIsAnAttemptLikeAnyOther) {
  SearchOptions options;
  const Search search = connect_first(places({"dockr.sock"}), options, soon());
  EXPECT_EQ(search.attempts[0].error.code(), Errc::invalid_argument);
}

TEST(EngineSearch, AStopEndsIt) {
  Neighbourhood around;
  std::stop_source source;
  source.request_stop();
  const Search search = connect_first(places({"unix:///a", "unix:///b"}), around.options(),
                                      {Deadline::never(), source.get_token()});
  ASSERT_EQ(search.attempts.size(), 1U);
  EXPECT_EQ(search.attempts[0].error.code(), Errc::cancelled);
}

TEST(EngineSearch, NamesEveryPlaceAndWhyItFailedP28) {
  Neighbourhood around;
  around.refusals.emplace("unix:///a", Error(Errc::not_found, "no such file"));
  around.refusals.emplace("unix:///b", Error(Errc::connection_refused, "refused"));
  const Error error =
      no_engine(connect_first(places({"unix:///a", "unix:///b"}), around.options(), soon()));
  EXPECT_EQ(error.code(), Errc::backend_unavailable);
  EXPECT_EQ(error.message(),
            "no container engine answers: unix:///b (refused); no socket at unix:///a");
  EXPECT_NE(error.hint().find("start the engine"), std::string::npos);
}

std::string hint_for(const std::string& endpoint, Errc code) {
  Neighbourhood around;
  around.refusals.emplace(endpoint, Error(code, "no"));
  return no_engine(connect_first(places({endpoint}), around.options(), soon())).hint();
}

TEST(EngineSearch, SaysWhatToDoAboutTheEngineThatIsThere) {
  constexpr Errc kRefused = Errc::connection_refused;
  EXPECT_THAT(hint_for("unix:///var/run/docker.sock", kRefused), testing::EndsWith("start docker"));
  EXPECT_THAT(hint_for("unix:///run/podman/podman.sock", kRefused),
              testing::EndsWith("systemctl start podman.socket"));
  EXPECT_THAT(hint_for("unix:///run/user/1000/podman/podman.sock", kRefused),
              testing::EndsWith("start the engine"));
  for (const Errc code : {Errc::timed_out, Errc::protocol, Errc::engine, Errc::connection_lost})
    EXPECT_THAT(hint_for("unix:///a", code), testing::HasSubstr("does not answer as"));
  EXPECT_THAT(hint_for("unix:///a", Errc::not_found), testing::HasSubstr("install Docker"));
}

TEST(EngineSearch, ASocketWeMayNotUseIsWhatTheHintIsAboutP29) {
  Neighbourhood around;
  around.refusals.emplace("unix:///a", Error(Errc::connection_refused, "refused"));
  around.refusals.emplace("unix:///b",
                          Error(Errc::permission_denied, "not for you").with_hint("join docker"));
  const Error error =
      no_engine(connect_first(places({"unix:///a", "unix:///b"}), around.options(), soon()));
  EXPECT_EQ(error.hint(), "join docker");
}

}  // namespace
}  // namespace lazaret::engine
