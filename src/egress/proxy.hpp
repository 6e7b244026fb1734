#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/condition.hpp"
#include "base/endpoint.hpp"
#include "base/turn.hpp"
#include "base/wire.hpp"
#include "egress/ledger.hpp"
#include "http/request_head.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "policy/hosts.hpp"

namespace lazaret::egress {

/// The one way out of a box that has no other: an HTTP proxy (RFC 9110, section 9.3.6: CONNECT; RFC
/// 9112, section 3.2.2: absolute-form, one request a connection) outside of the box, at a socket
/// that listens within. It goes where a rule permits, and passes TLS on for permitted hosts alone.
/// All that the program says is hostile: 64 connections at a time, eight of them being made, heads
/// of 16 KiB within ten seconds. Its end is that of all its connections.
class Proxy {
 public:
  /// Looks a host up and connects to where a rule permits it.
  using Connect =
      std::function<Result<std::unique_ptr<Wire>>(const Endpoint& to, const Call& call)>;

  /// Errors: system, when there is no thread for it.
  [[nodiscard]] static Result<std::unique_ptr<Proxy>> start(os::Handle listener,
                                                            std::vector<policy::HostRule> rules,
                                                            Connect connect);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  ~Proxy();

  /// Once those within are gone: waits until what they have sent is passed on, as long as the call
  /// allows, and ends all connections. It takes new ones after that.
  void finish(const Call& call);
  /// What is new since this was asked last.
  [[nodiscard]] Ledger::Seen take_seen() { return ledger_.take(); }

 private:
  Proxy(os::Handle listener, std::vector<policy::HostRule> rules, Connect connect);
  struct Client {
    std::stop_source stop;
    bool is_one_too_many = false;
    bool is_sending = true, is_over = false;  // under the mutex
    std::jthread thread;
  };
  void accept_all(const std::stop_token& stop);
  [[nodiscard]] bool accept_pending(const std::stop_token& stop);
  void begin(os::Handle socket);
  void serve(Client& client, Wire& inside) noexcept;
  [[nodiscard]] Status answer(Client& client, Wire& inside);
  [[nodiscard]] Status carry(Client& client, Wire& inside, const http::RequestHead& head);
  [[nodiscard]] Result<std::unique_ptr<Wire>> connect(Ledger::Entry& entry, const Call& call);
  void splice(Client& client, Wire& inside, Wire& outside, Ledger::Entry& entry, std::string first);
  [[nodiscard]] bool permits(const Endpoint& to) const;
  void change(bool& of_a_client, bool value);
  void forget_ended();

  os::Handle listener_;
  std::vector<policy::HostRule> rules_;
  Connect connect_;
  Ledger ledger_;
  Turn connecting_;
  std::mutex mutex_;  // of what clients say of themselves
  Condition changed_;
  std::mutex accepting_mutex_;  // of who accepts, and with that of the list
  std::list<Client> clients_;
  std::jthread accepting_;
};

}  // namespace lazaret::egress
