#include "bench/daemon.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/measure.hpp"
#include "http/exchange.hpp"
#include "os/wire.hpp"
#include "places.hpp"

namespace lazaret::bench {
namespace {

constexpr std::size_t kMostBytes = 8UL << 20;

std::filesystem::path new_folder() {
  std::string name = "/tmp/lazaret-bench.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw Failure("mkdtemp " + name);
  return name;
}

Result<std::string> asked(const std::string& socket, const http::Request& request) {
  const Call call = Call{}.within(std::chrono::seconds(60));
  auto wire = os::connect_unix(socket, call);
  if (!wire.ok()) return wire.error();
  http::Exchange exchange(std::move(wire).value());
  if (const Status sent = exchange.send(request, call); !sent.ok()) return sent.error();
  const auto head = exchange.head(call);
  if (!head.ok()) return head.error();
  auto body = exchange.body(kMostBytes, call);
  if (!body.ok() || head->status / 100 == 2) return body;
  return Error(Errc::protocol, "status " + std::to_string(head->status) + ": " + *body);
}

// Who listens there (SO_PEERCRED, unix(7)).
pid_t process_of(const std::string& socket) {
  const os::Handle handle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::connect(handle.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::getsockopt(handle.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    throw Failure("connect " + socket);
  return peer.pid;
}

}  // namespace

std::vector<std::string> configuration(const std::string& type, const std::string& endpoint) {
  std::vector<std::string> names = {"SANDBOX_TYPE=" + type, "SANDBOX_FALLBACK=never"};
  if (!endpoint.empty()) names.push_back("LAZARET_HOST=" + endpoint);
  return names;
}

Daemon::Daemon(std::vector<std::string> configuration, std::vector<std::string> flags)
    : configuration_(std::move(configuration)), folder_(new_folder()) {
  flags.insert(flags.begin(), {test::kLazaretPath, "serve", "--socket", socket()});
  process_ = must(os::Command::start({flags, with_ours(configuration_)}), "lazaret serve");
  await();
}

Daemon::~Daemon() {
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Daemon::run(const std::string& body) const {
  return must(asked(socket(), {"POST", "/v1/runs", {{"Host", "localhost"}}, body}),
              "POST /v1/runs");
}

std::string Daemon::open_session() const {
  const std::string answer =
      must(asked(socket(), {"POST", "/v1/sessions", {{"Host", "localhost"}}, "{}"}),
           "POST /v1/sessions");
  return nlohmann::json::parse(answer).at("session_id").get<std::string>();
}

void Daemon::must_be_ready() const {
  (void)must(asked(socket(), {"GET", "/v1/ready", {{"Host", "localhost"}}, {}}), "GET /v1/ready");
}

std::size_t Daemon::waiting() const {
  const std::string answer =
      must(asked(socket(), {"GET", "/v1/pool", {{"Host", "localhost"}}, {}}), "GET /v1/pool");
  const auto told = nlohmann::json::parse(answer);
  std::size_t all = 0;
  for (const auto& pool : told.at("pools")) all += pool.at("ready").get<std::size_t>();
  return all;
}

double Daemon::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(process_of(socket())) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
  }
  throw Failure("no memory of the daemon's in /proc");
}

std::vector<std::string> Daemon::environment() const {
  std::vector<std::string> names = configuration_;
  names.push_back("LAZARET_SOCKET=" + socket());
  return names;
}

void Daemon::await() const {
  for (int attempt = 0; attempt < 10000; ++attempt) {
    if (asked(socket(), {"GET", "/v1/health", {{"Host", "localhost"}}, {}}).ok()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw Failure("lazaret serve does not answer");
}

}  // namespace lazaret::bench
