#include "integration/engine_proxy.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "os/listen.hpp"
#include "os/pipe.hpp"
#include "os/wire.hpp"

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";
constexpr std::size_t kPassedBytes = 1UL << 20;  // kept of what went to the engine

Call until(std::stop_token stop) { return {Deadline::never(), std::move(stop)}; }

std::string all_of(const Fault& fault) {
  std::string text = fault.say;
  for (int count = 0; count < fault.tails; ++count) text += fault.tail;
  return text;
}

// More bytes from a wire behind `text`; false at its end.
bool read_more(Wire& wire, std::string& text, const Call& call) {
  std::array<std::byte, 65536> buffer{};
  const auto count = wire.read(buffer, call);
  if (!count.ok() || *count == 0) return false;
  text += text_of(Bytes(buffer).first(*count));
  return true;
}

std::string_view head_of(std::string_view request) {
  const std::size_t end = request.find(kEndOfHead);
  return end == request.npos ? std::string_view() : request.substr(0, end + kEndOfHead.size());
}

bool is_whole(std::string_view request) {
  const std::string_view head = head_of(request);
  if (head.empty()) return false;
  if (head.find("chunked") != head.npos) return request.ends_with(kLastChunk);
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t at = head.find(kLength);
  if (at == head.npos) return true;
  return request.size() - head.size() >= std::stoul(std::string(head.substr(at + kLength.size())));
}

bool is_like(const std::string& line, const std::string& at) {
  const std::size_t space = at.find(' ');
  return space != at.npos && line.starts_with(at.substr(0, space + 1)) &&
         line.find(at.substr(space + 1), space) != line.npos;
}

}  // namespace

// One client, and the engine if the client is to reach it.
struct EngineProxy::Connection {
  std::shared_ptr<Stroke> stroke = std::make_shared<Stroke>();  // first: it goes last
  std::unique_ptr<Wire> client;
  std::unique_ptr<Wire> engine = nullptr;
  std::string request = {};
  Call call = {};
};

// What the client is given of an answer, piece by piece.
class EngineProxy::Answer {
 public:
  Answer(Wire& client, const Fault& fault, const Call& call)
      : client_(client), fault_(fault), call_(call), cut_(!fault.at.empty() && !fault.change) {}

  /// Takes the next piece; false when the connection is over.
  [[nodiscard]] bool take(std::string_view piece) {
    if (fault_.change) return keep(piece);
    return cut_ ? spoil(piece) : pass(piece);
  }
  /// All of it has come; false when the client is to know.
  [[nodiscard]] bool end() {
    if (fault_.change) (void)send(fault_.change(std::exchange(got_, {})));
    return !cut_ && fault_.then == Then::silence;
  }

 private:
  bool keep(std::string_view piece) {
    got_ += piece;
    return true;
  }
  bool pass(std::string_view piece) { return fault_.then == Then::silence || send(piece); }
  bool spoil(std::string_view piece) {
    got_ += piece;
    const std::size_t found = got_.find(fault_.after);
    const std::size_t most =
        found == got_.npos ? got_.size() : found + fault_.after.size() + fault_.bytes;
    const std::size_t until = std::min(most, got_.size());
    if (!send(std::string_view(got_).substr(sent_, until - sent_))) return false;
    sent_ = until;
    if (found == got_.npos || got_.size() < most) return true;
    cut_ = false;
    if (!send(all_of(fault_)) || fault_.then == Then::hang_up) return false;
    return pass(std::string_view(got_).substr(sent_));
  }
  bool send(std::string_view text) {
    const std::size_t step = fault_.one_by_one ? 1 : kPassedBytes;
    for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
      if (!client_.write(bytes_of(text.substr(0, step)), call_).ok()) return false;
    }
    return true;
  }

  Wire& client_;
  const Fault& fault_;
  const Call call_;
  bool cut_;  // the fault is still to come
  std::string got_;
  std::size_t sent_ = 0;
};

EngineProxy::EngineProxy(const std::string& endpoint)
    : engine_(endpoint.substr(std::string_view("unix://").size())),
      path_(folder_.path() + "/engine.sock") {
  open_door();
  server_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

EngineProxy::~EngineProxy() {
  server_.request_stop();
  server_.join();
  for (std::jthread& connection : connections_) connection.request_stop();
}

void EngineProxy::open_door() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), std::min(path_.size(), sizeof address.sun_path - 1));
  ::unlink(path_.c_str());
  os::Handle door(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::bind(door.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(door.get(), 64) != 0)
    std::abort();
  door_.with([&door](os::Handle& current) { current = std::move(door); });
}

// Whoever connects from now on is refused, although the socket may still be there (unix(7)).
void EngineProxy::close_door(Door door) {
  if (door == Door::open) return;
  door_.with([](const os::Handle& current) { ::shutdown(current.get(), SHUT_RDWR); });
  if (door == Door::vanish) ::unlink(path_.c_str());
}

void EngineProxy::meet(Fault fault) {
  state_.with([&fault](State& state) {
    state.fault = std::move(fault);
    state.seen = state.met = 0;
  });
}

void EngineProxy::heal() {
  const bool closed = state_.with([](State& state) {
    return std::exchange(state.fault, {}).door != Door::open && state.met > 0;
  });
  if (closed) open_door();
}

int EngineProxy::strike(const std::string& at, Then then) {
  const auto struck = state_.with([&](State& state) {
    std::vector<std::weak_ptr<Stroke>> like;
    for (const auto& live : state.live) {
      const auto stroke = live.lock();
      if (!stroke || !is_like(stroke->line, at)) continue;
      stroke->is_silent = then == Then::silence;
      if (then == Then::hang_up) stroke->over.request_stop();
      like.push_back(live);
    }
    return like;
  });
  for (const auto& each : struck) {
    if (then == Then::hang_up && !becomes_true(10s, [&each] { return each.expired(); })) return -1;
  }
  return static_cast<int>(struck.size());
}

int EngineProxy::met() {
  return state_.with([](const State& state) { return state.met; });
}

bool EngineProxy::has_passed(std::string_view text) {
  return state_.with([text](const State& state) { return state.passed.find(text) != text.npos; });
}

std::vector<std::string> EngineProxy::requests() {
  return state_.with([](const State& state) { return state.requests; });
}

void EngineProxy::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto raw = door_.with([](const os::Handle& door) { return door.get(); });
    std::array watches = {os::Watch{raw, true, false}};
    (void)os::wait_ready(watches, until(stop).within(20ms)).ok();
    auto client = door_.with([](const os::Handle& door) { return os::accept_now(door.get()); });
    if (!client.ok()) (void)os::wait_ready({}, until(stop).within(5ms)).ok();  // it is closed
    if (!client.ok() || !*client) continue;
    connections_.emplace_back(
        [this, stream = std::move(**client)](const std::stop_token& end) mutable {
          carry(std::move(stream), end);
        });
  }
}

Fault EngineProxy::fault_of(const std::string& line) {
  return state_.with([&line](State& state) {
    state.requests.push_back(line);
    if (!is_like(line, state.fault.at)) return Fault{};
    const int number = ++state.seen;
    const Fault& fault = state.fault;
    if (number < fault.from || number >= fault.from + fault.times) return Fault{};
    ++state.met;
    return fault;
  });
}

void EngineProxy::carry(os::Handle client, const std::stop_token& stop) {
  Connection connection{.client = os::wire_over(std::move(client)), .call = until(stop)};
  std::string& request = connection.request;
  while (head_of(request).empty()) {
    if (!read_more(*connection.client, request, connection.call)) return;
  }
  connection.stroke->line = request.substr(0, request.find("\r\n"));
  const Fault fault = fault_of(connection.stroke->line);
  close_door(fault.door);
  if (fault.late.count() > 0) (void)os::wait_ready({}, connection.call.within(fault.late)).ok();
  if (fault.heard != Heard::nothing) return forward(connection, fault);
  while (!is_whole(request)) {
    if (!read_more(*connection.client, request, connection.call)) return;
  }
  Answer answer(*connection.client, fault, connection.call);
  if (!answer.take("")) return;
  while (read_more(*connection.client, request, connection.call)) request.clear();
}

void EngineProxy::forward(Connection& connection, const Fault& fault) {
  auto engine = os::connect_unix(engine_, connection.call.within(5s));
  if (!engine.ok()) return;
  connection.engine = std::move(engine).value();
  if (!connection.engine->write(bytes_of(connection.request), connection.call).ok()) return;
  std::stop_source& over = connection.stroke->over;
  state_.with([&connection](State& state) { state.live.push_back(connection.stroke); });
  const std::stop_callback stopped(connection.call.stop, [&over] { over.request_stop(); });
  const Call call = until(over.get_token());
  std::jthread up([this, &connection, &fault, &call] { pump_up(connection, fault.heard, call); });
  Answer answer(*connection.client, fault, call);
  std::string piece, first;
  bool wanted = true;
  while (wanted && read_more(*connection.engine, piece, call)) {
    if (first.empty()) first = piece.substr(0, piece.find("\r\n"));
    if (!connection.stroke->is_silent) wanted = answer.take(piece);
    piece.clear();
  }
  state_.with(
      [&](State& state) { state.dialogue.push_back(connection.stroke->line + ": " + first); });
  // Where the client is to hear nothing, it is waited for until it leaves.
  if (!wanted || !answer.end()) over.request_stop();
}

// Until the client leaves: what it sends behind its request.
void EngineProxy::pump_up(Connection& connection, Heard heard, const Call& call) {
  std::string piece;
  while (read_more(*connection.client, piece, call)) {
    if (heard == Heard::all && !connection.stroke->is_silent) {
      note_passed(piece);
      if (!connection.engine->write(bytes_of(piece), call).ok()) return;
    }
    piece.clear();
  }
  if (heard == Heard::all) (void)connection.engine->close_write().ok();
}

void EngineProxy::note_passed(std::string_view piece) {
  state_.with([piece](State& state) {
    state.passed += piece.substr(0, kPassedBytes - std::min(kPassedBytes, state.passed.size()));
  });
}

std::vector<std::string> EngineProxy::dialogue() {
  return state_.with([](const State& state) { return state.dialogue; });
}

std::string http_answer(int status, const std::string& body, const std::string& headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace lazaret::test
