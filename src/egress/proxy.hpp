#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/endpoint.hpp"
#include "base/wire.hpp"
#include "http/request_head.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "policy/hosts.hpp"

namespace lazaret::egress {

/// The one way out of a box that has no other: an HTTP proxy (RFC 9110, section 9.3.6: CONNECT; RFC
/// 9112, section 3.2.2: absolute-form, one request a connection) outside of the box, at a socket
/// that listens within. It looks names up itself and goes where a rule permits; a TLS ClientHello
/// through it may ask for such a host alone. All that the program says is hostile: 64 connections
/// at a time, heads of 16 KiB within ten seconds. Its end is that of all its connections.
class Proxy {
 public:
  /// Connects to where a rule permits it.
  using Connect = std::function<Result<std::unique_ptr<Wire>>(
      const policy::HostRule& rule, const Endpoint& to, const Call& call)>;

  Proxy(os::Handle listener, std::vector<policy::HostRule> rules, Connect connect);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  struct Seen {
    std::vector<Connection>
        connections;             ///< in the order in which they were asked for, 256 at most
    std::uint64_t unlisted = 0;  ///< how many more there were
  };
  /// What has been asked of it since this was called last; what goes on comes with what it has
  /// carried so far, and not again.
  [[nodiscard]] Seen take_seen();

 private:
  struct Carried {
    Connection seen;  // under the mutex
    std::atomic<std::uint64_t> sent = 0, received = 0;
  };
  struct Client {
    std::stop_source stop;
    std::atomic<bool> is_over = false;
    std::jthread thread;
  };
  void accept_all(const std::stop_token& stop);
  void begin(os::Handle socket);
  void serve(Wire& inside, const std::stop_source& stop);
  [[nodiscard]] Status carry(Wire& inside, const http::RequestHead& head,
                             const std::stop_source& stop);
  [[nodiscard]] Result<std::unique_ptr<Wire>> connect(const Endpoint& to, Carried& carried,
                                                      const Call& call);
  void splice(Wire& inside, Wire& outside, Carried& carried, std::string first,
              const std::stop_source& stop);
  [[nodiscard]] Status pass_out(Wire& inside, Wire& outside, Carried& carried, std::string first,
                                const std::stop_token& stop);
  [[nodiscard]] Result<std::string> first_words(Wire& inside, Carried& carried, std::string heard,
                                                const Call& call);
  [[nodiscard]] const policy::HostRule* rule_for(const Endpoint& to) const;
  [[nodiscard]] std::shared_ptr<Carried> note(const Endpoint& to);
  void decide(Carried& carried, Connection::Outcome outcome, std::string reason);
  void forget_ended();

  os::Handle listener_;
  std::vector<policy::HostRule> rules_;
  Connect connect_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Carried>> carried_;
  std::uint64_t unlisted_ = 0;
  std::list<Client> clients_;  // of the accepting thread, and of the end
  std::jthread accepting_;
};

}  // namespace lazaret::egress
