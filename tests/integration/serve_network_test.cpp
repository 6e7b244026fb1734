#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/loopback.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"
#include "places.hpp"
#include "soon.hpp"

// The daemon on TCP: a bearer token, and TLS. The client is Python's own.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kTls = in_checkout("tests/integration/tls/");

// What Python's client is answered: status and body, or the exception's name.
std::string fetch(const std::string& url, const std::string& token = {},
                  const std::string& body = {}) {
  const std::string script =
      "import ssl, sys, urllib.error, urllib.request as u\n"
      "url, token, body, ca = sys.argv[1:]\n"
      "r = u.Request(url, data=body.encode() or None)\n"
      "if token: r.add_header('Authorization', token)\n"
      "c = ssl.create_default_context(cafile=ca) if url.startswith('https') else None\n"
      "try:\n"
      "  a = u.urlopen(r, timeout=20, context=c); print(a.status, a.read().decode())\n"
      "except urllib.error.HTTPError as e: print(e.code, e.headers.get('WWW-Authenticate'))\n"
      "except Exception as e: print(type(e).__name__)\n";
  return run_program(
             {.argv = {"python3", "-c", script, url, token, body, kTls + "certificate.pem"}})
      .out;
}

class ServeNetwork : public testing::Test {
 protected:
  std::vector<std::string> listening(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--listen", "127.0.0.1:" + port_});
    return more;
  }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& path, const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + port_ + path;
  }
  [[nodiscard]] std::unique_ptr<Wire> connect() const { return connected_to(port_); }
  const std::map<std::string, std::string> with_token_ = {{"LAZARET_TOKEN", kToken}};

 private:
  std::string port_ = free_port();
};

TEST_F(ServeNetwork, LetsInWhoHasTheToken) {
  const Daemon daemon(listening(), with_token_);
  EXPECT_THAT(fetch(url("/v1/ready"), "Bearer " + kToken), HasSubstr("200"));
  const std::string run = Json{{"code", "print(6*7)"}}.dump();
  EXPECT_THAT(fetch(url("/v1/runs"), "Bearer " + kToken, run), HasSubstr("42"));
}

TEST_F(ServeNetwork, NeedsNoUnixSocketBesideIt) {
  std::vector<std::string> words = listening({"--socket", ""});
  words.insert(words.begin(), "serve");
  std::string health;
  const Ended ended =
      lazaret(words, {.argv = {}, .environment = with_token_, .once_started = [&](pid_t pid) {
                        (void)becomes_true(20s, [&] {
                          health = fetch(url("/v1/health"), "Bearer " + kToken);
                          return health.starts_with("200");
                        });
                        ::kill(pid, SIGTERM);
                      }});
  EXPECT_THAT(health, StartsWith("200"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr(".sock")));
}

TEST_F(ServeNetwork, LetsInNobodyElse) {
  const Daemon daemon(listening(), with_token_);
  for (const std::string& token : {std::string(), std::string("Bearer "), "Bearer " + kToken + "0",
                                   "Bearer " + kToken.substr(1), "Basic " + kToken, kToken})
    EXPECT_EQ(fetch(url("/v1/ready"), token), "401 Bearer\n") << token;
  EXPECT_THAT(fetch(url("/v1/nothing")), HasSubstr("401"));
  EXPECT_THAT(fetch(url("/v1/health")), HasSubstr("200"));
}

// All of them together announce as much as the daemon takes of all requests.
TEST_F(ServeNetwork, KeepsNoRoomForTheBodiesOfThoseItLetsNotIn) {
  const Daemon daemon(listening({"--request-timeout", "2"}), with_token_);
  std::vector<std::unique_ptr<Wire>> strangers;
  for (const char* const line : {"POST /v1/runs", "POST /v1/nothing", "GET /v1/health"}) {
    const std::string head = line + std::string(" HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n");
    for (int index = 0; index < 3; ++index) {
      strangers.push_back(connect());
      ASSERT_TRUE(strangers.back()->write(bytes_of(head), Call{}.within(5s)).ok());
      EXPECT_THAT(text_until(*strangers.back(), "\r\n\r\n"), StartsWith("HTTP/1.1 401")) << line;
    }
  }
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", " ").status, 400);
}

TEST_F(ServeNetwork, HasRoomForHalfAsManyAndTakesNoneFromTheUnixSocket) {
  const Daemon daemon(listening({"--connections", "2"}), with_token_);
  const std::string request = "GET /v1/health HTTP/1.1\r\n\r\n";
  const auto greeted = [&](Wire& wire) {
    EXPECT_TRUE(wire.write(bytes_of(request), Call{}.within(5s)).ok());
    return text_until(wire, "\r\n");
  };
  const auto first = connect();
  EXPECT_THAT(greeted(*first), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(text_until(*connect(), "\r\n"), StartsWith("HTTP/1.1 503"));
  const auto second = daemon.connect();
  EXPECT_THAT(greeted(*second), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);
}

// What is asked for decides nothing for them: neither what there is nor what would be too much.
TEST_F(ServeNetwork, TellsOfNoBoundToThoseItLetsNotIn) {
  const Daemon daemon(listening(), with_token_);
  const auto answer = [&](const std::string& head, const std::string& token) {
    const auto wire = connect();
    EXPECT_TRUE(wire->write(bytes_of(head + " HTTP/1.1\r\nHost: x\r\n" + token), soon()).ok());
    return text_until(*wire, "\r\n");
  };
  const std::string token = "Authorization: Bearer " + kToken + "\r\n";
  const std::string length = "Content-Length: 99999999\r\n\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  const std::string expects = "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  for (const auto& [head, rest, status] :
       {std::tuple("POST /v1/runs", length, "413"), {"POST /v1/runs", chunked, "411"},
        {"POST /v1/none", "\r\n", "404"}, {"POST /v1/runs", expects, "100"}}) {
    EXPECT_THAT(answer(head, rest), StartsWith("HTTP/1.1 401")) << head << status;
    EXPECT_THAT(answer(head, token + rest), StartsWith("HTTP/1.1 " + std::string(status)));
  }
}

int option_of(os::RawHandle stream, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(stream, level, name, &value, &size), 0);
  return value;
}

TEST_F(ServeNetwork, LooksAfterPeersThatMayHaveVanished) {
  const auto listener = os::listen_tcp("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port())));
  ASSERT_TRUE(listener.ok());
  const auto client = connect();
  const auto taken = os::accept_now(listener->get());
  ASSERT_TRUE(taken.ok() && taken->has_value());
  const os::RawHandle stream = (*taken)->get();
  EXPECT_EQ(option_of(stream, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option_of(stream, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(option_of(stream, IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(option_of(stream, IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(option_of(stream, IPPROTO_TCP, TCP_NOTSENT_LOWAT), 128 * 1024);
}

// Of the daemon's ends of its connections, those for which the kernel's keepalive timer runs
// (proc(5), /proc/net/tcp: state 01 is established, timer 02 is that one).
int looked_after(const std::string& port) {
  std::ostringstream hexadecimal;
  hexadecimal << std::uppercase << std::hex << std::stoi(port);
  std::istringstream rows(file_text("/proc/net/tcp"));
  int count = 0;
  for (std::string row; std::getline(rows, row);) {
    std::istringstream words(row);
    std::string slot, local, remote, state, queues, timer;
    words >> slot >> local >> remote >> state >> queues >> timer;
    count += local.ends_with(":" + hexadecimal.str()) && state == "01" && timer.starts_with("02:");
  }
  return count;
}

TEST_F(ServeNetwork, LooksAfterClientsThatAreSilent) {
  for (const bool by_tls : {false, true}) {
    std::vector<std::string> flags;
    if (by_tls) flags = {"--certificate", kTls + "certificate.pem", "--key", kTls + "key.pem"};
    const Daemon daemon(listening(flags), with_token_);
    const auto first = connect(), second = connect();
    EXPECT_TRUE(becomes_true(10s, [&] { return looked_after(port()) == 2; })) << by_tls;
  }
}

// Of two connections over TCP there is one: the next is told in words, but not during a handshake.
TEST_F(ServeNetwork, SaysNothingToWhomItTurnsAwayFromTls) {
  for (const bool by_tls : {false, true}) {
    std::vector<std::string> flags = {"--connections", "2"};
    if (by_tls)
      flags.insert(flags.end(),
                   {"--certificate", kTls + "certificate.pem", "--key", kTls + "key.pem"});
    const Daemon daemon(listening(flags), with_token_);
    const auto first = connect();
    std::string said;
    EXPECT_TRUE(becomes_true(10s, [&] {
      std::array<std::byte, 4096> bytes;
      const auto second = connect();
      const auto heard = second->read(bytes, soon());
      said = heard.ok() ? std::string(text_of(Bytes(bytes).first(*heard))) : "";
      return heard.ok();
    }));
    EXPECT_EQ(said.starts_with("HTTP/1.1 503"), !by_tls) << said;
    EXPECT_EQ(said.empty(), by_tls);
  }
}

TEST_F(ServeNetwork, SharesNoDirectoryThatIsNotConfigured) {
  const Folder folder;
  (void)folder.write("file", "shared");
  const Json run = {
      {"language", "bash"},
      {"code", "cat /mnt/it/file"},
      {"mounts", {{{"source", folder.path()}, {"target", "/mnt/it"}, {"access", "ro"}}}}};
  const auto answered = [&](std::map<std::string, std::string> environment) {
    environment.insert(with_token_.begin(), with_token_.end());
    const Daemon daemon(listening(), environment);
    return fetch(url("/v1/runs"), "Bearer " + kToken, run.dump());
  };
  EXPECT_THAT(answered({}), StartsWith("403"));
  EXPECT_THAT(answered({{"LAZARET_MOUNTS_ALLOW", folder.path()}}), HasSubstr("\"shared\""));
}

TEST_F(ServeNetwork, IsRefusedWithoutAToken) {
  for (const char* const place : {"127.0.0.1:0", "0.0.0.0:0", "[::]:0"}) {
    const Folder folder;
    const Ended ended = lazaret({"serve", "--socket", folder.path() + "/s", "--listen", place});
    EXPECT_EQ(ended.status, 125) << place;
    EXPECT_THAT(ended.err, HasSubstr("token"));
  }
}

TEST_F(ServeNetwork, TakesATokenOf16LettersFromAFileOfItsOwnersOnly) {
  const Folder folder;
  const auto tried = [&](const std::string& token, unsigned mode) {
    const std::string file = folder.write("token", token, mode);
    // A port that cannot be had comes after a token that can.
    return lazaret({"serve", "--socket", folder.path() + "/s", "--listen", "192.0.2.1:1",
                    "--token-file", file})
        .err;
  };
  EXPECT_THAT(tried(kToken + "\n", 0600), HasSubstr("192.0.2.1"));
  EXPECT_THAT(tried(kToken.substr(1) + "\n", 0600), HasSubstr("16 to 4096 letters"));
  EXPECT_THAT(tried(kToken, 0640), HasSubstr("chmod 600"));
}

TEST_F(ServeNetwork, SpeaksTlsWithACertificate) {
  const Daemon daemon(listening({"--certificate", kTls + "certificate.pem", "--key",
                                 kTls + "key.pem", "--request-timeout", "5"}),
                      with_token_);
  const std::string run = Json{{"code", "print('x' * 300000)"}}.dump();
  EXPECT_THAT(fetch(url("/v1/runs", "https"), "Bearer " + kToken, run), HasSubstr("xxx"));
  EXPECT_EQ(fetch(url("/v1/ready", "https")), "401 Bearer\n");
  EXPECT_THAT(fetch(url("/v1/health")), Not(HasSubstr("200")));
  EXPECT_EQ(daemon.ask("GET", "/v1/health").status, 200);  // the Unix socket stays as it is
}

// Python's client, which stops in the middle of something; "left" when the daemon hangs up on it.
std::string stalled(const std::string& port, const std::string& token, const std::string& what) {
  const std::string script =
      "import socket, ssl, sys, time\n"
      "port, token, what, ca = sys.argv[1:]\n"
      "s = socket.socket()\n"
      "s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)  # what is sent finds no room\n"
      "s.settimeout(60)\n"
      "s.connect(('127.0.0.1', int(port)))\n"
      "def gone():\n"
      "  try:\n"
      "    while s.recv(1 << 16): pass\n"
      "  except (ConnectionError, ssl.SSLError): pass\n"
      "  print('left')\n"
      "if what == 'greeting': s.sendall(b'\\x16\\x03\\x01\\x02\\x00\\x01'); gone(); sys.exit()\n"
      "s = ssl.create_default_context(cafile=ca).wrap_socket(s, server_hostname='127.0.0.1')\n"
      "head = 'POST /v1/runs HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer ' + token\n"
      "if what == 'head': s.sendall(head.encode()); gone(); sys.exit()\n"
      "body = b'{\"code\": \"print(chr(120) * 8000000)\", \"limits\": {\"stdout_bytes\": "
      "9000000}}'\n"
      "s.sendall((head + '\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(body)).encode() + body)\n"
      "total = len(s.recv(1))  # the answer has begun\n"
      "time.sleep(8)  # it reads nothing meanwhile\n"
      "try:\n"
      "  while d := s.recv(1 << 16): total += len(d)\n"
      "except (ConnectionError, ssl.SSLError): pass\n"
      "print('left' if total < 8000000 else 'served')\n";
  return run_program(
             {.argv = {"python3", "-c", script, port, token, what, kTls + "certificate.pem"},
              .bound = 120s})
      .out;
}

TEST_F(ServeNetwork, LeavesClientsThatStallBehindTls) {
  const Daemon daemon(
      listening({"--certificate", kTls + "certificate.pem", "--key", kTls + "key.pem",
                 "--request-timeout", "2", "--write-timeout", "2"}),
      with_token_);
  for (const char* const what : {"greeting", "head", "answer"})
    EXPECT_EQ(stalled(port(), kToken, what), "left\n") << what;
  const std::string run = Json{{"code", "print(6*7)"}}.dump();
  EXPECT_THAT(fetch(url("/v1/runs", "https"), "Bearer " + kToken, run), HasSubstr("42"));
}

TEST_F(ServeNetwork, IsRefusedWithHalfACertificate) {
  const Folder folder;
  const auto tried = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", "--socket", folder.path() + "/s"});
    return lazaret(more).err;
  };
  EXPECT_THAT(tried({"--certificate", kTls + "certificate.pem"}), HasSubstr("together"));
  EXPECT_THAT(tried({"--certificate", kTls + "key.pem", "--key", kTls + "key.pem"}),
              HasSubstr("cannot be used"));
}

}  // namespace
}  // namespace lazaret::test
