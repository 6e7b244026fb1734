#include "policy/resolve.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace lazaret::policy {
namespace {

using namespace std::chrono_literals;

Facts facts() {
  const auto snake = [](const ExecutionRequest& asked, const Spec&) {
    Program program;
    program.argv = {"snake", "/work/main.py"};
    program.argv.insert(program.argv.end(), asked.arguments.begin(), asked.arguments.end());
    program.files = {{"/work/main.py", asked.code}};
    program.ahead = Program::Ahead{};
    program.cells = {"snake", "cells"};
    return program;
  };
  const auto compiled = [](const ExecutionRequest&, const Spec& spec) {
    Program program;
    program.argv = {"/work/main"};
    program.compiler = {"cc", std::to_string(spec.limits.memory_bytes)};
    return program;
  };
  static const std::vector<Language> languages = {{"python", {"py"}, snake, {}, ""},
                                                  {"c", {}, compiled, {}, ""}};
  return {.languages = languages, .default_grace = 2s};
}

ExecutionRequest request() {
  ExecutionRequest made;
  made.code = "print(1)";
  return made;
}

Errc refusal(const ExecutionRequest& asked, const Config& config = {}) {
  const auto spec = resolve(asked, config, facts());
  EXPECT_FALSE(spec.ok());
  return spec.ok() ? Errc::system : spec.error().code();
}

TEST(Resolve, MakesASpecOfARequest) {
  auto asked = request();
  asked.language = "py";
  asked.arguments = {"a b", "-c"};
  asked.environment = {{"GREETING", "hello"}};
  const auto spec = resolve(asked, {}, facts()).value();
  EXPECT_EQ(spec.language, "python");
  EXPECT_EQ(spec.image, "lazaret/python:latest");
  EXPECT_EQ(spec.program.argv, (std::vector<std::string>{"snake", "/work/main.py", "a b", "-c"}));
  EXPECT_EQ(spec.program.files.at(0).content, "print(1)");
  EXPECT_EQ(spec.environment.at("GREETING"), "hello");
  EXPECT_EQ(spec.required, default_required_controls());
  EXPECT_EQ(spec.limits.grace, 2s);
}

Result<Spec> resolved_in_session(const ExecutionRequest& asked) {
  Facts kept = facts();
  kept.keeps_box = true;
  return resolve(asked, {}, kept);
}

TEST(Resolve, MakesACellOfWhatIsInAContext) {
  auto asked = request();
  asked.context = "a.B-1_" + std::string(58, 'x');
  const Spec spec = resolved_in_session(asked).value();
  EXPECT_EQ(spec.program.argv, (std::vector<std::string>{"snake", "cells"}));
  EXPECT_EQ(spec.program.cell->context, asked.context);
  EXPECT_EQ(spec.program.cell->code, "print(1)");
  EXPECT_TRUE(spec.program.files.empty());
  EXPECT_FALSE(spec.program.ahead.has_value());
  EXPECT_FALSE(resolved_in_session(request()).value().program.cell.has_value());
}

TEST(Resolve, GivesATerminalToAnInterpreterThatIsStartedForIt) {
  auto asked = request();
  EXPECT_FALSE(resolve(asked, {}, facts())->environment.contains("TERM"));
  asked.terminal = TerminalSize{1, 1};
  const Spec spec = resolve(asked, {}, facts()).value();
  EXPECT_EQ(spec.terminal, asked.terminal);
  EXPECT_FALSE(spec.program.ahead.has_value());
  EXPECT_EQ(spec.environment.at("TERM"), "xterm");
  asked.environment["TERM"] = "dumb";
  EXPECT_EQ(resolve(asked, {}, facts())->environment.at("TERM"), "dumb");
  for (const TerminalSize size : {TerminalSize{0, 1}, TerminalSize{1, 0}}) {
    asked.terminal = size;
    EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  }
}

TEST(Resolve, RefusesAContextThatCannotBe) {
  const auto refused = [](void (*spoil)(ExecutionRequest&)) {
    auto asked = request();
    asked.context = "a";
    spoil(asked);
    const auto spec = resolved_in_session(asked);
    return !spec.ok() && spec.error().code() == Errc::invalid_argument;
  };
  EXPECT_FALSE(refused([](ExecutionRequest&) {}));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.context = std::string(65, 'x'); }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.context = "a/b"; }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.command = {"true"}; }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.arguments = {"x"}; }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.stdin_data = "x"; }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.terminal.emplace(); }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.working_directory = "out"; }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) {
    asked.stdin_source = [](std::stop_token) { return std::string(); };
  }));
  EXPECT_TRUE(refused([](ExecutionRequest& asked) { asked.language = "c"; }));
  auto asked = request();
  asked.context = "a";
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);  // without a session
}

TEST(Resolve, FixesTheEnvironmentOfADeterministicRun) {
  auto asked = request();
  Config config;
  config.passed_environment = {{"TZ", "Asia/Tokyo"}, {"LC_TIME", "de_DE"}, {"OTHER", "1"}};
  EXPECT_EQ(resolve(asked, config, facts()).value().environment.at("TZ"), "Asia/Tokyo");
  EXPECT_TRUE(resolve(asked, config, facts()).value().fixed.empty());
  asked.deterministic = true;
  const Spec spec = resolve(asked, config, facts()).value();
  EXPECT_EQ(spec.environment.at("TZ"), "UTC");
  EXPECT_EQ(spec.environment.at("LC_ALL"), "C.UTF-8");
  EXPECT_EQ(spec.environment.at("PYTHONHASHSEED"), "0");
  EXPECT_EQ(spec.environment.at("OTHER"), "1");
  EXPECT_FALSE(spec.environment.contains("LC_TIME"));
  EXPECT_EQ(spec.fixed, (std::vector<std::string>{"time_zone", "locale"}));
  for (const char* const name :
       {"TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_TIME", "PYTHONHASHSEED", "PYTHONOPTIMIZE"}) {
    asked.environment = {{name, "UTC"}};
    EXPECT_EQ(refusal(asked), Errc::invalid_argument) << name;
  }
}

TEST(Resolve, BeginsWhereItIsAskedTo) {
  auto asked = request();
  EXPECT_EQ(resolve(asked, {}, facts()).value().program.working_directory, "/work");
  asked.working_directory = "/work";
  EXPECT_TRUE(resolve(asked, {}, facts()).value().program.ahead);
  asked.working_directory = "data/raw";
  EXPECT_EQ(resolve(asked, {}, facts()).value().program.working_directory, "/work/data/raw");
  EXPECT_FALSE(resolve(asked, {}, facts()).value().program.ahead);
  asked.working_directory = "/" + std::string(4094, 'a');
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
  for (const std::string& refused : {"/" + std::string(4095, 'a'), std::string(4090, 'a'),
                                     std::string("a\0b", 3), std::string("\xFF")}) {
    asked.working_directory = refused;
    EXPECT_EQ(refusal(asked), Errc::invalid_argument) << refused.size();
  }
}

TEST(Resolve, TellsALanguageWhichLimitsHold) {
  auto asked = request();
  asked.language = "c";
  asked.limits.memory_bytes = 64U << 20;
  EXPECT_EQ(resolve(asked, {}, facts()).value().program.compiler.back(), "67108864");
}

TEST(Resolve, RefusesCompiledCodeWhereNothingMadeInTheBoxIsExecuted) {
  auto asked = request();
  asked.language = "c";
  asked.profile = Profile::strict;
  EXPECT_EQ(refusal(asked), Errc::permission_denied);
  asked.profile = Profile::standard;
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
}

TEST(Resolve, RequiresTheDenialOfSubprocessesThatIsAskedFor) {  // L-20
  Config config;
  EXPECT_EQ(resolve(request(), config, facts()).value().subprocess, Subprocess::allow);
  config.subprocess = Subprocess::deny;
  auto asked = request();
  auto spec = resolve(asked, config, facts()).value();
  EXPECT_EQ(spec.subprocess, Subprocess::deny);
  EXPECT_TRUE(spec.required.contains(Control::subprocess));
  asked.required_controls.emplace();
  EXPECT_FALSE(resolve(asked, config, facts()).value().required.contains(Control::subprocess));
  asked.subprocess = Subprocess::allow;
  EXPECT_EQ(resolve(asked, config, facts()).value().subprocess, Subprocess::allow);
}

TEST(Resolve, TakesFromTheProfileWhatNobodySays) {  // C-12
  auto asked = request();
  asked.profile = Profile::strict;
  auto spec = resolve(asked, {}, facts()).value();
  EXPECT_EQ(spec.subprocess, Subprocess::deny);
  EXPECT_EQ(spec.loopback, Loopback::down);
  EXPECT_EQ(spec.environment.at("TMPDIR"), "/work");
  EXPECT_TRUE(spec.required.contains(Control::subprocess));
  asked.subprocess = Subprocess::allow;
  EXPECT_EQ(resolve(asked, {}, facts()).value().subprocess, Subprocess::allow);
  asked.profile = Profile::dev;
  EXPECT_EQ(resolve(asked, {}, facts()).value().loopback, Loopback::up);
  asked.loopback = Loopback::down;
  EXPECT_EQ(resolve(asked, {}, facts()).value().loopback, Loopback::down);
}

TEST(Resolve, LeadsProgramsOutByTheLoopbackWhereTheyHaveHosts) {
  auto asked = request();
  EXPECT_FALSE(resolve(asked, {}, facts()).value().environment.contains("HTTPS_PROXY"));
  asked.hosts = {"a.org"};
  asked.environment["https_proxy"] = "mine";
  const auto spec = resolve(asked, {}, facts()).value();
  EXPECT_EQ(spec.egress.hosts, std::vector{host_rule_in("a.org").value()});
  EXPECT_EQ(spec.loopback, Loopback::up);
  EXPECT_EQ(spec.environment.at("HTTPS_PROXY"), "http://127.0.0.1:3128");
  EXPECT_EQ(spec.environment.at("https_proxy"), "mine");
  asked.loopback = Loopback::down;
  EXPECT_EQ(resolve(asked, {}, facts()).error().code(), Errc::invalid_argument);
  asked.loopback.reset();
  Config config;
  config.egress_hosts = {};
  EXPECT_EQ(resolve(asked, config, facts()).error().code(), Errc::permission_denied);
}

TEST(Resolve, PrefersWhatTheConfigurationSaysToTheProfile) {
  Config config;
  config.profile = Profile::strict;
  config.subprocess = Subprocess::allow;
  config.sources["subprocess"] = {Origin::user_file, "u"};
  const auto spec = resolve(request(), config, facts()).value();
  EXPECT_EQ(spec.profile, Profile::strict);
  EXPECT_EQ(spec.subprocess, Subprocess::allow);
}

TEST(Resolve, ChecksMountsAtTheDoor) {
  auto asked = request();
  asked.mounts = {{"/srv/a", "/mnt/a", MountAccess::read_only}};
  EXPECT_EQ(resolve(asked, {}, facts()).value().mounts.size(), 1U);
  Config config;
  config.mount_sources = {"/data"};
  EXPECT_EQ(refusal(asked, config), Errc::permission_denied);
}

TEST(Resolve, RunsACommandAsItIs) {
  ExecutionRequest asked;
  asked.command = {"ls", "-l"};
  asked.arguments = {"/"};
  const auto spec = resolve(asked, {}, facts()).value();
  EXPECT_EQ(spec.language, "exec");
  EXPECT_EQ(spec.program.argv, (std::vector<std::string>{"ls", "-l", "/"}));
  EXPECT_TRUE(spec.program.files.empty());
  asked.command = {""};
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, RefusesAnEmptyProgramWithAHint) {
  auto asked = request();
  asked.code = " \n";
  const auto spec = resolve(asked, {}, facts());
  ASSERT_FALSE(spec.ok());
  EXPECT_FALSE(spec.error().hint().empty());
}

TEST(Resolve, TakesCodeOfOneMebibyteAndNotAByteMore) {
  auto asked = request();
  asked.code = std::string(1 << 20, '1');
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
  asked.code += '1';
  EXPECT_EQ(refusal(asked), Errc::too_large);
}

TEST(Resolve, RefusesCodeThatIsNotText) {
  auto asked = request();
  asked.code = std::string("a\0b", 3);
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  asked.code = "\xff";
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, ListsTheLanguagesForAnUnknownOne) {
  auto asked = request();
  asked.language = "cobol";
  const auto spec = resolve(asked, {}, facts());
  ASSERT_FALSE(spec.ok());
  EXPECT_NE(spec.error().message().find("there are python"), std::string::npos);
}

TEST(Resolve, TakesLimitsUpToTheMaximumAndNeverClamps) {
  auto asked = request();
  asked.limits.timeout = 300s;
  EXPECT_EQ(resolve(asked, {}, facts()).value().limits.timeout, 300s);
  asked.limits.timeout = 300s + 1ms;
  EXPECT_EQ(refusal(asked), Errc::permission_denied);
}

// Any amount of output is no limit, and so beyond each.
TEST(Resolve, BoundsTheOutputOfWhoAsksForNoBoundByTheMaximum) {
  Config config;
  EXPECT_FALSE(resolve(request(), config, facts()).value().limits.output_bytes);
  config.maxima.output_bytes = 1000;
  EXPECT_EQ(resolve(request(), config, facts()).value().limits.output_bytes, 1000U);
  auto asked = request();
  asked.limits.output_bytes = 999;
  EXPECT_EQ(resolve(asked, config, facts()).value().limits.output_bytes, 999U);
  asked.limits.output_bytes = 1001;
  EXPECT_EQ(resolve(asked, config, facts()).error().code(), Errc::permission_denied);
}

TEST(Resolve, RefusesATimeoutOfNothing) {  // P-14
  auto asked = request();
  asked.limits.timeout = 0ms;
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  asked.limits.timeout = -1ms;
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, RefusesLessMemoryThanEnginesTake) {  // P-38
  auto asked = request();
  asked.limits.memory_bytes = 6ULL << 20;
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
  --*asked.limits.memory_bytes;
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, RefusesAmountsThatAreNotNumbersOrBeyondAll) {
  auto asked = request();
  asked.limits.cpus = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  asked.limits.cpus.reset();
  asked.limits.pids = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  asked.limits.pids = 0;
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, DeniesVariablesThatChangeHowProgramsAreLoaded) {
  auto asked = request();
  asked.environment = {{"LD_PRELOAD", "/tmp/x.so"}};
  EXPECT_EQ(refusal(asked), Errc::permission_denied);
}

TEST(Resolve, RefusesTextWithNulWhereTheKernelEndsIt) {
  auto asked = request();
  asked.arguments = {std::string("a\0b", 3)};
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
  asked.arguments.clear();
  asked.environment = {{"A", std::string("\0", 1)}};
  EXPECT_EQ(refusal(asked), Errc::invalid_argument);
}

TEST(Resolve, BoundsArgumentsAndVariables) {
  auto asked = request();
  asked.arguments.assign(1024, "x");
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
  asked.arguments.emplace_back("x");
  EXPECT_EQ(refusal(asked), Errc::too_large);
  asked.arguments = {std::string(128 * 1024, 'x')};
  EXPECT_EQ(refusal(asked), Errc::too_large);
  asked.arguments = {};
  for (int i = 0; i < 257; ++i) asked.environment["V" + std::to_string(i)] = "";
  EXPECT_EQ(refusal(asked), Errc::too_large);
}

TEST(Resolve, TakesInputOfOneMebibyteAndNotAByteMore) {
  auto asked = request();
  asked.stdin_data = std::string(1 << 20, '\0');
  EXPECT_TRUE(resolve(asked, {}, facts()).ok());
  asked.stdin_data += 'x';
  EXPECT_EQ(refusal(asked), Errc::too_large);
}

TEST(Resolve, DropsRequiredControlsOnlyForARequestThatNamesItsOwn) {
  auto asked = request();
  asked.required_controls = std::set<Control>{};
  EXPECT_TRUE(resolve(asked, {}, facts()).value().required.empty());
}

TEST(Resolve, PassesAllowedVariablesAndLetsTheRequestOverrule) {
  Config config;
  config.passed_environment = {{"A", "ours"}, {"B", "ours"}};
  auto asked = request();
  asked.environment = {{"B", "theirs"}};
  const auto spec = resolve(asked, config, facts()).value();
  EXPECT_EQ(spec.environment.at("A"), "ours");
  EXPECT_EQ(spec.environment.at("B"), "theirs");
}

TEST(Resolve, CountsThreadsByTheProcessorsAskedFor) {  // P-53
  auto asked = request();
  asked.limits.cpus = 2.5;
  EXPECT_EQ(resolve(asked, {}, facts()).value().environment.at("OMP_NUM_THREADS"), "3");
}

}  // namespace
}  // namespace lazaret::policy
