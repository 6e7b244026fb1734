#include "egress/proxy.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "base/undo.hpp"
#include "egress/plain_request.hpp"
#include "egress/splice.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"

namespace lazaret::egress {
namespace {

constexpr std::size_t kMostAtATime = 64, kMostTurnedAway = 8, kMostUnread = 1UL << 20;
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

Errc as_failure(Errc code) { return code == Errc::permission_denied ? Errc::system : code; }

// A denial is told in the text, too: it is read by people, and by models.
std::string answer_of(const Error& error) {
  const std::string text = "lazaret: " + error.message() + "\n";
  const bool denied = is_denial(error);
  return std::string("HTTP/1.1 ") + status_of(denied ? error.code() : as_failure(error.code())) +
         "\r\n" + (denied ? "X-Proxy-Error: blocked-by-allowlist\r\n" : "") +
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

Result<std::unique_ptr<Proxy>> Proxy::start(os::Handle listener,
                                            std::vector<policy::HostRule> rules,
                                            Connect connect) try {
  return std::unique_ptr<Proxy>(
      new Proxy(std::move(listener), std::move(rules), std::move(connect)));
} catch (const std::system_error& refused) {
  return Error(Errc::system, std::string("a thread for the way out: ") + refused.what());
}

Proxy::~Proxy() {
  accepting_.request_stop();
  accepting_.join();
  for (Client& client : clients_) client.stop.request_stop();
}

void Proxy::finish(const Call& call) {
  const std::scoped_lock accepting(accepting_mutex_);
  (void)accept_pending(call.stop);
  std::unique_lock lock(mutex_);
  const auto is_sending = [this] { return std::ranges::any_of(clients_, &Client::is_sending); };
  const auto left = call.deadline.left().value_or(std::chrono::hours(1));
  (void)changed_.wait_until(lock, call.stop, std::chrono::steady_clock::now() + left,
                            [&is_sending] { return !is_sending(); });
  lock.unlock();
  for (Client& client : clients_) client.stop.request_stop();
  clients_.clear();
}

// Without descriptors, or memory, for now: it tries again.
void Proxy::accept_all(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPause{10};
  while (!stop.stop_requested()) {
    bool goes_on = os::wait_for_connection(listener_.get(), Call{Deadline::never(), stop}).ok();
    if (goes_on) {
      const std::scoped_lock lock(accepting_mutex_);
      goes_on = accept_pending(stop);
    }
    if (!goes_on) std::this_thread::sleep_for(kPause);
  }
}

// Under the lock of who accepts. Whether that went well; who is accepted has no end of others.
bool Proxy::accept_pending(const std::stop_token& stop) try {
  constexpr int kMostAtOnce = 128;
  for (int count = 0; count < kMostAtOnce && !stop.stop_requested(); ++count) {
    auto socket = os::accept_now(listener_.get());
    if (!socket.ok()) return false;
    if (!*socket) return true;
    forget_ended();
    begin(std::move(**socket));
  }
  return true;
} catch (const std::exception&) {
  return false;
}

// Some more are taken to be told that there are too many, and the rest is not.
void Proxy::begin(os::Handle socket) {
  if (clients_.size() >= kMostAtATime) ledger_.turn_away(kFull);
  if (clients_.size() >= kMostAtATime + kMostTurnedAway) return;
  const std::shared_ptr<Wire> wire = os::wire_over(std::move(socket));
  Client& client = clients_.emplace_back();
  client.is_one_too_many = clients_.size() > kMostAtATime;
  try {
    client.thread = std::jthread([this, &client, wire] {
      serve(client, *wire);
      change(client.is_sending, false);
      change(client.is_over, true);
    });
  } catch (const std::system_error& refused) {
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
void Proxy::serve(Client& client, Wire& inside) noexcept try {
  const Status answered = answer(client, inside);
  if (answered.ok()) return;
  change(client.is_sending, false);
  refuse(inside, answered.error(), client.stop.get_token());
} catch (const std::exception&) {  // no memory: it is closed
}

// An error: nothing was carried, and nothing answered yet.
Status Proxy::answer(Client& client, Wire& inside) {
  if (client.is_one_too_many) return Error(Errc::conflict, kFull);
  const Call call{Deadline::after(kHeadBound), client.stop.get_token()};
  const auto head = http::read_request_head(inside, call);
  if (head.ok()) return carry(client, inside, *head);
  const Errc code = head.error().code();
  if (code == Errc::protocol || code == Errc::too_large || code == Errc::timed_out)
    ledger_.turn_away(head.error().message());
  return head.error();
}

Status Proxy::carry(Client& client, Wire& inside, const http::RequestHead& head) {
  const bool is_tunnel = head.method == "CONNECT";
  auto plain = is_tunnel ? tunnel_of(head) : plain_request_of(head);
  if (!plain.ok()) {
    ledger_.turn_away(plain.error().message());
    return plain.error();
  }
  const auto entry = ledger_.open(plain->to);
  Undo closing;
  closing.add([&] { ledger_.close(*entry); });
  const Call call{Deadline::after(kConnectBound), client.stop.get_token()};
  auto outside = connect(*entry, call);
  const Status answered =
      outside.ok() && is_tunnel ? inside.write(bytes_of(kConnected), call) : Status();
  if (outside.ok() && answered.ok())
    splice(client, inside, **outside, *entry, std::move(plain->first));
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
  const bool is_denied = !wire.ok() && is_denial(wire.error());
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
