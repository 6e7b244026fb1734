#include "egress/proxy.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "egress/plain_request.hpp"
#include "egress/splice.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"

namespace lazaret::egress {
namespace {

constexpr std::size_t kMostAtATime = 64, kMostUnread = 1UL << 20;
constexpr unsigned kMostConnecting = 8;  // lookups are this process's, and there are not many
constexpr std::chrono::seconds kHeadBound{10}, kConnectBound{20}, kWordBound{2};
constexpr std::string_view kConnected = "HTTP/1.1 200 Connection established\r\n\r\n";
constexpr const char* kFull = "64 connections are open already";

const char* status_of(Errc code) {
  switch (code) {
    case Errc::permission_denied: return "403 Forbidden";
    case Errc::timed_out: return "504 Gateway Timeout";
    case Errc::protocol:
    case Errc::too_large: return "400 Bad Request";
    case Errc::conflict: return "503 Service Unavailable";
    default: return "502 Bad Gateway";
  }
}

// A denial is told in the text, too: it is read by people, and by models.
std::string answer_of(const Error& error) {
  const std::string text = "lazaret: " + error.message() + "\n";
  const bool denied = error.code() == Errc::permission_denied;
  return std::string("HTTP/1.1 ") + status_of(error.code()) + "\r\n" +
         (denied ? "X-Proxy-Error: blocked-by-allowlist\r\n" : "") +
         "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

// What is closed with something unread is reset, and its answer lost: the rest is taken first.
void refuse(Wire& inside, const Error& error, const std::stop_token& stop) {
  const Call call{Deadline::after(kWordBound), stop};
  if (!inside.write(bytes_of(answer_of(error)), call).ok() || !inside.close_write().ok()) return;
  std::array<std::byte, 4096> unread;
  for (std::size_t seen = 0; seen < kMostUnread;) {
    const auto size = inside.read(unread, call);
    if (!size.ok() || *size == 0) return;
    seen += *size;
  }
}

}  // namespace

Proxy::Proxy(os::Handle listener, std::vector<policy::HostRule> rules, Connect connect)
    : listener_(std::move(listener)),
      rules_(std::move(rules)),
      connect_(std::move(connect)),
      connecting_(kMostConnecting),
      accepting_([this](const std::stop_token& stop) { accept_all(stop); }) {}

Proxy::~Proxy() {
  accepting_.request_stop();
  accepting_.join();
  for (Client& client : clients_) client.stop.request_stop();
}

void Proxy::finish(const Call& call) {
  const std::scoped_lock accepting(accepting_mutex_);
  (void)accept_pending();
  std::unique_lock lock(mutex_);
  const auto is_sending = [this] { return std::ranges::any_of(clients_, &Client::is_sending); };
  const auto left = call.deadline.left().value_or(std::chrono::hours(1));
  (void)changed_.wait_until(lock, call.stop, std::chrono::steady_clock::now() + left,
                            [&is_sending] { return !is_sending(); });
  lock.unlock();
  for (Client& client : clients_) client.stop.request_stop();
  clients_.clear();
}

void Proxy::accept_all(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPause{10};
  while (os::wait_for_connection(listener_.get(), Call{Deadline::never(), stop}).ok()) {
    const std::scoped_lock lock(accepting_mutex_);
    if (!accept_pending()) std::this_thread::sleep_for(kPause);  // no descriptors, for now
  }
}

// Under the lock of who accepts. Whether all were taken.
bool Proxy::accept_pending() {
  for (;;) {
    auto socket = os::accept_now(listener_.get());
    if (!socket.ok()) return false;
    if (!*socket) return true;
    forget_ended();
    begin(std::move(**socket));
  }
}

void Proxy::begin(os::Handle socket) {
  const std::shared_ptr<Wire> wire = os::wire_over(std::move(socket));
  if (clients_.size() >= kMostAtATime) {
    ledger_.turn_away(kFull);
    const std::string answer = answer_of(Error(Errc::conflict, kFull));
    (void)wire->write(bytes_of(answer), Call{}.within(std::chrono::seconds(0))).ok();
    return;
  }
  Client& client = clients_.emplace_back();
  try {
    client.thread = std::jthread([this, &client, wire] {
      try {
        serve(client, *wire);
      } catch (const std::exception& failure) {
        ledger_.turn_away(failure.what());
      }
      change(client.is_sending, false);
      change(client.is_over, true);
    });
  } catch (const std::exception& refused) {
    ledger_.turn_away(std::string("no thread for it: ") + refused.what());
    clients_.pop_back();
  }
}

void Proxy::change(bool& of_a_client, bool value) {
  const std::scoped_lock lock(mutex_);
  of_a_client = value;
  changed_.notify_all();
}

void Proxy::forget_ended() {
  std::list<Client> ended;
  const std::scoped_lock lock(mutex_);
  for (auto next = clients_.begin(); next != clients_.end();) {
    const auto client = next++;
    if (client->is_over) ended.splice(ended.end(), clients_, client);
  }
}

// A connection's own thread.
void Proxy::serve(Client& client, Wire& inside) {
  const std::stop_token stop = client.stop.get_token();
  const auto head = http::read_request_head(inside, Call{Deadline::after(kHeadBound), stop});
  const Status carried = head.ok() ? carry(client, inside, *head) : Status(head.error());
  if (carried.ok()) return;
  change(client.is_sending, false);
  refuse(inside, carried.error(), stop);
}

// An error: nothing was carried, and nothing answered yet.
Status Proxy::carry(Client& client, Wire& inside, const http::RequestHead& head) {
  const bool is_tunnel = head.method == "CONNECT";
  auto plain = is_tunnel ? tunnel_of(head) : plain_request_of(head);
  if (!plain.ok()) {
    ledger_.turn_away(plain.error().message());
    return plain.error();
  }
  const auto entry = ledger_.open(plain->to);
  const Call call{Deadline::after(kConnectBound), client.stop.get_token()};
  auto outside = connect(*entry, call);
  const Status answered =
      outside.ok() && is_tunnel ? inside.write(bytes_of(kConnected), call) : Status();
  if (outside.ok() && answered.ok())
    splice(client, inside, **outside, *entry, std::move(plain->first));
  ledger_.close(*entry);
  return outside.ok() ? Status() : Status(outside.error());
}

Result<std::unique_ptr<Wire>> Proxy::connect(Ledger::Entry& entry, const Call& call) {
  using Outcome = Connection::Outcome;
  auto wire = [&]() -> Result<std::unique_ptr<Wire>> {
    if (!permits(entry.to))
      return Error(Errc::permission_denied,
                   text_of(entry.to) + " is none of the hosts that this program may reach");
    LAZARET_TRY(const Turn::Held turn, connecting_.take(call));
    return connect_(entry.to, call);
  }();
  const bool is_denied = !wire.ok() && wire.error().code() == Errc::permission_denied;
  if (wire.ok())
    ledger_.decide(entry, Outcome::made);
  else if (wire.error().code() != Errc::cancelled)
    ledger_.decide(entry, is_denied ? Outcome::denied : Outcome::failed, wire.error().message());
  return wire;
}

void Proxy::splice(Client& client, Wire& inside, Wire& outside, Ledger::Entry& entry,
                   std::string first) try {
  Splice both(inside, outside, entry, client.stop);
  const std::string denied = both.carry(
      std::move(first), [this](const Endpoint& to) { return permits(to); },
      [this, &client] { change(client.is_sending, false); });
  if (!denied.empty()) ledger_.decide(entry, Connection::Outcome::denied, denied);
} catch (const std::system_error& refused) {
  ledger_.decide(entry, Connection::Outcome::failed, refused.what());
}

bool Proxy::permits(const Endpoint& to) const {
  return std::ranges::any_of(rules_,
                             [&to](const policy::HostRule& rule) { return rule.permits(to); });
}

}  // namespace lazaret::egress
