#include "core/way_out.hpp"

#include <set>
#include <string>
#include <utility>

#include "base/endpoint.hpp"
#include "os/tcp.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kMostWarnings = 8;

Result<std::unique_ptr<Wire>> connect(const policy::HostRule& rule, const Endpoint& to,
                                      const Call& call) {
  const auto allowed = rule.is_anywhere ? os::Addresses::any : os::Addresses::public_ones;
  return os::connect_tcp(to.host, to.port, allowed, call);
}

}  // namespace

std::unique_ptr<egress::Proxy> way_out_of(backend::Box& box, const policy::Spec& spec) {
  os::Handle socket = box.take_way_out();
  if (!socket.valid()) return nullptr;
  return std::make_unique<egress::Proxy>(std::move(socket), spec.hosts, connect);
}

void put_connections(ExecutionResult& result, egress::Proxy* way_out) {
  if (way_out == nullptr) return;
  egress::Proxy::Seen seen = way_out->take_seen();
  std::set<std::string> denied;
  for (const Connection& connection : seen.connections) {
    if (connection.outcome == Connection::Outcome::denied)
      denied.insert("a connection to " + text_of(Endpoint{connection.host, connection.port}) +
                    " was denied: " + connection.reason);
  }
  for (const std::string& warning : denied) {
    if (result.meta.warnings.size() < kMostWarnings) result.meta.warnings.push_back(warning);
  }
  if (seen.unlisted > 0)
    result.meta.warnings.push_back(std::to_string(seen.unlisted) +
                                   " more connections were asked for than are listed");
  result.meta.connections = std::move(seen.connections);
}

}  // namespace lazaret::core
