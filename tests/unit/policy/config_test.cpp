#include "policy/config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace lazaret::policy {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Variables = std::map<std::string, std::string>;

EnvironmentLookup lookup_in(const Variables& variables) {
  return [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Result<Config> from_file(Origin origin, const json& tree) {
  const SandboxOptions flags;
  return merge({flags, nullptr, {{origin, "some.yaml", tree}}});
}
Result<Config> from_user(const json& tree) { return from_file(Origin::user_file, tree); }
Result<Config> from_project(const json& tree) { return from_file(Origin::project_file, tree); }
Result<Config> from_variables(const Variables& variables) {
  const SandboxOptions flags;
  return merge({flags, lookup_in(variables), {}});
}

TEST(Config, IsTheBuiltInOneWhenNobodySpeaks) {
  const auto config = from_variables({}).value();
  EXPECT_EQ(config.type, BackendType::local);
  EXPECT_EQ(config.fallback, FallbackRule::allow);
  EXPECT_EQ(config.limits.timeout, 30s);  // L-28
  EXPECT_EQ(config.maxima.timeout, 300s);
  EXPECT_EQ(config.required_controls, default_required_controls());
  EXPECT_EQ(config.source_of("type").origin, Origin::built_in);
}

TEST(Config, SaysHowManyBoxesAreMadeAheadAndForHowLong) {
  EXPECT_EQ(from_user({{"pool", {{"most", 0}}}}).value().pool.most, 0U);
  EXPECT_EQ(from_user({{"pool", {{"most", 256}}}}).value().pool.most, 256U);
  EXPECT_FALSE(from_user({{"pool", {{"most", 257}}}}).ok());
  EXPECT_FALSE(from_user({{"pool", {{"most", -1}}}}).ok());
  EXPECT_EQ(from_user({{"pool", {{"idle", "1s"}}}}).value().pool.idle, 1s);
  EXPECT_EQ(from_user({{"pool", {{"idle", "1h"}}}}).value().pool.idle, 1h);
  EXPECT_FALSE(from_user({{"pool", {{"idle", "999ms"}}}}).ok());
  EXPECT_FALSE(from_user({{"pool", {{"idle", 3601}}}}).ok());
  EXPECT_EQ(from_variables({{"LAZARET_POOL_MOST", "2"}}).value().pool.most, 2U);
  EXPECT_FALSE(from_project({{"pool", {{"most", 2}}}}).ok());
}

TEST(Config, BoundsWhatIsMadeAhead) {
  constexpr std::uint64_t kMiB = 1ULL << 20;
  EXPECT_EQ(from_user({{"pool", {{"memory", "1MiB"}}}}).value().pool.memory_bytes, kMiB);
  EXPECT_FALSE(from_user({{"pool", {{"memory", kMiB - 1}}}}).ok());
  EXPECT_EQ(from_user({{"pool", {{"memory", "1024GiB"}}}}).value().pool.memory_bytes, kMiB * kMiB);
  EXPECT_FALSE(from_user({{"pool", {{"memory", "1025GiB"}}}}).ok());
  EXPECT_EQ(from_user({{"pool", {{"rate", 1}}}}).value().pool.rate, 1U);
  EXPECT_FALSE(from_user({{"pool", {{"rate", 0}}}}).ok());
  EXPECT_EQ(from_variables({{"LAZARET_POOL_RATE", "10000"}}).value().pool.rate, 10'000U);
  EXPECT_FALSE(from_variables({{"LAZARET_POOL_RATE", "10001"}}).ok());
}

TEST(Config, SaysWhichLanguagesWaitFromTheStart) {
  using Ready = std::map<std::string, std::uint32_t>;
  EXPECT_EQ(from_variables({{"LAZARET_POOL_READY", "python:2,bash"}}).value().pool.ready,
            (Ready{{"python", 2}, {"bash", 1}}));
  EXPECT_EQ(from_user({{"pool", {{"ready", {"python:8"}}}}}).value().pool.ready,
            (Ready{{"python", 8}}));
  const json like = {{"count", 2}, {"language", "bash"}, {"profile", "strict"}};
  EXPECT_EQ(from_user({{"pool", {{"ready", {"python", like}}}}}).value().pool.ready,
            (Ready{{"python", 1}, {R"({"language":"bash","profile":"strict"})", 2}}));
  EXPECT_FALSE(from_user({{"pool", {{"ready", {like, like}}}}}).ok());
  EXPECT_FALSE(from_user({{"pool", {{"ready", {{{"language", "bash"}}}}}}}).ok());
  for (const char* const wrong :
       {"python:0", "python:257", "python:", "python:x", "cobol", "exec", "python:1,python:2"})
    EXPECT_FALSE(from_variables({{"LAZARET_POOL_READY", wrong}}).ok()) << wrong;
  EXPECT_FALSE(from_project({{"pool", {{"ready", {"python"}}}}}).ok());
}

TEST(Config, FollowsFlagThenEnvironmentThenProjectThenUserThenSystem) {
  const json system = {{"type", "podman"}, {"host", "tcp://s"}, {"limits", {{"pids", 40}}}};
  const json user = {{"type", "auto"}, {"host", "tcp://u"}, {"limits", {{"pids", 30}}}};
  const json project = {{"type", "local"}, {"limits", {{"pids", 20}}}};
  SandboxOptions flags;
  const Variables variables = {{"SANDBOX_TYPE", "docker"}, {"LAZARET_PIDS", "10"}};
  Layers layers{flags, nullptr, {{Origin::system_file, "s", system}}};
  EXPECT_EQ(merge(layers).value().type, BackendType::podman);
  layers.files.push_back({Origin::user_file, "u", user});
  EXPECT_EQ(merge(layers).value().host, "tcp://u");
  layers.files.push_back({Origin::project_file, "p", project});
  EXPECT_EQ(merge(layers).value().limits.pids, 20U);
  layers.environment = lookup_in(variables);
  EXPECT_EQ(merge(layers).value().limits.pids, 10U);
  EXPECT_EQ(merge(layers).value().type, BackendType::docker);
  flags.type = "podman";
  const auto config = merge(layers).value();
  EXPECT_EQ(config.type, BackendType::podman);
  EXPECT_EQ(config.source_of("type").origin, Origin::flag);
  EXPECT_EQ(config.source_of("host").name, "u");
  EXPECT_EQ(config.source_of("limits.pids").name, "LAZARET_PIDS");
}

TEST(Config, NamesFileKeyAndNearestKeyForAnUnknownOne) {
  const auto result = from_user({{"limits", {{"memroy", "1GiB"}}}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::invalid_argument);
  EXPECT_NE(result.error().message().find("some.yaml"), std::string::npos);
  EXPECT_NE(result.error().message().find("limits.memroy"), std::string::npos);
  EXPECT_NE(result.error().hint().find("limits.memory"), std::string::npos);
}

TEST(Config, RefusesWrongTypes) {
  for (const auto& tree :
       {json{{"type", 1}}, json{{"limits", 3}}, json{{"limits", {{"memory", true}}}},
        json{{"limits", {{"pids", 1.5}}}}, json{{"limits", {{"memory", json::array()}}}},
        json{{"required_controls", {{"network", 1}}}}, json{{"required_controls", {1}}},
        json{{"images", {{"python", nullptr}}}}, json::array(), json("text")}) {
    EXPECT_FALSE(from_user(tree).ok()) << tree;
  }
}

TEST(Config, RefusesNegativeAndAbsurdAmounts) {
  for (const auto& limits :
       {json{{"timeout", 0}}, json{{"timeout", -5}}, json{{"timeout", 1e12}}, json{{"pids", 0}},
        json{{"pids", -1}}, json{{"memory", 6 * 1024 * 1024 - 1}}, json{{"cpus", 0}},
        json{{"disk", 0}}, json{{"disk_files", 0}}, json{{"disk_rate", 65535}},
        json{{"open_files", 15}}, json{{"memory", "1e30"}}, json{{"cpus", 1e300}}}) {
    EXPECT_FALSE(from_user({{"limits", limits}}).ok()) << limits;
  }
  EXPECT_TRUE(from_user({{"limits", {{"memory", 6 * 1024 * 1024}}}}).ok());  // P-38
}

TEST(Config, LetsTheUsersFileRaiseTheMaximum) {
  EXPECT_FALSE(from_user({{"limits", {{"timeout", "301s"}}}}).ok());
  EXPECT_TRUE(from_user({{"limits", {{"timeout", "300s"}}}}).ok());
  const auto config =
      from_user({{"limits", {{"timeout", "10m"}}}, {"maxima", {{"timeout", "10m"}}}}).value();
  EXPECT_EQ(config.limits.timeout, 600s);
}

TEST(Config, TakesAnEmptySectionForNothing) {
  EXPECT_TRUE(from_user({{"limits", nullptr}}).ok());
  EXPECT_TRUE(from_user(json::object()).ok());
}

TEST(SandboxType, IsReadInAnyCase) {
  EXPECT_EQ(from_variables({{"SANDBOX_TYPE", "Docker"}}).value().type, BackendType::docker);
  EXPECT_EQ(from_variables({{"SANDBOX_TYPE", "auto"}}).value().type, BackendType::automatic);
  EXPECT_EQ(from_variables({{"SANDBOX_TYPE", ""}}).value().type, BackendType::local);
}

TEST(SandboxType, IsNeverLocalBecauseOfATypingError) {  // R-26
  const auto result = from_variables({{"SANDBOX_TYPE", "dokcer"}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::invalid_argument);
  EXPECT_NE(result.error().message().find("local, docker, podman and auto"), std::string::npos);
}

TEST(SandboxType, SaysThatRemoteKindsAreNotAvailable) {
  for (const auto* type : {"e2b", "kubernetes"}) {
    const auto result = from_variables({{"SANDBOX_TYPE", type}});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code(), Errc::unsupported);
    EXPECT_NE(result.error().message().find("not available in this version"), std::string::npos);
  }
}

TEST(SandboxTimeout, TakesPositiveSecondsUpToTheMaximum) {  // P-14, R-29
  EXPECT_EQ(from_variables({{"SANDBOX_TIMEOUT_SEC", "45"}}).value().limits.timeout, 45s);
  EXPECT_EQ(from_variables({{"SANDBOX_TIMEOUT_SEC", "0.25"}}).value().limits.timeout, 250ms);
  EXPECT_EQ(from_variables({{"SANDBOX_TIMEOUT_SEC", "300"}}).value().limits.timeout, 300s);
}

TEST(SandboxTimeout, RefusesEverythingElse) {  // P-14
  for (const auto* text : {"0", "-1", "nan", "inf", "30s", "abc", "301", "1e3", "99999999999"}) {
    EXPECT_FALSE(from_variables({{"SANDBOX_TIMEOUT_SEC", text}}).ok()) << text;
  }
}

TEST(SandboxFallback, IsAllowOrNever) {
  EXPECT_EQ(from_variables({{"SANDBOX_FALLBACK", "never"}}).value().fallback, FallbackRule::never);
  EXPECT_FALSE(from_variables({{"SANDBOX_FALLBACK", "no"}}).ok());
}

TEST(ProjectFile, MayNarrow) {
  const auto config = from_project({{"type", "docker"},
                                    {"fallback", "never"},
                                    {"limits", {{"memory", "64MiB"}, {"cpu_time", 5}}},
                                    {"maxima", {{"stdout", "2MiB"}}},
                                    {"required_controls", {"memory"}}});
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config.value().limits.memory_bytes, 64ULL << 20);
  EXPECT_EQ(config.value().required_controls.size(), 5U);
}

TEST(ProjectFile, MayNotLoosen) {  // A-14
  for (const auto& tree :
       {json{{"limits", {{"memory", "1GiB"}}}}, json{{"maxima", {{"timeout", "301s"}}}},
        json{{"host", "tcp://evil:1"}}, json{{"images", {{"python", "evil"}}}},
        json{{"required_controls", json::array()}}, json{{"environment", {{"allow", {"HOME"}}}}}}) {
    const auto result = from_project(tree);
    ASSERT_FALSE(result.ok()) << tree;
    EXPECT_EQ(result.error().code(), Errc::permission_denied) << tree;
    EXPECT_NE(result.error().message().find("only narrow"), std::string::npos) << tree;
  }
}

TEST(ProjectFile, MayDenySubprocessesButNotAllowThem) {
  EXPECT_EQ(from_project({{"subprocess", "deny"}}).value().subprocess, Subprocess::deny);
  const json user = {{"subprocess", "deny"}};
  const json project = {{"subprocess", "allow"}};
  const SandboxOptions flags;
  const auto merged = merge(
      {flags, nullptr, {{Origin::user_file, "u", user}, {Origin::project_file, "p", project}}});
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().code(), Errc::permission_denied);
  EXPECT_FALSE(from_project({{"subprocess", "never"}}).ok());
}

TEST(ProjectFile, MayChooseAStricterProfileButNoOther) {
  EXPECT_EQ(from_project({{"profile", "strict"}}).value().profile, Profile::strict);
  for (const json& tree :
       {json{{"profile", "dev"}}, json{{"loopback", "up"}}, json{{"mounts", {{"allow", {"/"}}}}}}) {
    const auto result = from_project(tree);
    ASSERT_FALSE(result.ok()) << tree;
    EXPECT_EQ(result.error().code(), Errc::permission_denied);
  }
  EXPECT_FALSE(from_project({{"profile", "loose"}}).ok());
}

TEST(MountSources, AreAbsolutePaths) {
  EXPECT_EQ(from_variables({{"LAZARET_MOUNTS_ALLOW", "/srv,/data"}}).value().mount_sources,
            (std::set<std::string>{"/srv", "/data"}));
  EXPECT_FALSE(from_variables({{"LAZARET_MOUNTS_ALLOW", "srv"}}).ok());
}

TEST(PackageHosts, AreHostsAndPorts) {
  EXPECT_EQ(from_variables({}).value().package_hosts, (std::set<std::string>{"public"}));
  EXPECT_EQ(from_variables({{"LAZARET_PACKAGES_HOSTS", "a.example,b.example:8443"}})
                .value()
                .package_hosts,
            (std::set<std::string>{"a.example", "b.example:8443"}));
  for (const char* const hosts : {"https://a", "a:", ":443", "a:b", "a:65536", "a:0", "a b", "a/b"})
    EXPECT_FALSE(from_variables({{"LAZARET_PACKAGES_HOSTS", hosts}}).ok()) << hosts;
  EXPECT_FALSE(from_project({{"packages", {{"hosts", {"a.example"}}}}}).ok());
}

TEST(ProjectFile, MayNotAllowAFallbackThatTheUserForbids) {
  const json user = {{"fallback", "never"}};
  const json project = {{"fallback", "allow"}};
  const SandboxOptions flags;
  const auto result = merge(
      {flags, nullptr, {{Origin::user_file, "u", user}, {Origin::project_file, "p", project}}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), Errc::permission_denied);
}

TEST(EnvironmentAllow, TakesValuesFromOurEnvironmentButShowsOnlyNames) {
  const json user = {{"environment", {{"allow", {"GREETING", "ABSENT"}}}}};
  const SandboxOptions flags;
  const auto config =
      merge({flags, lookup_in({{"GREETING", "hush"}}), {{Origin::user_file, "u", user}}}).value();
  EXPECT_EQ(config.passed_environment, (Variables{{"GREETING", "hush"}}));
  for (const auto& row : rows_of(config)) EXPECT_EQ(row.value.find("hush"), std::string::npos);
}

TEST(EnvironmentAllow, CannotNameADeniedVariable) {  // A-29
  EXPECT_FALSE(from_user({{"environment", {{"allow", {"LD_PRELOAD"}}}}}).ok());
}

TEST(ConfigRows, CoverEveryKeyWithItsOrigin) {
  const auto config = from_user({{"limits", {{"memory", "64MiB"}}}}).value();
  const auto rows = rows_of(config);
  EXPECT_EQ(rows.size(), config_keys().size());
  const auto row = std::ranges::find(rows, "limits.memory", &ConfigRow::key);
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->value, "64MiB");
  EXPECT_EQ(row->source.origin, Origin::user_file);
}

}  // namespace
}  // namespace lazaret::policy
