#include "egress/proxy.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "egress/client_hello.hpp"
#include "egress/plain_request.hpp"
#include "os/listen.hpp"
#include "os/wire.hpp"

namespace lazaret::egress {
namespace {

constexpr std::size_t kMostAtATime = 64, kMostNoted = 256, kPiece = 16UL << 10;
constexpr std::chrono::seconds kHeadBound{10}, kConnectBound{20}, kWordBound{2};
constexpr std::string_view kConnected = "HTTP/1.1 200 Connection established\r\n\r\n";

// A denial is told in the text, too: it is read by people, and by models.
std::string answer_of(const Error& error) {
  const bool denied = error.code() == Errc::permission_denied;
  const char* status = "502 Bad Gateway";
  if (denied) status = "403 Forbidden";
  if (error.code() == Errc::timed_out) status = "504 Gateway Timeout";
  if (error.code() == Errc::protocol || error.code() == Errc::too_large) status = "400 Bad Request";
  const std::string text = "lazaret: " + error.message() + "\n";
  return std::string("HTTP/1.1 ") + status + "\r\n" +
         (denied ? "X-Proxy-Error: blocked-by-allowlist\r\n" : "") +
         "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

Error denied(const std::string& why) { return Error(Errc::permission_denied, why); }

Status write(Wire& wire, std::string_view text, const Call& call) {
  return wire.write(bytes_of(text), call);
}

// Until the end of what comes, or of the one that it goes to.
Status pass(Wire& from, Wire& to, std::atomic<std::uint64_t>& count, const std::stop_token& stop) {
  const Call call{Deadline::never(), stop};
  std::array<std::byte, kPiece> piece;
  for (;;) {
    LAZARET_CHECK(call.check());
    LAZARET_TRY(const std::size_t size, from.read(piece, call));
    if (size == 0) return to.close_write();
    LAZARET_CHECK(to.write(Bytes(piece).first(size), call));
    count += size;
  }
}

}  // namespace

Proxy::Proxy(os::Handle listener, std::vector<policy::HostRule> rules, Connect connect)
    : listener_(std::move(listener)),
      rules_(std::move(rules)),
      connect_(std::move(connect)),
      accepting_([this](const std::stop_token& stop) { accept_all(stop); }) {}

Proxy::~Proxy() {
  accepting_.request_stop();
  accepting_.join();
  for (Client& client : clients_) client.stop.request_stop();
}

Proxy::Seen Proxy::take_seen() {
  const std::scoped_lock lock(mutex_);
  Seen seen{{}, std::exchange(unlisted_, 0)};
  for (const auto& carried : std::exchange(carried_, {})) {
    seen.connections.push_back(carried->seen);
    seen.connections.back().sent_bytes = carried->sent;
    seen.connections.back().received_bytes = carried->received;
  }
  return seen;
}

void Proxy::accept_all(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto socket = os::accept_next(listener_.get(), Call{Deadline::never(), stop});
    forget_ended();
    if (!socket.ok() && socket.error().code() != Errc::cancelled) {  // no descriptors, for now
      constexpr std::chrono::milliseconds kPause{10};
      std::this_thread::sleep_for(kPause);
    }
    if (socket.ok() && clients_.size() < kMostAtATime) begin(std::move(socket).value());
  }
}

void Proxy::begin(os::Handle socket) {
  Client& client = clients_.emplace_back();
  const std::shared_ptr<Wire> wire = os::wire_over(std::move(socket));
  try {
    client.thread = std::jthread([this, &client, wire] {
      serve(*wire, client.stop);
      client.is_over = true;
    });
  } catch (const std::system_error&) {
    clients_.pop_back();
  }
}

void Proxy::forget_ended() {
  std::erase_if(clients_, [](const Client& client) { return client.is_over.load(); });
}

// A connection's own thread.
void Proxy::serve(Wire& inside, const std::stop_source& stop) {
  const Call call{Deadline::after(kHeadBound), stop.get_token()};
  const auto head = http::read_request_head(inside, call);
  const Status carried = head.ok() ? carry(inside, *head, stop) : Status(head.error());
  if (!carried.ok())
    (void)write(inside, answer_of(carried.error()), Call{Deadline::after(kWordBound), call.stop})
        .ok();
}

// An error: nothing was carried, and nothing answered yet.
Status Proxy::carry(Wire& inside, const http::RequestHead& head, const std::stop_source& stop) {
  const bool is_tunnel = head.method == "CONNECT";
  LAZARET_TRY(PlainRequest plain, is_tunnel ? tunnel_of(head) : plain_request_of(head));
  const auto carried = note(plain.to);
  const Call call{Deadline::after(kConnectBound), stop.get_token()};
  LAZARET_TRY(const auto outside, connect(plain.to, *carried, call));
  if (is_tunnel) LAZARET_CHECK(write(inside, kConnected, call));
  splice(inside, *outside, *carried, std::move(plain.first), stop);
  return {};
}

Result<std::unique_ptr<Wire>> Proxy::connect(const Endpoint& to, Carried& carried,
                                             const Call& call) {
  const policy::HostRule* const rule = rule_for(to);
  auto wire = rule != nullptr
                  ? connect_(*rule, to, call)
                  : Result<std::unique_ptr<Wire>>(
                        denied(text_of(to) + " is none of the hosts that this program may reach"));
  if (wire.ok()) return wire;
  const bool is_denied = wire.error().code() == Errc::permission_denied;
  decide(carried, is_denied ? Connection::Outcome::denied : Connection::Outcome::failed,
         wire.error().message());
  return wire;
}

// What comes is passed on by this thread, and what is sent by another.
void Proxy::splice(Wire& inside, Wire& outside, Carried& carried, std::string first,
                   const std::stop_source& stop) try {
  const std::jthread writer([&] {
    if (!pass_out(inside, outside, carried, std::move(first), stop.get_token()).ok())
      (void)std::stop_source(stop).request_stop();
  });
  if (!pass(outside, inside, carried.received, stop.get_token()).ok())
    (void)std::stop_source(stop).request_stop();
} catch (const std::system_error& refused) {
  decide(carried, Connection::Outcome::failed, refused.what());
}

Status Proxy::pass_out(Wire& inside, Wire& outside, Carried& carried, std::string first,
                       const std::stop_token& stop) {
  LAZARET_TRY(const std::string words,
              first_words(inside, carried, std::move(first), Call{Deadline::never(), stop}));
  LAZARET_CHECK(write(outside, words, Call{Deadline::never(), stop}));
  carried.sent += words.size();
  return pass(inside, outside, carried.sent, stop);
}

// Until it is known whom TLS is asked for: who answers for one host often does for others, too.
Result<std::string> Proxy::first_words(Wire& inside, Carried& carried, std::string heard,
                                       const Call& call) {
  std::array<std::byte, kPiece> piece;
  ServerName name = server_name_in(heard);
  while (name.kind == ServerName::Kind::needs_more) {
    LAZARET_TRY(const std::size_t size, inside.read(piece, call));
    if (size == 0) return heard;
    heard += text_of(Bytes(piece).first(size));
    name = server_name_in(heard);
  }
  if (name.kind == ServerName::Kind::absent) return heard;
  const bool is_named = name.kind == ServerName::Kind::named;
  const std::uint16_t port = carried.seen.port;
  if (is_named && rule_for({name.name, port}) != nullptr) return heard;
  const std::string why =
      is_named ? "TLS was asked for " + printable(name.name, '?') : "its TLS cannot be read";
  decide(carried, Connection::Outcome::denied, why);
  return denied(why);
}

const policy::HostRule* Proxy::rule_for(const Endpoint& to) const {
  const policy::HostRule* found = nullptr;
  for (const policy::HostRule& rule : rules_) {
    if (rule.permits(to) && (found == nullptr || rule.is_anywhere)) found = &rule;
  }
  return found;
}

std::shared_ptr<Proxy::Carried> Proxy::note(const Endpoint& to) {
  auto carried = std::make_shared<Carried>();
  carried->seen.host = to.host;
  carried->seen.port = to.port;
  const std::scoped_lock lock(mutex_);
  if (carried_.size() < kMostNoted)
    carried_.push_back(carried);
  else
    ++unlisted_;
  return carried;
}

void Proxy::decide(Carried& carried, Connection::Outcome outcome, std::string reason) {
  const std::scoped_lock lock(mutex_);
  carried.seen.outcome = outcome;
  carried.seen.reason = std::move(reason);
}

}  // namespace lazaret::egress
