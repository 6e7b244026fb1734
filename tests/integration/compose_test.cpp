#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/yaml.hpp"
#include "integration/support.hpp"
#include "places.hpp"

// compose/compose.yaml: the daemon beside an engine has no more rights than it needs.
namespace lazaret::test {
namespace {

using testing::ElementsAre;

const Json& document() {
  static const Json json =
      core::parse_yaml(file_text(in_checkout("compose/compose.yaml")), "compose.yaml")
          .value();
  return json;
}

std::vector<std::string> texts(const Json& list) { return list.get<std::vector<std::string>>(); }

TEST(Compose, RunsTheDaemonAsNobodyWithoutRights) {
  const Json& service = document()["services"]["lazaret"];
  EXPECT_EQ(service["user"], "65534:65534");
  EXPECT_EQ(service["read_only"], true);
  EXPECT_THAT(texts(service["cap_drop"]), ElementsAre("ALL"));
  EXPECT_THAT(texts(service["security_opt"]), ElementsAre("no-new-privileges:true"));
  EXPECT_EQ(service["network_mode"], "none");
  for (const char* const loosened :
       {"privileged", "cap_add", "devices", "pid", "ipc", "userns_mode", "ports"})
    EXPECT_FALSE(service.contains(loosened)) << loosened;
  for (const char* const bound : {"mem_limit", "pids_limit"})
    EXPECT_TRUE(service.contains(bound)) << bound;
}

// Of the host it sees the engine's socket alone; its own is in a volume, as is its journal.
TEST(Compose, ShowsItTheEnginesSocketAndNothingElseOfTheHosts) {
  const Json& service = document()["services"]["lazaret"];
  const Json& variables = service["environment"];
  EXPECT_THAT(texts(service["volumes"]),
              ElementsAre("${ENGINE_SOCKET:-/run/docker.sock}:/run/docker.sock",
                          "socket:/run/lazaret", "state:/var/lib/lazaret"));
  EXPECT_EQ(document()["volumes"].size(), 2U);
  EXPECT_EQ(variables["DOCKER_HOST"], "unix:///run/docker.sock");
  EXPECT_EQ(variables["LAZARET_SOCKET"], "/run/lazaret/lazaret.sock");
  EXPECT_EQ(variables["XDG_STATE_HOME"], "/var/lib");
}

// Boxes are the engine's: a daemon that cannot reach it says so instead of holding them itself.
TEST(Compose, FallsBackToNothing) {
  const Json& variables = document()["services"]["lazaret"]["environment"];
  EXPECT_EQ(variables["SANDBOX_TYPE"], "docker");
  EXPECT_EQ(variables["SANDBOX_FALLBACK"], "never");
}

TEST(Compose, MakesItsImageForNobody) {
  const std::string text = file_text(in_checkout("compose/Dockerfile"));
  EXPECT_THAT(text, testing::HasSubstr("-o 65534 -g 65534 /run/lazaret /var/lib/lazaret\n"));
  // Loaded, not linked: without it there would be no journal in the volume that is there for it.
  EXPECT_THAT(text, testing::HasSubstr(" libsqlite3-0 "));
  EXPECT_THAT(text, testing::HasSubstr("-perm /6000 -exec chmod ug-s"));
  EXPECT_THAT(
      text, testing::HasSubstr("\nCOPY ${PROGRAMS}/lazaret ${PROGRAMS}/lazaret-serve /usr/bin/\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nUSER 65534:65534\n"));
}

}  // namespace
}  // namespace lazaret::test
