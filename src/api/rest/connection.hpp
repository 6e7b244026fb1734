#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>

#include "api/rest/arriving_body.hpp"
#include "api/rest/events.hpp"
#include "api/rest/hall.hpp"
#include "api/rest/message.hpp"
#include "api/rest/names.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/visitor.hpp"

namespace lazaret::rest {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;

/// One client's connection: requests one after the other, each within its bounds. It reads all the
/// time, up to a bound, so that a client's going away is noticed while an answer is being made.
/// `Stream` is a socket, or TLS over one. What it says is in connection_answer.hpp, what it takes
/// meanwhile in connection_upload.hpp.
template <typename Stream>
class Connection final : public Visitor,
                         public Guest,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, Hall& hall, Gate gate)
      : stream_(std::move(stream)), timer_(hall.desk.loop), hall_(hall), gate_(std::move(gate)) {
    hall_.guests.insert(this);
  }
  ~Connection() override {
    release_body();
    hall_.guests.erase(this);
  }

  void start() {
    await_request();
    read();
  }

  const Request& request() const override { return request_; }
  void when_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
  bool has_left() const override { return state_ == State::closed; }
  void answer(Answer answer) override;
  void stream(std::shared_ptr<Run> run) override;
  std::shared_ptr<Channel> download(std::string type) override;
  void upgrade() override;
  void see_out() override {
    last_ = true;
    if (state_ == State::reading || state_ == State::inviting) close();
  }
  void give_up() override {
    if (state_ == State::answering || (state_ == State::streaming && download_)) gone();
  }

 private:
  enum class State { reading, inviting, answering, streaming, writing, lingering, closed };
  static constexpr std::size_t kReadBytes = 16UL << 10;
  static constexpr std::size_t kMostAheadBytes = 64UL << 10;
  static constexpr std::chrono::seconds kLinger{2};
  using Parser = http::request_parser<ArrivingBody>;

  void await_request();
  void read();
  void take(const error_code& error, std::size_t count);
  void advance();
  [[nodiscard]] bool parse();
  [[nodiscard]] std::optional<Problem> judge_head();
  [[nodiscard]] std::optional<Problem> judge_sender(std::string_view query, bool has_body);
  [[nodiscard]] std::optional<Problem> judge_body();
  void invite();
  void invited(const error_code& error);
  void serve();
  void feed();
  void moved();
  [[nodiscard]] std::function<void()> waker();
  void reject(const Problem& problem);
  void write();
  void written(const error_code& error);
  void pump();
  void begin_stream(const std::string& type, std::string first);
  void begin_download();
  void send(std::string text);
  void send_piece();
  void sent(const error_code& error, std::size_t count);
  void beat();
  void next_request();
  void linger();
  void gone();
  void close();
  void bound(std::chrono::seconds span, void (Connection::*late)());
  // WHY not cancel(): it comes too late for a handler that is queued, which looks at the time.
  void unbound() { timer_.expires_at(asio::steady_timer::time_point::max()); }
  void late_request();
  void late_upload();
  void count(unsigned status) {
    hall_.desk.metrics.count_request(route_ == nullptr ? "" : route_->path, status);
  }
  void release_body() { hall_.bodies_bytes -= std::exchange(body_bytes_, 0); }

  [[nodiscard]] const Bounds& bounds() const { return hall_.desk.bounds; }
  auto& socket() { return boost::beast::get_lowest_layer(stream_); }
  auto self() { return this->shared_from_this(); }

  Stream stream_;
  asio::steady_timer timer_;
  Hall& hall_;
  Gate gate_;
  boost::beast::flat_buffer input_{kMostAheadBytes};
  std::array<char, kReadBytes> arriving_{};  // apart: input_ moves while a read is under way
  std::optional<Parser> parser_;
  Request request_;
  const Route* route_ = nullptr;  // null where there is none
  std::optional<Problem> refusal_;
  std::function<void()> gone_;
  bool is_streamed_ = false;           // the body goes on while it comes
  std::shared_ptr<Channel> upload_;    // shared with who takes it
  std::shared_ptr<Channel> download_;  // shared with who sends it
  std::string download_type_;
  std::optional<EventText> events_;
  std::string text_;         // of them, on its way
  asio::const_buffer left_;  // of it, not yet taken
  std::optional<Message> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  State state_ = State::reading;
  std::size_t head_bytes_ = 0;  // that the parser has taken
  std::size_t body_bytes_ = 0;  // in the hall's count
  bool said_all_ = false;       // of a stream
  bool sending_ = false;        // a piece of a stream is under way
  bool reading_ = false;        // a read is under way
  bool begun_ = false;          // something of the next request has been seen
  bool last_ = false;           // no request is read after this one
};

template <typename Stream>
void Connection<Stream>::await_request() {
  state_ = State::reading;
  begun_ = false;
  head_bytes_ = 0;
  parser_.emplace();
  parser_->header_limit(kMostAheadBytes);  // ours, which is exact, comes before
  parser_->body_limit(boost::none);        // which the route decides
  is_streamed_ = false;
  request_ = {};
  route_ = nullptr;
  refusal_.reset();
  request_.id = new_id();
  bound(bounds().idle, &Connection::close);
}

template <typename Stream>
void Connection<Stream>::read() {
  if (reading_ || state_ == State::closed || input_.size() + kReadBytes > kMostAheadBytes) return;
  reading_ = true;
  stream_.async_read_some(asio::buffer(arriving_),
                          [self = self()](const error_code& error, std::size_t count) {
                            self->reading_ = false;
                            self->take(error, count);
                          });
}

template <typename Stream>
void Connection<Stream>::take(const error_code& error, std::size_t count) {
  if (state_ == State::closed) return;
  if (error) return gone();
  input_.commit(asio::buffer_copy(input_.prepare(count), asio::buffer(arriving_, count)));
  if (state_ == State::lingering) input_.clear();
  if (state_ == State::reading) advance();
  feed();
  read();
}

template <typename Stream>
void Connection<Stream>::advance() {
  if (input_.size() > 0 && !std::exchange(begun_, true))
    bound(bounds().request, &Connection::late_request);
  if (parse()) serve();
}

// Whether a request is there, whole but for a body that is streamed; one that cannot be is answered
// here.
template <typename Stream>
bool Connection<Stream>::parse() {
  if (is_streamed_) return true;
  while (input_.size() > 0 && !parser_->is_done()) {
    error_code error;
    const bool had_head = parser_->is_header_done();
    const std::size_t used = parser_->put(input_.data(), error);
    input_.consume(used);
    if (!had_head) head_bytes_ += used;
    const bool more = !parser_->is_header_done();
    if (head_bytes_ + (more ? input_.size() : 0) > bounds().head_bytes)
      return reject({431, "head_too_large", "the header fields are too long"}), false;
    if (error == http::error::need_more) return false;
    if (error) return reject({400, "malformed", "this is not HTTP: " + error.message()}), false;
    if (had_head || !parser_->is_header_done()) continue;
    if (const auto problem = judge_head()) return reject(*problem), false;
    parser_->eager(true);
    if (body_bytes_ > 0 && input_.size() == 0 &&
        boost::beast::iequals(parser_->get()[http::field::expect], "100-continue"))
      return invite(), false;
    if (is_streamed_) return true;
  }
  return parser_->is_done();
}

// Before any of the body is taken. A refusal without one leaves the connection as it is.
template <typename Stream>
std::optional<Problem> Connection<Stream>::judge_head() {
  const auto& head = parser_->get();
  const auto id = head[kRequestId];
  if (is_request_id({id.data(), id.size()})) request_.id = std::string(id);
  request_.method = std::string(head.method_string());
  const std::string_view target(head.target().data(), head.target().size());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request_.path = target.substr(0, mark);
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  request_.accept = std::string(head[http::field::accept]);
  request_.takes_chunks = head.version() >= 11;
  request_.content_type = std::string(head[http::field::content_type]);
  request_.version = std::string(head["Lazaret-Version"]);
  request_.configuration = std::string(head["Lazaret-Configuration"]);
  const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
  refusal_ = judge_sender(query, has_body);
  if (refusal_) return has_body ? refusal_ : std::nullopt;
  return judge_body();
}

// One that is streamed takes the room of what waits for who takes it.
template <typename Stream>
std::optional<Problem> Connection<Stream>::judge_body() {
  const std::string_view type(request_.content_type);
  is_streamed_ =
      !route_->streams.empty() &&
      boost::beast::iequals(type.substr(0, type.find(';')), route_->streams);
  std::uint64_t length = parser_->content_length().value_or(0);
  if (is_streamed_)
    length = Channel::kMostBytes;
  else if (parser_->chunked())
    return Problem{411, "length_required", "a request says its Content-Length"};
  if (length > bounds().body_bytes) return Problem{413, "body_too_large", "the body is too long"};
  if (hall_.bodies_bytes + length > bounds().bodies_bytes) return Hall::busy();
  body_bytes_ = length;
  hall_.bodies_bytes += length;
  return std::nullopt;
}

// Finds the route, and what is said to it. Whoever is not let in sends no body, whatever it is for.
template <typename Stream>
std::optional<Problem> Connection<Stream>::judge_sender(std::string_view query, bool has_body) {
  const auto authorization = parser_->get()[http::field::authorization];
  const auto stranger = gate_({authorization.data(), authorization.size()});
  Problem missing{};
  route_ = route_of(request_, missing);
  const bool for_anyone = route_ != nullptr && route_->access == Access::anyone && !has_body;
  if (stranger && !for_anyone) return stranger;
  if (route_ == nullptr) return missing;
  auto named = parameters_of(query, route_->query);
  if (!named.ok()) return Problem{400, "bad_request", named.error().message()};
  request_.query = std::move(named).value();
  return std::nullopt;
}

// The client holds its body back until it is asked for (RFC 9110, 10.1.1).
template <typename Stream>
void Connection<Stream>::invite() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  state_ = State::inviting;
  bound(bounds().write, &Connection::close);
  asio::async_write(
      stream_, asio::buffer(kContinue),
      [self = self()](const error_code& error, std::size_t) { self->invited(error); });
}

template <typename Stream>
void Connection<Stream>::invited(const error_code& error) {
  if (state_ == State::closed) return;
  if (error) return close();
  state_ = State::reading;
  bound(bounds().request, &Connection::late_request);
  advance();
  read();
}

template <typename Stream>
void Connection<Stream>::serve() {
  unbound();
  state_ = State::answering;
  last_ = last_ || !parser_->keep_alive();
  if (refusal_) return refuse(*refusal_);
  if (is_streamed_)
    request_.upload = upload_ = std::make_shared<Channel>(waker());
  else
    request_.body = std::move(parser_->get().body());
  route_->serve(hall_.desk, self());
  feed();
}

// What follows on this connection cannot be understood any more.
template <typename Stream>
void Connection<Stream>::reject(const Problem& problem) {
  unbound();
  last_ = true;
  state_ = State::answering;
  refuse(problem);
}

// Closing with unread bytes would reset the connection and take the answer with it (RFC 9112, 9.6).
template <typename Stream>
void Connection<Stream>::linger() {
  state_ = State::lingering;
  error_code ignored;
  socket().shutdown(asio::socket_base::shutdown_send, ignored);
  input_.clear();
  bound(kLinger, &Connection::close);
  read();
}

template <typename Stream>
void Connection<Stream>::gone() {
  if (const auto gone = std::exchange(gone_, nullptr)) gone();
  close();
}

template <typename Stream>
void Connection<Stream>::close() {
  state_ = State::closed;
  unbound();
  error_code ignored;
  socket().close(ignored);
}

template <typename Stream>
void Connection<Stream>::bound(std::chrono::seconds span, void (Connection::*late)()) {
  timer_.expires_after(span);
  timer_.async_wait([weak = this->weak_from_this(), late](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error && self->timer_.expiry() <= std::chrono::steady_clock::now())
      ((*self).*late)();
  });
}

template <typename Stream>
void Connection<Stream>::late_request() {
  reject({408, "request_timeout", "the request did not arrive in time"});
}

}  // namespace lazaret::rest
