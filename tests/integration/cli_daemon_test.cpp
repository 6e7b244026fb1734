#include <csignal>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/daemon.hpp"
#include "integration/docker_bed.hpp"
#include "integration/loopback.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"
#include "places.hpp"

// `lazaret run` with a daemon at hand: nobody can tell the difference but by the clock.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

Invocation beside(const Daemon& daemon, std::string input = {}) {
  return {
      .argv = {}, .input = std::move(input), .environment = {{"LAZARET_SOCKET", daemon.socket()}}};
}

// The daemon's ids are longer than those of a process that runs for itself.
bool was_the_daemons(const Ended& ended) {
  const Json json = Json::parse(ended.out, nullptr, false);
  return json.is_object() && json["meta"]["run_id"].get<std::string>().size() == 32;
}

struct Row {
  const char* name;
  std::vector<std::string> arguments;
  int orders = 1;  ///< that reach the daemon
};

class CliDaemonSame : public testing::TestWithParam<std::tuple<const char*, Row>> {
 protected:
  void SetUp() override {
    const std::string backend = std::get<0>(GetParam());
    const auto variables = variables_for(backend);
    if (!variables) LAZARET_SKIP_OR_FAIL(backend, "no endpoint is given");
    variables_ = *variables;
    if (const auto host = variables_.find("LAZARET_HOST"); host != variables_.end())
      host_ = host->second;
  }
  [[nodiscard]] const Row& row() const { return std::get<1>(GetParam()); }
  [[nodiscard]] Ended run(const std::string& socket) const {
    Invocation invocation{.argv = {}, .input = "typed\n", .environment = variables_};
    if (!socket.empty()) invocation.environment["LAZARET_SOCKET"] = socket;
    return lazaret(row().arguments, invocation);
  }
  // In order: one that is killed leaves what it has made ahead.
  void end(Daemon& daemon) const {
    const std::string label = "dev.lazaret.pid=" + std::to_string(daemon.pid());
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait(), 0);
    if (!host_) return;
    EXPECT_THAT(left_behind(*host_, {label}), IsEmpty());
  }
  std::map<std::string, std::string> variables_;

 private:
  std::optional<std::string> host_;
};

// The command line gives its orders by streams.
int orders_taken(const Daemon& daemon) {
  const std::string name = "lazaret_requests_total{route=\"/v1/stream\",status=\"101\"} ";
  const std::string metrics = daemon.ask("GET", "/v1/metrics").body;
  const std::size_t at = metrics.find(name);
  return at == std::string::npos ? 0 : std::stoi(metrics.substr(at + name.size()));
}

TEST_P(CliDaemonSame, WithADaemonAsWithout) {
  Daemon daemon({}, variables_);
  const Ended there = run(daemon.socket());
  EXPECT_EQ(orders_taken(daemon), row().orders);
  end(daemon);
  const Ended here = run({});
  EXPECT_EQ(there.status, here.status);
  EXPECT_EQ(there.out, here.out);
  EXPECT_EQ(there.err, here.err);
}

INSTANTIATE_TEST_SUITE_P(
    Of, CliDaemonSame,
    testing::Combine(
        testing::ValuesIn(kBackends),
        testing::Values(
            Row{"ASuccess", {"run", "-c", "print('out')\n[1, {'z': 1, 'a': 'é'}]"}},
            Row{"Input", {"run", "-l", "bash", "-c", "cat; echo aside >&2; exit 42"}},
            Row{"AnException", {"run", "-c", "raise ValueError(1)"}},
            Row{"ATimeout",
                {"run", "--timeout", "300ms", "--grace", "100ms", "-l", "bash", "-c", "sleep 60"}},
            Row{"ASignal", {"run", "-l", "bash", "-c", "kill -USR1 $$"}},
            Row{"NoSuchCommand", {"exec", "--", "no-such-program"}},
            Row{"ABadRequest", {"run", "-l", "cobol", "-c", "1"}, 0},
            Row{"OutputBeyondItsCap", {"run", "--max-output", "1000", "-c", "print('é' * 5000)"}},
            Row{"BytesThatAreNoText", {"exec", "--", "printf", "\\xff\\x00\\xc3"}},
            Row{"ShortFiles",
                {"run", "--file", in_checkout("README.md") + ":data/in.md", "--file",
                 in_checkout("quickstart"), "--file", "/bin/true:bytes", "-l", "bash", "-c",
                 "sha256sum data/in.md quickstart bytes; stat -c '%A %u %n' data data/* [qb]*"}},
            Row{"AFileThatIsNone",
                {"run", "--file", "/proc/version:none", "-l", "bash", "-c", "cat none"},
                0})),
    [](const auto& given) {
      return std::get<1>(given.param).name + std::string("On_") + std::get<0>(given.param);
    });

TEST(CliDaemon, RunsThereUnlessToldNotTo) {
  const Daemon daemon;
  EXPECT_TRUE(was_the_daemons(lazaret({"run", "--json", "-c", "1"}, beside(daemon))));
  EXPECT_FALSE(
      was_the_daemons(lazaret({"run", "--json", "--no-daemon", "-c", "1"}, beside(daemon))));
}

// Twelve million bytes that JSON writes with six letters each.
TEST(CliDaemon, TakesAResultOfMoreThan64Mebibytes) {
  const Daemon daemon;
  Invocation patient = beside(daemon);
  patient.bound = std::chrono::minutes(4);
  const Ended ended = lazaret({"exec", "--max-output", "12000000", "--", "bash", "-c",
                               "head -c 12000000 /dev/zero | tr '\\0' '\\1'"},
                              patient);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out.size(), 12'000'000U);
}

// Whoever writes to descriptor 3 shows something, and the daemon's answer has room for it.
TEST(CliDaemon, TakesAllThatAProgramMayShow) {
  const Daemon daemon;
  const Ended ended =
      lazaret({"run", "--json", "-l", "bash", "--max-output", "4KiB", "-c",
               "for n in 1 2; do printf '{\"rich\":{\"data\":{\"text/html\":\"'; "
               "head -c 4190000 /dev/zero | tr '\\0' x; printf '\"}}}\\n'; done >&3"},
              beside(daemon));
  EXPECT_TRUE(was_the_daemons(ended)) << ended.err;
  const Json rich = Json::parse(ended.out)["rich"];
  ASSERT_EQ(rich.size(), 2U) << ended.out.substr(0, 1000);
  EXPECT_EQ(rich[1]["data"]["text/html"].get<std::string>().size(), 4'190'000U);
}

TEST(CliDaemon, RunsHereWhenTheDaemonIsConfiguredOtherwise) {
  const Daemon daemon;
  Invocation other = beside(daemon);
  other.environment["SANDBOX_TIMEOUT_SEC"] = "7";
  const Ended ended = lazaret({"run", "--json", "-c", "1"}, other);
  EXPECT_FALSE(was_the_daemons(ended));
  EXPECT_EQ(Json::parse(ended.out)["meta"]["limits"]["timeout_ms"], 7000);
}

TEST(CliDaemon, RunsHereWhenTheDaemonIsDeadOrHasNoRoom) {
  Daemon daemon({"--runs", "1", "--queue", "0"});
  EXPECT_EQ(daemon.ask("POST", "/v1/runs", bash_body("sleep 60", {{"detach", true}})).status, 202);
  const Ended full = lazaret({"run", "--json", "-c", "1"}, beside(daemon));
  EXPECT_EQ(full.status, 0);
  EXPECT_FALSE(was_the_daemons(full));
  daemon.signal(SIGKILL);
  (void)daemon.wait();
  EXPECT_EQ(lazaret({"run", "-c", "print(1)"}, beside(daemon)).out, "1\n");
}

TEST(CliDaemon, CancelsOnAnInterrupt) {
  const Daemon daemon;
  const std::string marker = unique_marker();
  Invocation invocation = beside(daemon);
  invocation.once_started = [&marker](pid_t client) {
    // The client's own command line has the marker as well.
    (void)becomes_true(10s, [&] { return processes_marked(marker).size() > 1; });
    ::kill(client, SIGINT);
  };
  const Ended ended =
      lazaret({"exec", "--json", "--", "bash", "-c", "sleep 60; :", marker}, invocation);
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_TRUE(was_the_daemons(ended));
  EXPECT_EQ(Json::parse(ended.out)["meta"]["cause"], "cancelled");
  EXPECT_THAT(processes_marked(marker), IsEmpty());
}

TEST(CliDaemon, SaysSoWhenTheDaemonGoesAwayInTheMiddle) {
  Daemon daemon;
  const std::string marker = unique_marker();
  Invocation invocation = beside(daemon);
  invocation.once_started = [&](pid_t) {
    (void)becomes_true(10s, [&] { return processes_marked(marker).size() > 1; });
    daemon.signal(SIGKILL);
  };
  const Ended ended =
      lazaret({"exec", "--json", "--", "bash", "-c", "sleep 60; :", marker}, invocation);
  EXPECT_EQ(ended.status, 125);
  EXPECT_EQ(Json::parse(ended.out)["meta"]["cause"], "infrastructure_lost");
  EXPECT_TRUE(becomes_true(20s, [&] { return processes_marked(marker).empty(); }));
}

// A daemon that shakes hands, takes an order, and is gone.
void take_order_and_leave(os::RawHandle listener) {
  std::unique_ptr<Wire> wire;
  EXPECT_TRUE(becomes_true(10s, [&] {
    auto taken = os::accept_now(listener);
    if (taken.ok() && *taken) wire = os::wire_over(std::move(**taken));
    return wire != nullptr;
  }));
  if (!wire) return;
  (void)text_until(*wire, "\r\n\r\n");
  const std::string accepted =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  EXPECT_TRUE(wire->write(bytes_of(accepted), Call{}.within(5s)).ok());
  (void)text_until(*wire, "\x81");  // text, in one frame (RFC 6455, 5.2)
}

TEST(CliDaemon, RunsNothingTwiceWhenNobodyKnowsWhatBecameOfTheOrder) {
  const Folder folder;
  const std::string path = folder.path() + "/lazaret.sock";
  const auto listener = os::UnixListener::open(path);
  ASSERT_TRUE(listener.ok());
  std::jthread daemon([&] { take_order_and_leave(listener->handle()); });
  const Ended ended = lazaret({"run", "--json", "-c", "print('ran')"},
                              {.argv = {}, .environment = {{"LAZARET_SOCKET", path}}});
  EXPECT_EQ(ended.status, 125);
  EXPECT_EQ(Json::parse(ended.out)["meta"]["cause"], "infrastructure_lost");
  EXPECT_EQ(Json::parse(ended.out)["stdout"], "");
}

// What it does not share with strangers makes it no other one to its own user.
TEST(CliDaemon, IsUsedThoughItHasATokenForOthers) {
  const Daemon daemon({"--listen", "127.0.0.1:" + free_port()}, {{"LAZARET_TOKEN", kToken}});
  const Ended ended = lazaret({"run", "--json", "-c", "print(1)"}, beside(daemon));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(was_the_daemons(ended)) << ended.out;
  // This one it refuses, and the command line does it itself.
  const Folder shared;
  const Ended shown = lazaret(
      {"exec", "--json", "--mount", shared.path() + ":/mnt/it", "--", "ls", "/mnt/it"},
      beside(daemon));
  EXPECT_EQ(shown.status, 0) << shown.err << shown.out;
  EXPECT_FALSE(was_the_daemons(shown)) << shown.out;
}

}  // namespace
}  // namespace lazaret::test
