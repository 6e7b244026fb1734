#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "integration/support.hpp"
#include "places.hpp"

// The program itself, as a shell and a script meet it.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Invocation given_input(std::string text) { return {.argv = {}, .input = std::move(text)}; }
Invocation with_variables(std::map<std::string, std::string> variables) {
  return {.argv = {}, .environment = std::move(variables)};
}

Json json_of(const Ended& ended) { return Json::parse(ended.out, nullptr, false); }

struct StatusRow {
  const char* name;
  std::vector<std::string> arguments;
  int status;
};

class CliStatus : public testing::TestWithParam<StatusRow> {};

TEST_P(CliStatus, SaysWhatBecameOfTheProgram) {
  const Ended ended = lazaret(GetParam().arguments);
  EXPECT_EQ(ended.status, GetParam().status) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Of, CliStatus,
    testing::Values(
        StatusRow{"ASuccess", {"run", "-c", "1"}, 0},
        StatusRow{"TheProgramsOwn", {"run", "-l", "bash", "-c", "exit 42"}, 42},
        StatusRow{"AProgramThatSays124", {"run", "-l", "bash", "-c", "exit 124"}, 124},
        StatusRow{"ATimeout",
                  {"run", "--timeout", "300ms", "--grace", "100ms", "-l", "bash", "-c", "sleep 60"},
                  124},
        StatusRow{"ProcessorTime", {"run", "--cpu-time", "1", "-c", "while True: pass"}, 124},
        StatusRow{"NoEngine",
                  {"run", "--type", "docker", "--host", "unix:///nonexistent", "--no-fallback",
                   "-c", "1"},
                  125},
        StatusRow{"AFileThatIsNotExecutable", {"exec", "--", "/etc/passwd"}, 126},
        StatusRow{"ACommandThatDoesNotExist", {"exec", "--", "no-such-program"}, 127},
        StatusRow{"ASubprocessDenied",
                  {"exec", "--no-subprocess", "--", "/bin/sh", "-c", "/bin/true; /bin/true"},
                  2},
        StatusRow{"AProfileThatIsNone", {"run", "--profile", "loose", "-c", "1"}, 2},
        StatusRow{"ADirectoryThatIsNeverShared", {"run", "--mount", "/etc:/mnt/e", "-c", "1"}, 126},
        StatusRow{"APlaceOutsideOfMnt", {"run", "--mount", "/srv:/work", "-c", "1"}, 2},
        StatusRow{"ASignal", {"run", "-l", "bash", "-c", "kill -USR1 $$"}, 128 + 10},
        StatusRow{"AKillOfItsOwn", {"run", "-l", "bash", "-c", "kill -KILL $$"}, 137},
        StatusRow{"AnUnknownOption", {"run", "--no-such-option", "-c", "1"}, 2},
        StatusRow{"AnUnknownCommand", {"dance"}, 2}, StatusRow{"NoCommand", {}, 2},
        StatusRow{"AFileThatDoesNotExist", {"run", "/nonexistent.py"}, 2},
        StatusRow{"AnUnknownLanguage", {"run", "-l", "cobol", "-c", "1"}, 2},
        StatusRow{"ABadQuantity", {"run", "--memory", "lots", "-c", "1"}, 2},
        StatusRow{"Help", {"--help"}, 0}, StatusRow{"Version", {"--version"}, 0}),
    [](const auto& given) { return given.param.name; });

TEST(Cli, PrintsOneJsonObjectAndNothingElse) {
  const Ended ended = lazaret(
      {"run", "--json", "-c", "import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, 2]"});
  Json json = json_of(ended);
  ASSERT_TRUE(json.is_object()) << ended.out;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(json["stdout"], "out\n");
  EXPECT_EQ(json["stderr"], "err\n");
  EXPECT_EQ(json["value"], Json::array({1, 2}));
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1);
}

TEST(Cli, PrintsOneShortLineForAnAgentToKeep_R48) {
  const Ended ended = lazaret({"run", "--summary", "-c", "print('x' * 5000)\n[1, 2]"});
  const Json kept = json_of(ended);
  ASSERT_TRUE(kept.is_object()) << ended.out;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(kept["role"], "tool");
  EXPECT_EQ(kept["cause"], "exited");
  EXPECT_EQ(kept["value"], "[1,2]");
  EXPECT_THAT(kept.value("stdout", ""), testing::HasSubstr("bytes omitted"));
  EXPECT_LT(ended.out.size(), 2000U);
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1);
  const Ended refused = lazaret({"run", "--summary", "-l", "cobol", "-c", "x"});
  EXPECT_EQ(json_of(refused)["error"]["type"], "PolicyDenied") << refused.out;
  EXPECT_EQ(refused.status, 2);
}

TEST(Cli, PrintsJsonForEveryFate) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", "--json", "-c", "raise ValueError(1)"},
           {"run", "--json", "-c", ""},
           {"run", "--json", "-l", "cobol", "-c", "x"},
           {"run", "--json", "--timeout", "200ms", "--grace", "100ms", "-c", "while True: pass"},
           {"run", "--json", "--type", "docker", "--host", "unix:///nonexistent", "--no-fallback",
            "-c", "1"},
           {"exec", "--json", "--", "no-such-program"}}) {
    const Ended ended = lazaret(arguments);
    EXPECT_TRUE(json_of(ended).is_object()) << arguments.back() << ": " << ended.out << ended.err;
  }
}

TEST(Cli, RunsAFileWithItsArguments) {
  const Folder folder;
  const std::string file =
      folder.write("hello.py", "import sys\nprint(sys.argv[1:], sys.stdin.read())");
  const Ended ended =
      lazaret({"run", file, "one", "--json", "-c", "--", "two"}, given_input("typed"));
  EXPECT_EQ(ended.out, "['one', '--json', '-c', '--', 'two'] typed\n") << ended.err;
}

TEST(Cli, TellsTheLanguageByTheFilesName) {
  const Folder folder;
  EXPECT_EQ(lazaret({"run", folder.write("a.sh", "echo bash $BASH_VERSION")}).out.substr(0, 5),
            "bash ");
  EXPECT_EQ(lazaret({"run", folder.write("a.js", "console.log(typeof process)")}).out, "object\n");
  EXPECT_EQ(lazaret({"run", folder.write("a.py", "print(__name__)")}).out, "__main__\n");
}

TEST(Cli, RunsCodeFromStandardInput) {
  EXPECT_EQ(lazaret({"run", "-"}, given_input("print('typed')")).out, "typed\n");
  EXPECT_EQ(lazaret({"run"}, given_input("print('piped')")).out, "piped\n");
  EXPECT_EQ(lazaret({"run", "-l", "bash", "-", "word"}, given_input("echo $1")).out, "word\n");
}

TEST(Cli, HandsTheProgramItsInputAndBothItsOutputs) {
  const Ended ended =
      lazaret({"run", "-l", "bash", "-c", "cat; echo aside >&2"}, given_input("in\n"));
  EXPECT_EQ(ended.out, "in\n");
  EXPECT_THAT(ended.err, HasSubstr("aside\n"));
}

// More than half of the limit on output, of bytes that are no text.
TEST(Cli, GivesTheProgramsOutputByteForByte) {
  const Ended ended = lazaret({"run", "-c",
                               "import sys\n"
                               "sys.stdout.buffer.write(bytes(range(256)) * 2800)"});
  std::string bytes, wanted;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (int time = 0; time < 2800; ++time) wanted += bytes;
  EXPECT_TRUE(ended.out == wanted) << ended.out.size() << " bytes of " << wanted.size();
}

// What a program leaves behind becomes the child of the nearest subreaper, which are we.
TEST(Cli, EndsOnlyWhenItsBoxAndItsSpawnerAreGone) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const Ended ended = lazaret({"exec", "--no-daemon", "sh", "-c", "setsid sleep 300 & exit 0"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// The head of 1001 bytes ends, with 501 bytes, within a character of two.
TEST(Cli, CutsOutputBetweenCharacters) {
  const Ended ended =
      lazaret({"run", "--max-output", "1001", "-c", "print('\u00e4' * 5000, end='')"});
  EXPECT_TRUE(is_utf8(ended.out));
  EXPECT_EQ(ended.out.find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(ended.out.find("\n[... "), 500U);
  EXPECT_THAT(ended.err, HasSubstr("raise --max-output"));
}

TEST(Cli, RunsACommandWithOptionsLikeItsOwn) {
  const Ended ended = lazaret({"exec", "--", "printf", "%s|", "--json", "-c", "--help", "--"});
  EXPECT_EQ(ended.out, "--json|-c|--help|--|") << ended.err;
  EXPECT_EQ(lazaret({"exec", "printf", "%s", "--timeout"}).out, "--timeout");
}

TEST(Cli, ShowsEachValueOfTheConfigurationWithItsOrigin) {
  const Ended ended =
      lazaret({"config", "show", "--json"}, with_variables({{"SANDBOX_TIMEOUT_SEC", "9"}}));
  bool seen = false;
  for (const Json& row : json_of(ended)) {
    if (row["key"] != "limits.timeout") continue;
    seen = true;
    EXPECT_EQ(row["value"], "9s");
    EXPECT_EQ(row["origin"], "environment");
    EXPECT_EQ(row["name"], "SANDBOX_TIMEOUT_SEC");
  }
  EXPECT_TRUE(seen) << ended.out;
  EXPECT_THAT(lazaret({"config", "show"}).out, HasSubstr("limits.timeout"));
}

TEST(Cli, RefusesAnUnknownKeyOfTheConfigurationAndNamesIt) {
  const Folder folder;
  const Ended ended =
      lazaret({"run", "--config", folder.write("bad.yaml", "limits:\n  tiemout: 3s\n"), "-c", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("tiemout"));
}

//
TEST(Acceptance, LocalDefault) {
  const Ended ended = lazaret({"run", "--json", "-c", "print('hello')"});
  Json json = json_of(ended);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(json["stdout"], "hello\n");
  EXPECT_EQ(json["meta"]["backend"], "native");
  EXPECT_FALSE(json["meta"].contains("fallback"));
}

// By DOCKER_HOST the search would begin there, and would end at the Docker that the user may have.
TEST(Acceptance, DockerOptInMissingDockerErrorPath) {
  const Invocation without_engine =
      with_variables({{"SANDBOX_TYPE", "docker"},
                      {"SANDBOX_FALLBACK", "never"},
                      {"LAZARET_HOST", "unix:///nonexistent/docker.sock"}});
  const Ended ended = lazaret({"run", "--json", "-c", "print(1)"}, without_engine);
  Json json = json_of(ended);
  EXPECT_EQ(ended.status, 125);
  EXPECT_EQ(json["meta"]["cause"], "backend_unavailable");
  EXPECT_THAT(json["error"]["message"].get<std::string>(), HasSubstr("/nonexistent/docker.sock"));
  EXPECT_EQ(json["stdout"], "");
}

TEST(Acceptance, DockerOptInFallsBackAndSaysSo) {
  const Invocation without_engine = with_variables(
      {{"SANDBOX_TYPE", "docker"}, {"LAZARET_HOST", "unix:///nonexistent/docker.sock"}});
  Json json = json_of(lazaret({"run", "--json", "-c", "print(1)"}, without_engine));
  EXPECT_EQ(json["stdout"], "1\n");
  EXPECT_EQ(json["meta"]["backend"], "native");
  EXPECT_EQ(json["meta"]["fallback"]["wanted"], "docker");
  EXPECT_THAT(json["meta"]["fallback"]["reason"].get<std::string>(),
              HasSubstr("/nonexistent/docker.sock"));
  const std::string said = lazaret({"run", "-c", "print(1)"}, without_engine).err;
  const std::size_t warning = said.find("fell back");
  EXPECT_NE(warning, said.npos) << said;
  EXPECT_EQ(said.find("fell back", warning + 1), said.npos) << said;
}

TEST(Acceptance, TimeoutBehaviour) {
  const Ended ended =
      lazaret({"run", "--json", "--grace", "200ms", "-l", "bash", "-c", "echo partial; sleep 60"},
              with_variables({{"SANDBOX_TIMEOUT_SEC", "1"}}));
  Json json = json_of(ended);
  EXPECT_EQ(ended.status, 124);
  EXPECT_EQ(json["timed_out"], true);
  EXPECT_EQ(json["meta"]["cause"], "timeout");
  EXPECT_EQ(json["meta"]["limits"]["timeout_ms"], 1000);
  EXPECT_EQ(json["stdout"], "partial\n");
  EXPECT_EQ(json["error"]["type"], "TimeoutError");
}

TEST(Cli, EndsTheRunOnAnInterruptAndLeavesNothing) {
  const std::string marker = unique_marker();
  const Folder folder;
  const std::string file = folder.write(
      "long.sh",
      "trap 'exit 1' TERM\nsetsid bash -c 'exec -a \"$1\" sleep 300' - \"$1\" & "
      "(exec -a \"$1\" sleep 300) & wait");
  Invocation interrupted;
  interrupted.once_started = [&marker](pid_t program) {
    // Ours carries the marker too, and so does the script: two more are what it has left.
    EXPECT_TRUE(becomes_true(10s, [&marker] { return processes_marked(marker).size() >= 4; }));
    ::kill(program, SIGINT);
  };
  const Ended ended = lazaret({"run", "--grace", "1s", file, marker}, interrupted);
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_FALSE(ended.overdue) << ended.err;
  EXPECT_THAT(processes_marked(marker), IsEmpty());
}

TEST(Cli, HoldsTheTimeLimitWhenNobodyReadsTheOutput) {
  const std::string marker = unique_marker();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl(kLazaretPath, "lazaret", "run", "-q", "--timeout", "3", "--grace", "0", "-c",
            "while True: print('x' * 1000)", marker.c_str(), nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  const auto alive = [&marker] { return processes_marked(marker).size(); };
  EXPECT_TRUE(becomes_true(10s, [&alive] { return alive() == 2; })) << "it has begun";
  EXPECT_TRUE(becomes_true(10s, [&alive] { return alive() == 1; })) << "only ours is left";
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(program, nullptr, 0), program);
}

TEST(Cli, WritesNoColourIntoAPipeWhateverIsAsked) {
  const Ended plain = lazaret({"run", "--evidence", "-l", "bash", "-c", "exit 3"});
  const Ended asked = lazaret({"run", "--evidence", "-l", "bash", "-c", "exit 3"},
                              with_variables({{"NO_COLOR", "1"}}));
  EXPECT_THAT(plain.out + plain.err, Not(HasSubstr("\x1b")));
  EXPECT_EQ(plain.out, asked.out);
}

// What stands in the brackets of an option is what a reader of the manual looks for.
TEST(Cli, NamesEveryOptionInItsHelp) {
  const std::string run = lazaret({"run", "--help"}).out;
  for (const char* const option :
       {"--type",      "--host",     "--config",        "--no-fallback", "--json",
        "--quiet",     "--code",     "--lang",          "--timeout",     "--grace",
        "--cpu-time",  "--memory",   "--cpus",          "--pids",        "--open-files",
        "--file-size", "--disk",     "--max-output",    "--env",         "--image",
        "--require",   "--strict",   "--best-effort",   "--evidence",    "--profile",
        "--mount",     "--loopback", "--no-subprocess", "SANDBOX_TYPE",  "SANDBOX_TIMEOUT_SEC"}) {
    EXPECT_THAT(run, HasSubstr(option));
  }
  const std::string all = lazaret({"--help"}).out;
  for (const char* const word :
       {"run", "exec", "doctor", "config", "images", "124", "125", "126", "127"}) {
    EXPECT_THAT(all, HasSubstr(word));
  }
}

TEST(Cli, TakesAMountFromWhereItStands) {
  const Folder folder;
  folder.write("file", "beside me");
  const Ended ended = lazaret({"run", "--mount", ".:/mnt/here", "--profile", "strict", "--loopback",
                               "-c", "print(open('/mnt/here/file').read())"},
                              {.argv = {}, .directory = folder.path()});
  EXPECT_EQ(ended.out, "beside me\n") << ended.err;
}

TEST(Cli, RefusesARunWhenARequiredControlIsNotThere) {
  const Ended ended = lazaret({"run", "--json", "--strict", "-c", "print('ran')"});
  Json json = json_of(ended);
  if (json["meta"]["cause"] == "exited") GTEST_SKIP() << "everything can be enforced here";
  EXPECT_EQ(ended.status, 125);
  EXPECT_EQ(json["meta"]["cause"], "enforcement_mismatch");
  EXPECT_EQ(json["stdout"], "");
}

}  // namespace
}  // namespace lazaret::test
