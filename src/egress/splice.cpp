#include "egress/splice.hpp"

#include <array>
#include <chrono>
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

// What comes is passed on by this thread, and what is sent by another. Where no more can be sent
// there may still be an answer to come.
std::string Splice::carry(std::string first, const Permits& permits,
                          const std::function<void()>& on_sent) {
  std::string denied;
  {
    const std::jthread writer([&] {
      const Status sent = pass_out(std::move(first), permits);
      one_has_ended_ = true;
      on_sent();
      if (sent.ok() || sent.error().code() != Errc::permission_denied) return;
      denied = sent.error().message();
      stop_.request_stop();
    });
    if (!pass(outside_, inside_, entry_.received).ok()) stop_.request_stop();
    one_has_ended_ = true;
  }
  return denied;
}

Status Splice::pass(Wire& from, Wire& to, std::atomic<std::uint64_t>& count) {
  std::array<std::byte, kPiece> piece;
  for (auto heard = Clock::now();;) {
    const Call look{Deadline::after(kLook), stop_.get_token()};
    LAZARET_CHECK(look.check());
    const auto size = from.read(piece, look);
    const bool is_silent = !size.ok() && size.error().code() == Errc::timed_out;
    if (is_silent && (!one_has_ended_ || Clock::now() - heard < kSilence)) continue;
    if (!size.ok()) return size.error();
    if (*size == 0) return to.close_write();
    heard = Clock::now();
    count += *size;
    LAZARET_CHECK(to.write(Bytes(piece).first(*size), Call{Deadline::never(), stop_.get_token()}));
  }
}

Status Splice::pass_out(std::string first, const Permits& permits) {
  LAZARET_TRY(const std::string words, first_words(std::move(first), permits));
  entry_.sent += words.size();
  LAZARET_CHECK(outside_.write(bytes_of(words), Call{Deadline::never(), stop_.get_token()}));
  return pass(inside_, outside_, entry_.sent);
}

// Until it is known whom TLS is asked for: who answers for one host often does for others, too.
Result<std::string> Splice::first_words(std::string heard, const Permits& permits) const {
  std::array<std::byte, kPiece> piece;
  ServerName name = server_name_in(heard);
  for (std::size_t wanted = 0; name.kind == ServerName::Kind::needs_more;) {
    wanted = heard.size() + name.missing;
    while (heard.size() < wanted) {
      const Call call{Deadline::never(), stop_.get_token()};
      LAZARET_TRY(const std::size_t size, inside_.read(piece, call));
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
