#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Whatever is wrong with a request, a setting or an engine: one clear answer, in time, and nothing
// stays behind.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;

struct Bad {
  const char* name;
  void (*spoil)(ExecutionRequest& request);
};

class BadRequest : public testing::TestWithParam<Bad> {};

TEST_P(BadRequest, IsDeniedAndSaysWhy) {
  ExecutionRequest request = python("print('ran')");
  GetParam().spoil(request);
  const ExecutionResult result = sandbox_on("native").execute(request);
  EXPECT_EQ(result.meta.cause, Cause::policy_denied) << to_json(result);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->type, ErrorType::PolicyDenied);
  EXPECT_FALSE(result.error->message.empty());
  EXPECT_EQ(result.stdout_text, "");
  EXPECT_EQ(result.meta.backend == "none" || result.meta.backend == "native", true);
}

using Request = ExecutionRequest;
INSTANTIATE_TEST_SUITE_P(
    With, BadRequest,
    testing::Values(
        Bad{"OneByteTooMuchCode", [](Request& r) { r.code = std::string((1 << 20) + 1, '#'); }},
        Bad{"ANulInTheCode", [](Request& r) { r.code = std::string("print(1)\0", 9); }},
        Bad{"CodeThatIsNotUtf8", [](Request& r) { r.code = "print('\xff\xfe')"; }},
        Bad{"AnUnknownLanguage", [](Request& r) { r.language = "cobol"; }},
        Bad{"ANegativeTimeout", [](Request& r) { r.limits.timeout = -1s; }},
        Bad{"NoTimeout", [](Request& r) { r.limits.timeout = 0ms; }},
        Bad{"AnAbsurdTimeout", [](Request& r) { r.limits.timeout = 1000000h; }},
        Bad{"NoMemory", [](Request& r) { r.limits.memory_bytes = 0; }},
        Bad{"AllTheMemoryThereIs", [](Request& r) { r.limits.memory_bytes = ~0ULL; }},
        Bad{"NegativeProcessors", [](Request& r) { r.limits.cpus = -1; }},
        Bad{"ProcessorsThatAreNoNumber", [](Request& r) { r.limits.cpus = __builtin_nan(""); }},
        Bad{"NoTasks", [](Request& r) { r.limits.pids = 0; }},
        Bad{"AbsurdlyManyTasks", [](Request& r) { r.limits.pids = 1ULL << 40; }},
        Bad{"AVariableOfTheLoader", [](Request& r) { r.environment["LD_PRELOAD"] = "/tmp/x.so"; }},
        Bad{"AVariableWithANul", [](Request& r) { r.environment["A"] = std::string("a\0b", 3); }},
        Bad{"AVariableWithoutAName", [](Request& r) { r.environment[""] = "x"; }},
        Bad{"AnEqualsSignInAName", [](Request& r) { r.environment["A=B"] = "x"; }},
        Bad{"AnArgumentWithANul", [](Request& r) { r.arguments = {std::string("a\0b", 3)}; }},
        Bad{"AnEmptyCommand", [](Request& r) { r.command = {""}; }},
        Bad{"TooMuchInput", [](Request& r) { r.stdin_data = std::string((1 << 20) + 1, 'x'); }}),
    [](const auto& given) { return given.param.name; });

TEST(GoodRequest, HasOneMebibyteOfCodeAtMost) {
  std::string code = "print('ran')\n";
  code += std::string((1 << 20) - code.size(), '#');
  EXPECT_EQ(run_on("native", python(code))["stdout"], "ran\n");
}

TEST(BadRequestOfNothing, IsRefusedWithAHint) {
  for (const char* const language : {"python", "bash", "javascript"}) {
    Json result = run_on("native", code_request(language, ""));
    EXPECT_EQ(result["meta"]["cause"], "policy_denied") << language;
    EXPECT_EQ(result["meta"]["evidence"], Json::array()) << language;
    EXPECT_NE(result["error"].value("hint", ""), "") << result;
  }
}

TEST(BadConfiguration, NamesItsUnknownKey) {
  const Folder folder;
  SandboxOptions options;
  options.config_file = folder.write("lazaret.yaml", "limits:\n  memmory: 1GiB\n");
  const auto sandbox = SandboxFactory::with(options);
  ASSERT_FALSE(sandbox.ok());
  EXPECT_EQ(sandbox.error().code(), Errc::invalid_argument);
  EXPECT_THAT(sandbox.error().message(), HasSubstr("memmory"));
}

TEST(BadConfiguration, MayBeAnything) {
  const Folder folder;
  for (const char* const text :
       {"\xff\xfe\x00", "[1, 2", "- list", "limits: 3", "limits: {timeout: -1s}", "&a [*a]",
        "type: [docker]", "type: chroot", "limits: {memory: 99999999999999TiB}"}) {
    SandboxOptions options;
    options.config_file = folder.write("lazaret.yaml", text);
    const auto sandbox = SandboxFactory::with(options);
    ASSERT_FALSE(sandbox.ok()) << text;
    EXPECT_EQ(sandbox.error().code(), Errc::invalid_argument) << text;
  }
}

class BadImage : public testing::TestWithParam<const char*> {};

TEST_P(BadImage, IsAnErrorOfItsOwn) {
  if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
  ExecutionRequest request = python("1");
  request.image = "lazaret/does-not-exist:never";
  Json result = run_on(GetParam(), request);
  EXPECT_EQ(result["meta"]["cause"], "image_missing") << result.dump();
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("lazaret/does-not-exist"));
  EXPECT_FALSE(result["error"]["hint"].get<std::string>().empty());
}

// What was asked for is not replaced by this machine's own.
TEST(BadImageNatively, IsRefusedAndNothingRuns) {
  ExecutionRequest request = python("print(1)");
  request.image = "lazaret/python:latest";
  const Json result = run_on("native", request);
  EXPECT_EQ(result["stdout"], "");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("of no image"));
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("--type docker"));
  const auto sandbox = SandboxFactory::with(*options_for("native"));
  ASSERT_TRUE(sandbox.ok());
  SessionRequest session;
  session.image = "lazaret/python:latest";
  const auto opened = sandbox->open_session(session);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code(), Errc::unsupported);
}

INSTANTIATE_TEST_SUITE_P(On, BadImage, testing::Values("docker", "podman"),
                         [](const auto& given) { return std::string(given.param); });

// An engine of a kind: what it says to a ping, and to everything else. An empty answer is silence.
struct Manners {
  const char* name;
  std::string ping;
  std::string rest;
  bool hangs_up = true;
  std::size_t endless = 0;  // bytes that the answer to a ping goes on with
};

class FakeEngine {
 public:
  FakeEngine(const std::string& path, Manners manners)
      : manners_(std::move(manners)), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    manners_.ping.append(manners_.endless, 'x');
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    ready_ = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
             ::listen(listener_, 16) == 0;
    server_ = std::jthread([this](std::stop_token stop) { serve(stop); });
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;
  ~FakeEngine() {
    server_.request_stop();
    server_.join();
    for (const int connection : held_) ::close(connection);
    ::close(listener_);
  }
  [[nodiscard]] bool ready() const { return ready_; }

 private:
  static bool readable(int descriptor, int milliseconds) {
    pollfd watched{descriptor, POLLIN, 0};
    return ::poll(&watched, 1, milliseconds) > 0;
  }

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (!readable(listener_, 20)) continue;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection >= 0) answer(connection);
    }
  }

  void answer(int connection) {
    std::array<char, 16384> request{};
    const ssize_t count =
        readable(connection, 1000) ? ::recv(connection, request.data(), request.size() - 1, 0) : 0;
    const bool ping = count > 0 && std::strstr(request.data(), "_ping") != nullptr;
    const std::string& text = ping ? manners_.ping : manners_.rest;
    (void)::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (manners_.hangs_up)
      ::close(connection);
    else
      held_.push_back(connection);
  }

  Manners manners_;
  int listener_;
  bool ready_ = false;
  std::vector<int> held_;
  std::jthread server_;
};

const std::string kPong =
    "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nDocker-Experimental: false\r\nOstype: linux\r\n"
    "Server: Docker/20.10.24 (linux)\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nOK";
const std::string kFailure =
    "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: "
    "23\r\n\r\n"
    "{\"message\":\"no, sorry\"}";
const std::string kNotJson =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\nnot json!";

void expect_clear_error(const Manners& manners) {
  const Folder folder;
  const std::string path = folder.path() + "/engine.sock";
  const FakeEngine engine(path, manners);
  ASSERT_TRUE(engine.ready());
  const Ended ended = lazaret({"run", "--json", "--no-fallback", "--type", "docker", "--host",
                               "unix://" + path, "-c", "1"});
  ASSERT_FALSE(ended.overdue) << ended.out << ended.err;
  Json result = Json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(result.is_object()) << ended.err;
  EXPECT_EQ(ended.status, 125);
  EXPECT_THAT(result["meta"]["cause"].get<std::string>(),
              AnyOf("backend_unavailable", "infrastructure_lost"));
  EXPECT_EQ(result["error"]["type"], "BackendError");
  EXPECT_GT(result["error"]["message"].get<std::string>().size(), 10U);
  EXPECT_THAT(result["error"].value("hint", ""), HasSubstr("what the engine logs"));
  EXPECT_EQ(result["stdout"], "");
}

class BadEngine : public testing::TestWithParam<Manners> {};

TEST_P(BadEngine, IsAClearErrorInTime) {
  const auto before = leftovers("native");
  expect_clear_error(GetParam());
  const auto after = leftovers("native");
  EXPECT_THAT(added(before.mounts, after.mounts), testing::IsEmpty());
  EXPECT_THAT(named_as_ours(added(before.files, after.files)), testing::IsEmpty());
  EXPECT_THAT(added(before.cgroups, after.cgroups), testing::IsEmpty());
  EXPECT_EQ(after.children, before.children);
}

INSTANTIATE_TEST_SUITE_P(
    That, BadEngine,
    testing::Values(
        Manners{"AcceptsAndNeverAnswers", "", "", false}, Manners{"HangsUpAtOnce", "", ""},
        Manners{"SpeaksGarbage", "\x16\x03\x01 garbage \xff\r\n\r\n", ""},
        Manners{"StopsInTheHead", "HTTP/1.1 200 OK\r\nApi-Ver", "", true},
        Manners{"StopsInTheHeadAndHolds", "HTTP/1.1 200 OK\r\nApi-Ver", "", false},
        Manners{"FailsAtEverything", kFailure, kFailure},
        Manners{"FailsAfterThePing", kPong, kFailure},
        Manners{"HangsUpAfterThePing", kPong, ""}, Manners{"AnswersNoJson", kPong, kNotJson},
        Manners{"StopsInTheBody", kPong, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"Id\":"},
        Manners{"StopsInAChunk", kPong,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"Id\""},
        Manners{"HasAnEndlessHead", "HTTP/1.1 200 OK\r\nX: ", "", true, 4 << 20},
        Manners{"KnowsNoCommonVersion",
                "HTTP/1.1 200 OK\r\nApi-Version: 1.12\r\nContent-Length: 2\r\n\r\nOK", kFailure}),
    [](const auto& given) { return given.param.name; });

// They are waited for so long that others go on beside them, and leave things of their own.
class SilentEngine : public testing::TestWithParam<Manners> {};

TEST_P(SilentEngine, IsAClearErrorInTime) { expect_clear_error(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    That, SilentEngine,
    testing::Values(Manners{"SaysNothingAfterThePing", kPong, "", false},
                    Manners{"PromisesAHugeBody", kPong,
                            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{", false}),
    [](const auto& given) { return given.param.name; });

// P-29
TEST(BadEngineSocket, ThatWeMayNotOpenIsCalledByItsName) {
  if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "somebody else must own the socket");
  const Folder folder;
  const std::string path = folder.path() + "/engine.sock";
  const FakeEngine engine(path, {"Unused", kPong, kFailure});
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const auto text = in_child(Caller::user, [&path] {
    SandboxOptions options;
    options.type = "docker";
    options.host = "unix://" + path;
    options.fallback = false;
    const auto sandbox = SandboxFactory::with(options);
    return sandbox.ok() ? to_json(sandbox->execute(python("1"))) : sandbox.error().message();
  });
  ASSERT_TRUE(text);
  Json result = Json::parse(*text, nullptr, false);
  ASSERT_TRUE(result.is_object()) << *text;
  EXPECT_EQ(result["meta"]["cause"], "backend_unavailable");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("this user may not use it"));
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("group"));
}

}  // namespace
}  // namespace lazaret::test
