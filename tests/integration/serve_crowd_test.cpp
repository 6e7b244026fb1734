#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/loopback.hpp"
#include "integration/tls_wire.hpp"
#include "places.hpp"

// Good clients beside a crowd of bad ones, which the daemon gets rid of by itself.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::size_t kAnswerBytes = 300'000;  // more than a socket keeps for its reader
[[maybe_unused]] constexpr long kTlsKib = 96;  // of the buffers of one connection
constexpr int kGoodClients = 8;
constexpr int kRunsOfEach = 25;

std::string posting(const std::string& body, const std::string& fields = {}) {
  return "POST /v1/runs HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         fields + "\r\n" + body;
}

std::string writing_much(const std::string& then, const std::string& marker) {
  const std::string code = "head -c " + std::to_string(kAnswerBytes) + " /dev/zero | tr '\\0' x; ";
  return Json{{"command", {"bash", "-c", code + then, marker}}}.dump();
}

// RFC 6455: an opening handshake, and a client's frame, whose mask of zeros changes nothing.
constexpr const char* kHandshake =
    "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
constexpr const char* kStream = "HTTP/1.1 101";

constexpr unsigned char kText = 0x81, kReserved = 0x83, kMasked = 0x80;

std::string framed(unsigned char first, const std::string& payload) {
  const auto size = static_cast<unsigned>(payload.size());
  std::string frame = {static_cast<char>(first), static_cast<char>(kMasked | 126U),
                       static_cast<char>(size >> 8U), static_cast<char>(size & 0xffU)};
  return frame.append(4, '\0') + payload;
}

// Of an answer, and nothing of what comes behind it.
std::string head_of(Wire& wire) {
  std::string head;
  std::array<std::byte, 1> byte{};
  while (!head.ends_with("\r\n\r\n")) {
    const auto count = wire.read(byte, Call{}.within(10s));
    if (!count.ok() || *count == 0) break;
    head += text_of(byte);
  }
  return head;
}

/// What clients of one kind do.
struct Misdeed {
  const char* name;
  int count;
  std::string says;
  std::string is_told;  ///< how its answer begins
  bool hangs_up = false;
  std::string then = {};  ///< it says on the stream that it has opened
};

using Connect = std::function<std::unique_ptr<Wire>()>;

/// All of them, at the daemon at the same time.
struct Mob {
  Misdeed misdeed;
  std::vector<std::unique_ptr<Wire>> wires = {};
  std::string heard = {};  ///< by each of those whose stream was opened

  // What is refused before it is said need not arrive.
  void come(const Connect& connect) {
    for (int index = 0; index < misdeed.count; ++index) {
      wires.push_back(connect());
      ASSERT_NE(wires.back(), nullptr) << misdeed.name;
      (void)wires.back()->write(bytes_of(misdeed.says), Call{}.within(10s)).ok();
      if (misdeed.hangs_up) (void)wires.back()->close_write().ok();
      if (misdeed.is_told == kStream) open_stream(*wires.back());
    }
  }

 private:
  void open_stream(Wire& wire) {
    heard = head_of(wire);
    ASSERT_THAT(heard, StartsWith(kStream)) << misdeed.name;
    (void)wire.write(bytes_of(misdeed.then), Call{}.within(10s)).ok();
  }
};

std::vector<Misdeed> misdeeds(const std::string& marker) {
  const std::string sleeps = Json{{"command", {"bash", "-c", "sleep 600; :", marker}}}.dump();
  const std::string padding(1 << 20, 'x');
  const std::string events = "Accept: text/event-stream\r\n";
  return {
      {"half a head", 40, "GET /v1/health HTTP/1.1\r\nX-Half: ", "HTTP/1.1 408"},
      {"half a body", 20, posting(sleeps).substr(0, 60), "HTTP/1.1 408"},
      {"a byte now and then", 40, "GET /v1/health HTTP/1.1\r\nX-Slow: ", "HTTP/1.1 408"},
      {"nothing after the request", 20, posting(sleeps), "", true},
      {"no reader of its answer", 10, posting(writing_much(":", marker)), "HTTP/1.1 200"},
      {"no reader of events", 10, posting(writing_much("sleep 600", marker), events),
       "HTTP/1.1 200"},
      {"a head too long", 20, "GET /v1/health HTTP/1.1\r\nX: " + padding, "HTTP/1.1 431"},
      {"a body too long", 20,
       "POST /v1/runs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n" + padding, "HTTP/1.1 413"},
      {"no HTTP", 20, "BOGUS\r\n\r\n" + padding, "HTTP/1.1 400"},
      {"no order on a stream", 10, kHandshake, kStream},
      {"half an order", 10, kHandshake, kStream, false, framed(kText, sleeps).substr(0, 20)},
      {"no reader of a stream", 10, kHandshake, kStream, false,
       framed(kText, writing_much("sleep 600", marker))},
      {"an order without a mask", 10, kHandshake, kStream, false, "\x81\x02{}"},
      {"an unknown frame", 10, kHandshake, kStream, false, framed(kReserved, sleeps)},
      {"an order too long", 10, kHandshake, kStream, false, "\x81\xff" + std::string(12, '\x7f')},
  };
}

// Until nobody listens any more.
void drip(const std::stop_token& stop, const std::vector<Mob>& crowd) {
  const auto slow = std::ranges::find_if(
      crowd, [](const Mob& mob) { return mob.misdeed.name == std::string("a byte now and then"); });
  std::vector<Wire*> open;
  for (const auto& wire : slow->wires) open.push_back(wire.get());
  while (!stop.stop_requested() && !open.empty()) {
    std::erase_if(open,
                  [](Wire* wire) { return !wire->write(bytes_of("x"), Call{}.within(1s)).ok(); });
    std::this_thread::sleep_for(100ms);
  }
}

int descriptors_of(const Daemon& daemon) {
  const std::filesystem::directory_iterator open("/proc/" + std::to_string(daemon.pid()) + "/fd");
  return static_cast<int>(std::distance(begin(open), end(open)));
}

// Of proc(5)'s status.
long kib_of(const Daemon& daemon, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(daemon.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  }
  return -1;
}

// Each run says what no other says; those that were answered otherwise.
std::vector<std::string> answered_otherwise(const Daemon& daemon, int client) {
  std::vector<std::string> wrong;
  for (int run = 0; run < kRunsOfEach; ++run) {
    const std::string word = std::to_string(client) + "." + std::to_string(run);
    const Reply reply = daemon.ask("POST", "/v1/runs", bash_body("echo " + word));
    if (reply.status != 200 || reply.json()["stdout"] != word + "\n")
      wrong.push_back(word + ": " + std::to_string(reply.status) + " " + reply.body);
  }
  return wrong;
}

std::vector<std::string> served_beside(const Daemon& daemon) {
  std::vector<std::vector<std::string>> wrong(kGoodClients);
  {
    std::vector<std::jthread> clients;
    for (int client = 0; client < kGoodClients; ++client)
      clients.emplace_back([&, client] {
        wrong[static_cast<std::size_t>(client)] = answered_otherwise(daemon, client);
      });
  }
  std::vector<std::string> all;
  for (const auto& one : wrong) all.insert(all.end(), one.begin(), one.end());
  return all;
}

void expect_told(const Mob& mob) {
  for (const auto& wire : mob.wires) {
    const std::string answer = mob.heard + rest_of(*wire, 10s);
    ASSERT_THAT(answer, StartsWith(mob.misdeed.is_told)) << mob.misdeed.name;
    ASSERT_LT(answer.size(), kAnswerBytes) << mob.misdeed.name;
  }
}

/// By which door the bad ones come; the good ones take the socket.
class ServeCrowd : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] bool is_socket() const { return GetParam() == std::string_view("socket"); }
  [[nodiscard]] bool is_tls() const { return GetParam() == std::string_view("tls"); }
  [[nodiscard]] Mob mob_of(Misdeed misdeed) const {
    if (!is_socket()) misdeed.says = with_token(misdeed.says);
    return {std::move(misdeed)};
  }
  [[nodiscard]] Connect to(const Daemon& daemon) const {
    if (is_socket()) return [&daemon] { return daemon.connect(); };
    return [this] {
      auto wire = connected_to(port_, Width::narrow);
      return is_tls() ? tls_over(std::move(wire)) : std::move(wire);
    };
  }
  [[nodiscard]] std::vector<std::string> arguments() const {
    std::vector<std::string> words = {"--request-timeout", "5",   "--write-timeout", "5",
                                      "--runs",            "32",  "--queue",         "200",
                                      "--listen",          "127.0.0.1:" + port_};
    const std::string tls = in_checkout("tests/integration/tls/");
    if (is_tls())
      words.insert(words.end(),
                   {"--certificate", tls + "certificate.pem", "--key", tls + "key.pem"});
    return words;
  }
  const std::string port_ = free_port();
};
INSTANTIATE_TEST_SUITE_P(By, ServeCrowd, testing::Values("socket", "tcp", "tls"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(ServeCrowd, OfBadClientsHoldsUpNoGoodOneAndIsGotRidOf) {
  // Boxes made ahead would have descriptors of their own.
  const Daemon daemon(arguments(), {{"LAZARET_POOL_MOST", "0"}, {"LAZARET_TOKEN", kToken}});
  const std::string marker = unique_marker();
  ASSERT_THAT(served_beside(daemon), IsEmpty());
  ASSERT_EQ(daemon.ask("GET", "/v1/ready").status, 200);
  const int descriptors = descriptors_of(daemon);
  [[maybe_unused]] const long kib = kib_of(daemon, "VmRSS");
  std::vector<Mob> crowd;
  for (const Misdeed& misdeed : misdeeds(marker))
    crowd.emplace_back(mob_of(misdeed)).come(to(daemon));
  {
    const std::jthread slow(drip, std::cref(crowd));
    EXPECT_THAT(served_beside(daemon), IsEmpty());
    // Whoever is bad has not gone: it is the daemon that leaves.
    EXPECT_TRUE(becomes_true(60s, [&] { return descriptors_of(daemon) <= descriptors; }))
        << descriptors_of(daemon) << " instead of " << descriptors;
  }
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
#ifndef LAZARET_SANITIZED
  long bound = 32L * 1024;
  for (const Mob& mob : crowd) bound += is_tls() ? kTlsKib * mob.misdeed.count : 0;
  EXPECT_LE(kib_of(daemon, "VmHWM"), kib + bound);
#endif
  for (const Mob& mob : crowd) expect_told(mob);
  EXPECT_EQ(daemon.ask("GET", "/v1/ready").status, 200);
  EXPECT_THAT(served_beside(daemon), IsEmpty());
}

}  // namespace
}  // namespace lazaret::test
