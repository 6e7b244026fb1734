#include "integration/daemon.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "integration/laid_out.hpp"
#include "os/wire.hpp"
#include "places.hpp"

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostBytes = 256UL << 20;

}  // namespace

Daemon::Daemon(std::vector<std::string> arguments,
               const std::map<std::string, std::string>& environment)
    : socket_(folder_.path() + "/lazaret.sock") {
  arguments.insert(arguments.begin(), {kServePath, "--socket", socket_});
  const LaidOut program(std::move(arguments), environment);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    program.become();
  }
  const bool up = becomes_true(30s, [this] { return ask("GET", "/v1/health").status == 200; });
  if (!up) std::abort();
}

Daemon::~Daemon() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  (void)wait();
}

std::unique_ptr<Wire> Daemon::connect() const {
  auto wire = os::connect_unix(socket_, Call{}.within(5s));
  return wire.ok() ? std::move(wire).value() : nullptr;
}

Reply Daemon::ask(const std::string& method, const std::string& target, const std::string& body,
                  std::vector<http::Header> headers) const {
  return reply_on(connect(), method, target, body, std::move(headers));
}

std::string Daemon::say(const std::string& bytes) const {
  const auto wire = connect();
  if (!wire || !wire->write(bytes_of(bytes), Call{}.within(10s)).ok()) return {};
  return rest_of(*wire, 30s);
}

void Daemon::signal(int number) const { ::kill(pid_, number); }

int Daemon::wait() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::optional<std::map<std::string, std::string>> variables_for(const std::string& backend) {
  const auto options = options_for(backend);
  if (!options) return std::nullopt;
  std::map<std::string, std::string> variables = {
      {"SANDBOX_TYPE", backend == "native" ? "local" : backend}, {"SANDBOX_FALLBACK", "never"}};
  if (options->host) variables["LAZARET_HOST"] = *options->host;
  return variables;
}

std::string bash_body(const std::string& code, Json more) {
  more["language"] = "bash";
  more["code"] = code;
  return more.dump();
}

Reply reply_on(std::unique_ptr<Wire> wire, const std::string& method, const std::string& target,
               const std::string& body, std::vector<http::Header> headers) {
  if (!wire) return {};
  const Call call = Call{}.within(60s);
  headers.push_back({"Host", "localhost"});
  http::Exchange exchange(std::move(wire));
  if (!exchange.send({method, target, std::move(headers), body}, call).ok()) return {};
  auto head = exchange.head(call);
  if (!head.ok()) return {};
  auto text = exchange.body(kMostBytes, call);
  return {head->status, *head, text.ok() ? *text : std::string()};
}

Json pool_of(const Daemon& daemon) {
  const Json all = daemon.ask("GET", "/v1/pool").json();
  return all.is_object() && !all["pools"].empty() ? all["pools"][0] : Json::object();
}

std::string text_until(Wire& wire, const std::string& mark) {
  const Call call = Call{}.within(20s);
  std::string text;
  std::array<std::byte, 4096> buffer{};
  for (std::size_t from = 0; text.find(mark, from) == std::string::npos;) {
    from = text.size() - std::min(text.size(), mark.size());
    const auto count = wire.read(buffer, call);
    if (!count.ok() || *count == 0) return text;
    text += text_of(Bytes(buffer).first(*count));
  }
  return text;
}

std::string rest_of(Wire& wire, std::chrono::seconds bound) {
  const Call call = Call{}.within(bound);
  std::string text;
  std::array<std::byte, 65536> buffer{};
  for (;;) {
    const auto count = wire.read(buffer, call);
    if (!count.ok() || *count == 0) return text;
    text += text_of(Bytes(buffer).first(*count));
  }
}

}  // namespace lazaret::test
