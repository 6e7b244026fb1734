#include "egress/splice.hpp"

#include <array>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "egress/client_hello.hpp"

namespace lazaret::egress {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = 16UL << 10;
constexpr std::chrono::seconds kLook{5}, kSilence{60};

std::string why_denied(const ServerName& name, std::uint16_t port, const Splice::Permits& permits) {
  if (name.kind == ServerName::Kind::absent) return "";
  if (name.kind == ServerName::Kind::unreadable) return "its TLS cannot be read";
  const auto to = endpoint_in(name.name + ":" + std::to_string(port));
  if (!to) return "its TLS asks for no name of a host";
  return permits(*to) ? "" : "TLS was asked for " + to->host;
}

}  // namespace

// What comes is passed on by this thread, and what is sent by another: that goes on when nobody
// listens within any more, and there may be an answer when no more can be sent.
std::string Splice::carry(std::string first, const Permits& permits,
                          const std::function<void()>& on_sent) {
  std::string denied;
  {
    const std::jthread writer([&] {
      denied = send(std::move(first), permits);
      one_has_ended_ = true;
      on_sent();
      if (!denied.empty()) stop_.request_stop();
    });
    if (!pass(outside_, inside_, entry_.received, Unheard::goes_on).ok()) stop_.request_stop();
    one_has_ended_ = true;
  }
  return denied;
}

std::string Splice::send(std::string first, const Permits& permits) try {
  const Status sent = pass_out(std::move(first), permits);
  return !sent.ok() && is_denial(sent.error()) ? sent.error().message() : "";
} catch (const std::exception&) {  // no memory
  stop_.request_stop();
  return "";
}

// Waits as long as both directions go on, and a while when the other has ended.
Result<std::size_t> Splice::read(Wire& from, std::span<std::byte> into) {
  for (auto since = Clock::now();;) {
    const Call look{Deadline::after(kLook), stop_.get_token()};
    LAZARET_CHECK(look.check());
    auto size = from.read(into, look);
    if (size.ok() || size.error().code() != Errc::timed_out) return size;
    if (!one_has_ended_) since = Clock::now();
    if (Clock::now() - since >= kSilence) return size;
  }
}

Status Splice::pass(Wire& from, Wire& to, std::atomic<std::uint64_t>& count, Unheard unheard) {
  std::array<std::byte, kPiece> piece;
  for (bool is_heard = true;;) {
    LAZARET_TRY(const std::size_t size, read(from, piece));
    if (size == 0) break;
    count += size;
    if (!is_heard) continue;
    const Status written =
        to.write(Bytes(piece).first(size), Call{Deadline::never(), stop_.get_token()});
    is_heard = written.ok();
    if (!is_heard && unheard == Unheard::ends) return written;
    if (!is_heard) one_has_ended_ = true;
  }
  (void)to.close_write().ok();
  return {};
}

Status Splice::pass_out(std::string first, const Permits& permits) {
  LAZARET_TRY(const std::string words, first_words(std::move(first), permits));
  entry_.sent += words.size();
  LAZARET_CHECK(outside_.write(bytes_of(words), Call{Deadline::never(), stop_.get_token()}));
  return pass(inside_, outside_, entry_.sent, Unheard::ends);
}

// Until it is known whom TLS is asked for: who answers for one host often does for others, too.
Result<std::string> Splice::first_words(std::string heard, const Permits& permits) {
  std::array<std::byte, kPiece> piece;
  ServerName name = server_name_in(heard);
  while (name.kind == ServerName::Kind::needs_more) {
    for (const std::size_t wanted = heard.size() + name.missing; heard.size() < wanted;) {
      LAZARET_TRY(const std::size_t size, read(inside_, piece));
      if (size == 0) return heard;
      heard += text_of(Bytes(piece).first(size));
    }
    name = server_name_in(heard);
  }
  const std::string why = why_denied(name, entry_.to.port, permits);
  if (why.empty()) return heard;
  return Error(Errc::permission_denied, why);
}

}  // namespace lazaret::egress
