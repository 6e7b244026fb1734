#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "http/request_head.hpp"
#include "integration/made_ahead.hpp"
#include "integration/support.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"
#include "soon.hpp"

// The way out of native boxes that have hosts which they may reach (L-15, A-01, A-06).
namespace lazaret::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A host that tells what it was asked for: this machine, by an address that no program takes for
// its own. A process of its own: who asks for boxes is forked, and starts threads.
class Host {
 public:
  Host() : listener_(os::listen_tcp(kAddress, 0).value()), process_(::fork()) {
    if (process_ == 0) serve();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    ::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] std::string place() const {
    return std::string(kAddress) + ":" + std::to_string(os::port_of(listener_.get()));
  }
  [[nodiscard]] std::vector<std::string> asked() const {
    std::vector<std::string> lines;
    std::ifstream file(asked_);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

 private:
  static constexpr const char* kAddress = "127.0.0.2";

  [[noreturn]] void serve() const {
    for (;;) {
      if (!os::wait_for_connection(listener_.get(), Call{}).ok()) ::_exit(1);
      auto socket = os::accept_now(listener_.get());
      if (!socket.ok() || !*socket) continue;
      const auto wire = os::wire_over(std::move(**socket));
      const auto head = http::read_request_head(*wire, soon());
      std::ofstream(asked_, std::ios::app)
          << (head.ok() ? head->method + " " + head->target : head.error().message()) << std::endl;
      (void)wire->write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer"), soon())
          .ok();
    }
  }

  const Folder folder_;
  const std::string asked_ = folder_.path() + "/asked";
  os::Handle listener_;
  pid_t process_;
};

class NativeHosts : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
  // A run by him of what may reach `hosts`, where the configuration lets these be reached.
  [[nodiscard]] static Json run(ExecutionRequest request, const std::vector<std::string>& hosts,
                                const std::string& configured) {
    request.hosts = hosts;
    const auto text = in_child(GetParam(), [&] {
      ::setenv("LAZARET_EGRESS_HOSTS", configured.c_str(), 1);
      return to_json(sandbox_on("native").execute(request));
    });
    return text ? Json::parse(*text) : Json::object();
  }
  // What he hears of a session that may reach the host.
  template <typename Body>
  [[nodiscard]] std::optional<std::string> in_session(const Body& body) const {
    return in_child(GetParam(), [&]() -> std::string {
      ::setenv("LAZARET_EGRESS_HOSTS", host_.place().c_str(), 1);
      SessionRequest wanted;
      wanted.hosts = {host_.place()};
      const CodeSandbox sandbox = sandbox_on("native");
      const auto session = sandbox.open_session(wanted);
      return session.ok() ? body(*session) : session.error().message();
    });
  }
  [[nodiscard]] ExecutionRequest fetch(const std::string& place) const {
    ExecutionRequest request = python(kFetch);
    request.arguments = {"http://" + place + "/path"};
    return request;
  }

  static constexpr const char* kFetch = R"py(
import sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1], timeout=20)
except urllib.error.HTTPError as refused:
    answer = refused
print(answer.status, answer.headers.get("X-Proxy-Error"), answer.read().decode().strip())
)py";

  const Host host_;
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeHosts, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

TEST_P(NativeHosts, AreReachedByTheProxy) {
  const Json result = run(fetch(host_.place()), {host_.place()}, host_.place());
  EXPECT_EQ(result.value("stdout", ""), "200 None answer\n") << result.dump();
  EXPECT_THAT(host_.asked(), ElementsAre("GET /path"));
  const Json evidence = evidence_of(result, "network");
  EXPECT_EQ(evidence["status"], "enforced") << evidence.dump();
  EXPECT_EQ(evidence["requested"], "loopback, by proxy to " + host_.place());
  const Json connections = result["meta"]["connections"];
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0]["host"], "127.0.0.2");
  EXPECT_EQ(connections[0]["outcome"], "made");
  EXPECT_GT(connections[0]["sent_bytes"], 20);
  EXPECT_GT(connections[0]["received_bytes"], 20);
  EXPECT_TRUE(result["meta"]["warnings"].empty()) << result["meta"]["warnings"].dump();
}

TEST_P(NativeHosts, AreReachedFromABoxThatWasMadeAheadAndFromNoOthers) {
  const auto text = in_child(GetParam(), [&] {
    ::setenv("LAZARET_EGRESS_HOSTS", (host_.place() + ",a.example").c_str(), 1);
    const CodeSandbox sandbox = sandbox_on("native");
    ExecutionRequest request = fetch(host_.place());
    request.hosts = {host_.place()};
    const ExecutionResult reaches = run_ahead(sandbox, request);
    request.hosts = {"a.example"};
    return "[" + to_json(reaches) + "," + to_json(run_ahead(sandbox, request)) + "]";
  });
  ASSERT_TRUE(text);
  const Json results = Json::parse(*text);
  EXPECT_EQ(results[0]["stdout"], "200 None answer\n") << results.dump();
  EXPECT_EQ(evidence_of(results[0], "network")["requested"],
            "loopback, by proxy to " + host_.place());
  EXPECT_THAT(results[1]["stdout"].dump(), HasSubstr("403 blocked-by-allowlist"));
  EXPECT_EQ(results[1]["meta"]["connections"][0]["outcome"], "denied");
}

TEST_P(NativeHosts, AreNoOthers) {
  const Json result = run(fetch(host_.place()), {"a.example"}, host_.place() + ",a.example");
  const std::string denied = host_.place() + " is none of the hosts that this program may reach";
  EXPECT_EQ(result.value("stdout", ""), "403 blocked-by-allowlist lazaret: " + denied + "\n");
  EXPECT_EQ(result["meta"]["warnings"],
            Json({"a connection to " + host_.place() + " was denied: " + denied}));
  EXPECT_EQ(result["meta"]["connections"][0]["outcome"], "denied");
  EXPECT_TRUE(host_.asked().empty());
}

// Who is named by a request alone has to be somebody out there.
TEST_P(NativeHosts, ArePublicWhereTheConfigurationDoesNotNameThem) {
  const Json result = run(fetch(host_.place()), {host_.place()}, "public");
  EXPECT_EQ(result.value("stdout", ""),
            "403 blocked-by-allowlist lazaret: 127.0.0.2 has no public address\n");
  EXPECT_TRUE(host_.asked().empty());
}

TEST_P(NativeHosts, AreTheConfigurationsToLet) {
  const Json result = run(fetch(host_.place()), {host_.place()}, "a.example");
  EXPECT_EQ(result["meta"]["cause"], "policy_denied") << result.dump();
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("none of the hosts"));
  EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("egress.hosts"));
}

// The same addresses as the proxy's and the host's, and one for each kind of way.
TEST_P(NativeHosts, AreReachedByNothingElse) {
  constexpr const char* kTry = R"py(
import json, socket, sys
port = int(sys.argv[1])
def answer(family, kind, address):
    try:
        with socket.socket(family, kind) as way:
            way.settimeout(5)
            way.connect(address)
            if kind == socket.SOCK_DGRAM:
                way.send(b"?")
            return 0
    except OSError as error:
        return error.errno
with open("/proc/net/dev") as lines:
    interfaces = [line.split(":")[0].strip() for line in lines if ":" in line]
print(json.dumps({
    "host": answer(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.2", port)),
    "away": answer(socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    "datagram": answer(socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
    "six": answer(socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80)),
    "proxy": answer(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 3128)),
    "beside": answer(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.2", 3128)),
    "interfaces": interfaces,
}))
)py";
  ExecutionRequest request = python(kTry);
  const std::string place = host_.place();
  request.arguments = {place.substr(place.find(':') + 1)};
  const Json result = run(request, {place}, place);
  const Json seen = Json::parse(result.value("stdout", ""), nullptr, false);
  ASSERT_TRUE(seen.is_object()) << result.dump();
  EXPECT_EQ(seen["host"], ECONNREFUSED);
  for (const char* const way : {"away", "datagram", "six"})
    EXPECT_EQ(seen[way], ENETUNREACH) << way;
  EXPECT_EQ(seen["proxy"], 0);
  EXPECT_EQ(seen["beside"], ECONNREFUSED);  // it listens at one address
  EXPECT_EQ(seen["interfaces"], Json({"lo"}));
  EXPECT_TRUE(host_.asked().empty());
}

// TLS asks for one host inside of what was opened for another; what it says is a real one's.
TEST_P(NativeHosts, AreThoseThatTlsAsksFor) {
  constexpr const char* kTry = R"py(
import socket, ssl, sys
host, port, name = sys.argv[1:]
way = socket.create_connection(("127.0.0.1", 3128), 20)
way.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode())
print(way.recv(1000).split()[1].decode())
context = ssl.create_default_context()
try:
    context.wrap_socket(way, server_hostname=name)
except (ssl.SSLError, OSError) as ended:
    print(type(ended).__name__)
)py";
  const std::string place = host_.place(), port = place.substr(place.find(':') + 1);
  const std::string allowed = "allowed.example:" + port;
  for (const std::string name : {"allowed.example", "other.example"}) {
    ExecutionRequest request = python(kTry);
    request.arguments = {"127.0.0.2", port, name};
    const Json result = run(request, {place, allowed}, place + "," + allowed);
    EXPECT_THAT(result.value("stdout", ""), HasSubstr("200\n")) << result.dump();
    const bool is_allowed = name == "allowed.example";
    EXPECT_EQ(result["meta"]["connections"][0]["outcome"], is_allowed ? "made" : "denied");
    EXPECT_EQ(host_.asked().back().find("no HTTP") != std::string::npos, is_allowed);
  }
}

TEST_P(NativeHosts, AreToldOfToOrdinaryPrograms) {
  const std::string place = host_.place();
  const Json result = run(bash("env | grep -i _proxy= | sort; ls /etc/ssl/certs | head -1 | wc -l"),
                          {place}, place);
  const std::string proxy = "=http://127.0.0.1:3128\n", none = "=localhost,127.0.0.1,::1\n";
  for (const char* const name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    EXPECT_THAT(result.value("stdout", ""), HasSubstr(name + proxy));
  for (const char* const name : {"NO_PROXY", "no_proxy"})
    EXPECT_THAT(result.value("stdout", ""), HasSubstr(name + none));
  EXPECT_EQ(run(bash("env | grep -ci proxy"), {}, place)["stdout"], "0\n");
}

TEST_P(NativeHosts, AreASessionsForAllOfItsRuns) {
  const std::string place = host_.place();
  const auto body = [&](const Session& session) {
    std::string seen;
    for (int run = 0; run < 2; ++run) {
      const ExecutionResult result = session.execute(fetch(place));
      seen += result.stdout_text + std::to_string(result.meta.connections.size());
    }
    ExecutionRequest other = bash("true");
    other.hosts = {place};
    return seen + session.execute(other).error.value().message;
  };
  EXPECT_EQ(in_session(body),
            "200 None answer\n1200 None answer\n1hosts is the session's, and cannot be another for "
            "one of its runs");
  EXPECT_EQ(host_.asked().size(), 2U);
}

// A program that does not wait for an answer, or for anything.
TEST_P(NativeHosts, GetAllThatWasSentBeforeTheEnd) {
  constexpr const char* kLeave = R"py(
import os, socket, sys
way = socket.create_connection(("127.0.0.1", 3128))
way.sendall(f"POST http://{sys.argv[1]}/left HTTP/1.1\r\nX: {'x' * 9000}\r\n\r\n".encode())
os._exit(0)
)py";
  ExecutionRequest request = python(kLeave);
  request.arguments = {host_.place()};
  const Json result = run(request, {host_.place()}, host_.place());
  const Json connections = result["meta"]["connections"];
  ASSERT_EQ(connections.size(), 1U) << result.dump();
  EXPECT_EQ(connections[0]["outcome"], "made");
  EXPECT_GT(connections[0]["sent_bytes"], 9000);
  EXPECT_TRUE(becomes_true(std::chrono::seconds(10), [this] { return !host_.asked().empty(); }));
  EXPECT_THAT(host_.asked(), ElementsAre("POST /left"));
}

TEST_P(NativeHosts, AreToldOfInTheRunInWhichTheyAreUsed) {
  const std::string place = host_.place();
  const auto body = [&](const Session& session) {
    const auto sent_by = [&session](const std::string& code) {
      ExecutionRequest cell = python(code);
      cell.context = "main";
      const ExecutionResult result = session.execute(cell);
      std::string sent = result.success() ? "" : result.error.value().message;
      for (const Connection& each : result.meta.connections)
        sent += std::string(name_of(each.outcome)) + " " + std::to_string(each.sent_bytes) + ", ";
      return sent + "; ";
    };
    const std::string connect = "CONNECT " + place + " HTTP/1.1\\r\\n\\r\\n";
    std::string told = sent_by(
        "import socket\nway = socket.create_connection(('127.0.0.1', 3128))\n"
        "way.sendall(b'" +
        connect + "')\nlen(way.recv(99))");
    told += sent_by("1");
    return told + sent_by("way.sendall(b'GET /x HTTP/1.1\\r\\n\\r\\n')\nlen(way.recv(99))");
  };
  EXPECT_EQ(in_session(body), "made 0, ; ; made 19, ; ");
  EXPECT_THAT(host_.asked(), ElementsAre("GET /x"));
}

// Whatever node's own fetch knows of proxies; the box's own loopback is itself.
TEST_P(NativeHosts, AreReachedFromJavascript) {
  const std::string place = host_.place();
  const std::string near =
      "const near = require('http').createServer((q, a) => a.end('near'));\n"
      "await new Promise((r) => near.listen(4000, '127.0.0.1', r));\n"
      "const told = [await (await fetch('http://127.0.0.1:4000/')).text()];\nnear.close();\n";
  const std::string ask = near +
                          "for (const where of ['/a', '/b'])\n"
                          "  told.push(await (await fetch('http://" +
                          place +
                          "' + where)).text());\n"
                          "const refused = (error) => String(error.cause.message);\n"
                          "told.push(await fetch('http://other.example/').catch(refused));\n"
                          "return told;";
  const Json result = run(code_request("javascript", ask), {place}, place);
  if (result["meta"]["cause"] == "start_failed")
    LAZARET_SKIP_OR_FAIL("javascript", "boxes have no node");
  const std::string refusal = result["value"].is_array() ? result["value"].back() : "";
  EXPECT_EQ(result["value"], Json({"near", "answer", "answer", refusal})) << result.dump();
  EXPECT_THAT(refusal, HasSubstr("403"));
  EXPECT_THAT(host_.asked(), ElementsAre("GET /a", "GET /b"));
}

// Java asks nobody else for 127.*, whatever it is told: that it was denied shows the way that it
// took.
TEST_P(NativeHosts, AreLookedForByJavaOnTheWayOut) {
  constexpr const char* kAsk = R"java(
import java.net.URL;
public class Main {
  public static void main(String[] given) throws Exception {
    new URL("http://other.example/").openStream();
  }
}
)java";
  ExecutionRequest request = code_request("java", kAsk);
  request.limits.memory_bytes = 1ULL << 30;
  const Json result = run(request, {"a.example"}, "a.example");
  if (result["meta"]["cause"] == "start_failed") LAZARET_SKIP_OR_FAIL("java", "boxes have no java");
  EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("403"));
  EXPECT_EQ(result["meta"]["connections"][0]["host"], "other.example") << result.dump();
}

TEST_P(NativeHosts, AreReachedFromTypescript) {
  const std::string place = host_.place();
  const std::string ask = "return await (await fetch('http://" + place + "/path')).text();";
  const Json result = run(code_request("typescript", ask), {place}, place);
  if (result["meta"]["cause"] == "start_failed") LAZARET_SKIP_OR_FAIL("deno", "boxes have no Deno");
  EXPECT_EQ(result["value"], "answer") << result.dump();
  EXPECT_THAT(host_.asked(), ElementsAre("GET /path"));
  const Json denied = run(code_request("typescript", ask), {"a.example"}, place + ",a.example");
  EXPECT_THAT(denied["error"]["message"].get<std::string>(), HasSubstr("net access"));
}

TEST(HostsOnEngines, AreRefused) {
  for (const char* const engine : {"docker", "podman"}) {
    if (!options_for(engine)) LAZARET_SKIP_OR_FAIL(engine, "no endpoint is given");
    ExecutionRequest request = bash("true");
    request.hosts = {"a.example"};
    const Json result = run_on(engine, request);
    EXPECT_NE(result["meta"]["cause"], "exited");
    EXPECT_THAT(result["error"]["message"].get<std::string>(), HasSubstr("no way out to hosts"));
  }
}

}  // namespace
}  // namespace lazaret::test
