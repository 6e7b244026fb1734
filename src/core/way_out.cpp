#include "core/way_out.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "os/tcp.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kMostDenials = 8;
constexpr std::chrono::milliseconds kPatience{1000};

std::set<std::string> denials_in(const std::vector<Connection>& connections) {
  std::set<std::string> denials;
  for (const Connection& connection : connections) {
    if (connection.outcome == Connection::Outcome::denied)
      denials.insert("a connection to " + text_of(Endpoint{connection.host, connection.port}) +
                     " was denied: " + connection.reason);
  }
  return denials;
}

void warn(std::vector<std::string>& warnings, const egress::Ledger::Seen& seen) {
  const std::set<std::string> denials = denials_in(seen.connections);
  std::size_t told = 0;
  for (const std::string& denial : denials) {
    if (told++ < kMostDenials) warnings.push_back(denial);
  }
  const auto count = [&warnings](std::uint64_t number, const std::string& what) {
    if (number > 0) warnings.push_back(std::to_string(number) + what);
  };
  count(denials.size() - std::min(denials.size(), kMostDenials), " more places were denied");
  count(seen.unlisted, " more connections were asked for than are listed");
  for (const auto& [why, number] : seen.turned_away)
    count(number, " times the way out gave nothing: " + why);
}

}  // namespace

Result<std::unique_ptr<egress::Proxy>> way_out_of(backend::Box& box, const policy::Spec& spec) {
  os::Handle socket = box.take_way_out();
  if (!socket.valid()) return std::unique_ptr<egress::Proxy>();
  const auto connect = [named = spec.egress.named](const Endpoint& to, const Call& call) {
    const bool is_named = std::ranges::any_of(
        named, [&to](const policy::HostRule& rule) { return rule.permits(to); });
    return os::connect_tcp(to.host, to.port,
                           is_named ? os::Addresses::any : os::Addresses::public_ones, call);
  };
  return egress::Proxy::start(std::move(socket), spec.egress.hosts, connect);
}

void put_connections(ExecutionResult& result, egress::Proxy* way_out, Inside inside,
                     const std::stop_token& stop) {
  if (way_out == nullptr) return;
  const auto patience = result.meta.kill ? std::chrono::milliseconds(0) : kPatience;
  if (inside == Inside::over) way_out->finish(Call{Deadline::after(patience), stop});
  egress::Ledger::Seen seen = way_out->take_seen();
  warn(result.meta.warnings, seen);
  result.meta.connections = std::move(seen.connections);
}

}  // namespace lazaret::core
