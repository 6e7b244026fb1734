#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "api/rest/arriving_body.hpp"
#include "api/rest/events.hpp"
#include "api/rest/hall.hpp"
#include "api/rest/names.hpp"
#include "api/rest/talk.hpp"

namespace lazaret::rest {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;

/// One run over a WebSocket: what the client says is Talk's to understand, what the run says goes
/// out as fast as the client takes it.
template <typename Stream>
class Dialogue final : public Guest, public std::enable_shared_from_this<Dialogue<Stream>> {
 public:
  using Upgrade = boost::beast::http::request<ArrivingBody>;
  using error_code = boost::beast::error_code;

  Dialogue(Stream stream, Hall& hall, std::string request_id)
      : socket_(std::move(stream)),
        timer_(hall.desk.loop),
        hall_(hall),
        request_id_(std::move(request_id)),
        talk_(hall.desk, request_id_) {
    hall_.guests.insert(this);
  }
  ~Dialogue() override {
    release();
    hall_.bodies_bytes -= order_bytes_;
    hall_.guests.erase(this);
  }

  void start(const Upgrade& upgrade) {
    websocket::stream_base::timeout timeout{hall_.desk.bounds.request, hall_.desk.bounds.idle,
                                            true};
    socket_.set_option(timeout);
    const auto decorate = [id = request_id_](websocket::response_type& response) {
      response.set(boost::beast::http::field::server, "lazaret/" LAZARET_VERSION);
      response.set(kRequestId, id);
    };
    socket_.set_option(websocket::stream_base::decorator(decorate));
    socket_.read_message_max(hall_.desk.bounds.body_bytes);
    socket_.auto_fragment(false);
    talk_.when_changed([weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->pump();
    });
    socket_.async_accept(upgrade, [self = this->shared_from_this()](const error_code& error) {
      if (error) return self->close();
      self->bound(self->hall_.desk.bounds.request, &Dialogue::late_order);
      self->read();
    });
  }

  void see_out() override {
    if (!talk_.begun()) close();
  }
  void give_up() override { see_out(); }

 private:
  void read() {
    socket_.async_read_some(
        input_, 0, [self = this->shared_from_this()](const error_code& error, std::size_t count) {
          self->take(error, count);
        });
  }

  void take(const error_code& error, std::size_t count) {
    if (error) return close();
    held_bytes_ += count;
    hall_.bodies_bytes += count;
    if (hall_.bodies_bytes > hall_.desk.bounds.bodies_bytes) talk_.complain(Hall::busy());
    if (talk_.complained())
      let_go();
    else if (socket_.is_message_done())
      hear();
    pump();
    read();
  }

  // Until we have said something, which is our answer to the first message.
  void late_order() {
    talk_.complain({408, "request_timeout", "no run was asked for in time"});
    pump();
  }

  // An order is held until its run has ended, and counts until we part.
  void hear() {
    const std::string message = boost::beast::buffers_to_string(input_.data());
    const bool is_order = !talk_.begun();
    if (is_order) order_bytes_ += std::exchange(held_bytes_, 0);
    let_go();
    if (is_order) input_.shrink_to_fit();  // what comes next is short
    talk_.hear(message, socket_.got_text() ? Talk::Kind::text : Talk::Kind::binary);
  }

  void let_go() {
    input_.clear();
    release();
  }

  void pump() {
    if (writing_ || closing_) return;
    auto next = talk_.next();
    if (!next) {
      if (talk_.over()) finish();
      return;
    }
    writing_ = true;
    output_ = std::move(next->text);
    left_ = asio::buffer(output_);
    socket_.text(next->kind == Talk::Kind::text);
    write();
  }

  // Piece by piece, each within the bound: a message may be as long as a result.
  void write() {
    const asio::const_buffer piece = asio::buffer(left_, Bounds::kPieceBytes);
    left_ += piece.size();
    bound(hall_.desk.bounds.write, &Dialogue::close);
    socket_.async_write_some(left_.size() == 0, piece,
                             [self = this->shared_from_this()](
                                 const error_code& error, std::size_t) { self->written(error); });
  }

  void written(const error_code& error) {
    if (!error && left_.size() > 0) return write();
    writing_ = false;
    unbound();
    if (error) return close();
    pump();
  }

  void finish() {
    closing_ = true;
    bound(hall_.desk.bounds.write, &Dialogue::close);
    socket_.async_close(websocket::close_code::normal,
                        [self = this->shared_from_this()](const error_code&) { self->close(); });
  }

  void close() {
    closing_ = true;
    talk_.leave();
    unbound();
    error_code ignored;
    boost::beast::get_lowest_layer(socket_).close(ignored);
  }

  void bound(std::chrono::seconds span, void (Dialogue::*late)()) {
    timer_.expires_after(span);
    timer_.async_wait([weak = this->weak_from_this(), late](const error_code& error) {
      const auto self = weak.lock();
      if (self && !error && self->timer_.expiry() <= std::chrono::steady_clock::now())
        ((*self).*late)();
    });
  }

  // As in Connection: a handler that is queued looks at the time.
  void unbound() { timer_.expires_at(asio::steady_timer::time_point::max()); }

  void release() { hall_.bodies_bytes -= std::exchange(held_bytes_, 0); }

  websocket::stream<Stream> socket_;
  asio::steady_timer timer_;
  Hall& hall_;
  const std::string request_id_;
  Talk talk_;
  boost::beast::flat_buffer input_;
  std::string output_;
  asio::const_buffer left_;     // of it, not yet on its way
  std::size_t held_bytes_ = 0;   // in the hall's count
  std::size_t order_bytes_ = 0;  // likewise
  bool writing_ = false;
  bool closing_ = false;
};

}  // namespace lazaret::rest
