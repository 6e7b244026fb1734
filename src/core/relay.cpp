#include "core/relay.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/try.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kHead = 5, kMostPayload = 0xFFFF, kPiece = 1UL << 14;
constexpr std::size_t kMostWaiting = 1UL << 20;  // what the program has not read yet
constexpr std::size_t kMostAtATime = 64;
constexpr unsigned kMostInAll = 4096;
constexpr std::uint64_t kMostHeard = 1ULL << 28;
constexpr std::chrono::seconds kConnectBound{20}, kSendBound{10};

std::uint16_t number_at(std::string_view bytes, std::size_t at) {
  const auto byte = [bytes](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
  return static_cast<std::uint16_t>(byte(at) << 8 | byte(at + 1));
}

void append(std::string& text, std::size_t number) {
  text += static_cast<char>(number >> 8 & 0xFF);
  text += static_cast<char>(number & 0xFF);
}

}  // namespace

Relay::~Relay() {
  std::map<std::uint16_t, Connection> all;
  {
    const std::scoped_lock lock(mutex_);
    all.swap(connections_);
    for (auto& [number, connection] : all) connection.stop.request_stop();
  }
  changed_.notify_all();
}

void Relay::hear(std::string_view output) {
  heard_bytes_ += output.size();
  if (heard_bytes_ > kMostHeard) return give_up();
  heard_ += output;
  std::size_t at = 0;
  while (heard_.size() - at >= kHead) {
    const std::string_view rest = std::string_view(heard_).substr(at);
    const std::size_t size = number_at(rest, 3);
    if (rest.size() < kHead + size) break;
    obey({Kind{rest[0]}, number_at(rest, 1), rest.substr(kHead, size)});
    at += kHead + size;
  }
  heard_.erase(0, at);
}

void Relay::obey(const Frame& frame) {
  switch (frame.kind) {
    case Kind::open: return open(frame.number, frame.payload);
    case Kind::data: return send(frame.number, frame.payload);
    case Kind::end: return change(frame.number, [](Connection& it) { it.has_ended = true; });
    case Kind::close: return change(frame.number, [](Connection& it) { it.stop.request_stop(); });
    case Kind::failed: break;
  }
  give_up();
}

void Relay::give_up() {
  const std::scoped_lock lock(mutex_);
  is_broken_ = true;
  changed_.notify_all();
}

void Relay::open(std::uint16_t number, std::string_view where) {
  forget_ended();
  const auto to = endpoint_in(where);
  {
    const std::scoped_lock lock(mutex_);
    const bool has_room = connections_.size() < kMostAtATime && opened_ < kMostInAll;
    if (to && has_room && !is_broken_ && !connections_.contains(number)) {
      ++opened_;
      if (begin(number, *to)) return;
    }
  }
  say({Kind::failed, number, to ? "too many connections" : "no host and port"}, {});
}

// Under the lock. Whether there is a thread for it.
bool Relay::begin(std::uint16_t number, const Endpoint& to) try {
  Connection& connection = connections_[number];
  connection.thread =
      std::jthread([this, number, to, stop = connection.stop] { carry(number, to, stop); });
  return true;
} catch (const std::system_error&) {
  connections_.erase(number);
  return false;
}

void Relay::send(std::uint16_t number, std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = connections_.find(number);
  if (found == connections_.end() || found->second.has_ended) return;
  Connection& connection = found->second;
  if (connection.unsent.size() + bytes.size() > kMostWaiting)
    connection.stop.request_stop();
  else
    connection.unsent += bytes;
  changed_.notify_all();
}

void Relay::change(std::uint16_t number, void (*how)(Connection& connection)) {
  const std::scoped_lock lock(mutex_);
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  how(found->second);
  changed_.notify_all();
}

// A connection's own thread.
void Relay::carry(std::uint16_t number, const Endpoint& to, const std::stop_source& stop) {
  const Status carried = carry_both_ways(number, to, stop);
  if (!carried.ok() && carried.error().code() != Errc::cancelled) {
    const std::scoped_lock lock(mutex_);
    trouble_ = carried.error();
  }
  if (!carried.ok()) say({Kind::failed, number, carried.error().message()}, stop.get_token());
  change(number, [](Connection& it) { it.is_over = true; });
}

// What comes is passed on by this thread, and what is sent by another. An error: there never was a
// connection.
Status Relay::carry_both_ways(std::uint16_t number, const Endpoint& to,
                              const std::stop_source& stop) try {
  const std::stop_token stopped = stop.get_token();
  LAZARET_TRY(const auto wire, connect_(to, Call{Deadline::after(kConnectBound), stopped}));
  const std::jthread writer([&] {
    if (!pass_out(number, *wire, stopped).ok()) (void)stop.request_stop();
  });
  say({Kind::open, number, {}}, stopped);
  (void)pass_in(number, *wire, stopped).ok();
  say({Kind::end, number, {}}, stopped);
  change(number, [](Connection& it) { it.has_ended = true; });
  return {};
} catch (const std::system_error& refused) {
  return Error(Errc::system, std::string("a thread for a connection: ") + refused.what());
}

Status Relay::pass_in(std::uint16_t number, Wire& wire, const std::stop_token& stop) {
  std::array<std::byte, kPiece> piece;
  while (!stop.stop_requested()) {
    LAZARET_TRY(const std::size_t count, wire.read(piece, Call{Deadline::never(), stop}));
    if (count == 0) break;
    say({Kind::data, number, text_of(Bytes(piece).first(count))}, stop);
  }
  return {};
}

Status Relay::pass_out(std::uint16_t number, Wire& wire, const std::stop_token& stop) {
  while (const auto unsent = unsent_of(number, stop)) {
    for (Bytes left = bytes_of(*unsent); !left.empty();) {
      const Bytes piece = left.first(std::min(left.size(), kPiece));
      LAZARET_CHECK(wire.write(piece, Call{Deadline::after(kSendBound), stop}));
      left = left.subspan(piece.size());
    }
  }
  return stop.stop_requested() ? Status() : wire.close_write();
}

// Waits for some; nothing when there will be none.
std::optional<std::string> Relay::unsent_of(std::uint16_t number, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto of_it = [this, number]() -> Connection* {
    const auto found = connections_.find(number);
    return found == connections_.end() ? nullptr : &found->second;
  };
  (void)changed_.wait(lock, stop, [&of_it] {
    const Connection* const it = of_it();
    return it == nullptr || it->has_ended || !it->unsent.empty();
  });
  Connection* const it = of_it();
  if (it == nullptr || it->unsent.empty() || stop.stop_requested()) return std::nullopt;
  return std::exchange(it->unsent, {});
}

void Relay::say(const Frame& frame, const std::stop_token& stop) {
  const std::string_view payload = frame.payload.substr(0, kMostPayload);
  std::unique_lock lock(mutex_);
  // Words of its own keep no program waiting that does not read; what comes from outside waits.
  const auto waits_little = [this] { return said_.size() < kMostWaiting; };
  const bool has_room = stop.stop_possible() ? changed_.wait(lock, stop, waits_little)
                                             : said_.size() < 2 * kMostWaiting;
  if (!has_room) return;
  said_ += static_cast<char>(frame.kind);
  append(said_, frame.number);
  append(said_, payload.size());
  said_ += payload;
  changed_.notify_all();
}

std::string Relay::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [this] { return is_broken_ || !said_.empty(); }) || is_broken_)
    return "";
  changed_.notify_all();
  return std::exchange(said_, {});
}

std::optional<Error> Relay::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

// Their threads have nothing more to do than to end.
void Relay::forget_ended() {
  std::vector<Connection> ended;
  const std::scoped_lock lock(mutex_);
  for (auto next = connections_.begin(); next != connections_.end();) {
    const auto entry = next++;
    if (!entry->second.is_over) continue;
    ended.push_back(std::move(entry->second));
    connections_.erase(entry);
  }
}

}  // namespace lazaret::core
