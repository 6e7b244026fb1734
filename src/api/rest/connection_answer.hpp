#pragma once

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <sstream>

#include "api/rest/connection.hpp"
#include "api/rest/dialogue.hpp"

/// What a connection says: an answer, the events of a run, a download, or that it becomes a
/// WebSocket.
namespace lazaret::rest {

[[nodiscard]] inline std::string chunk_of(std::string_view text) {
  return boost::beast::buffers_to_string(http::make_chunk(asio::buffer(text.data(), text.size())));
}

template <typename Stream>
void Connection<Stream>::answer(Answer answer) {
  if (state_ != State::answering) return;
  gone_ = nullptr;
  state_ = State::writing;
  if (upload_ && !parser_->is_done()) last_ = true;  // nobody reads the rest of the body
  upload_ = download_ = nullptr;
  count(answer.status);
  answer.headers.emplace_back(kRequestId, request_.id);
  response_ = message_of(std::move(answer), last_ ? Farewell::close : Farewell::keep);
  if (request_.method == "HEAD") response_->body().clear();  // its length stays (RFC 9110, 9.3.2)
  serializer_.emplace(*response_);
  write();
}

template <typename Stream>
void Connection<Stream>::write() {
  bound(bounds().write, &Connection::gone);
  http::async_write_some(
      stream_, *serializer_,
      [self = self()](const error_code& error, std::size_t) { self->written(error); });
}

template <typename Stream>
void Connection<Stream>::written(const error_code& error) {
  if (state_ == State::closed) return;
  if (error) return close();
  if (!serializer_->is_done()) return write();
  serializer_.reset();
  response_.reset();
  next_request();
}

template <typename Stream>
void Connection<Stream>::next_request() {
  release_body();
  if (last_) return linger();
  await_request();
  advance();
  read();
}

template <typename Stream>
void Connection<Stream>::stream(std::shared_ptr<Run> run) {
  if (state_ != State::answering) return;
  state_ = State::streaming;
  count(200);
  gone_ = [&runs = hall_.desk.runs, run] {
    run->changed = nullptr;
    runs.cancel(run);
  };
  run->changed = [weak = this->weak_from_this()] {
    if (const auto self = weak.lock()) self->pump();
  };
  events_.emplace(std::move(run));
  begin_stream(std::string(kEventType), "");
}

template <typename Stream>
std::shared_ptr<Channel> Connection<Stream>::download(std::string type) {
  download_type_ = std::move(type);
  download_ = std::make_shared<Channel>(waker());
  return download_;
}

// Of one that fails before there is something to say its error is the answer.
template <typename Stream>
void Connection<Stream>::begin_download() {
  auto first = download_->next();
  if (!first) return;
  state_ = State::streaming;
  count(200);
  said_all_ = request_.method == "HEAD";
  if (said_all_) download_->fail(Error(Errc::cancelled, "only the head was asked for"));
  if (said_all_ && gone_) std::exchange(gone_, nullptr)();  // who gives it may wait for its client
  begin_stream(download_type_, said_all_ ? "" : chunk_of(*first));
}

template <typename Stream>
void Connection<Stream>::begin_stream(const std::string& type, std::string first) {
  http::response<http::empty_body> head(http::status::ok, 11);
  head.set(http::field::server, "lazaret/" LAZARET_VERSION);
  head.set(http::field::content_type, type);
  head.set(http::field::cache_control, "no-store");
  head.set(kRequestId, request_.id);
  head.chunked(true);
  head.keep_alive(!last_);
  std::ostringstream text;
  text << head.base() << first;
  send(text.str());
}

template <typename Stream>
void Connection<Stream>::send(std::string text) {
  text_ = std::move(text);
  left_ = asio::buffer(text_);
  send_piece();
}

// Each within the bound: the whole may be as long as a result.
template <typename Stream>
void Connection<Stream>::send_piece() {
  sending_ = true;
  bound(bounds().write, &Connection::gone);
  stream_.async_write_some(
      asio::buffer(left_, Bounds::kPieceBytes),
      [self = self()](const error_code& error, std::size_t count) { self->sent(error, count); });
}

template <typename Stream>
void Connection<Stream>::sent(const error_code& error, std::size_t count) {
  sending_ = false;
  if (state_ == State::closed) return;
  if (error) return gone();
  left_ += count;
  if (left_.size() > 0) return send_piece();
  pump();
}

template <typename Stream>
void Connection<Stream>::pump() {
  if (state_ != State::streaming || sending_) return;
  if (std::exchange(said_all_, false)) {
    events_.reset();
    download_ = nullptr;
    gone_ = nullptr;
    return next_request();
  }
  if (download_ && download_->failed()) return linger();  // without its end
  const auto piece = events_ ? events_->next() : download_->next();
  said_all_ = events_ ? events_->over() : download_->over();
  const bool beats = events_ || download_type_ == kEventType;
  if (!piece && !said_all_) return beats ? bound(bounds().beat, &Connection::beat) : unbound();
  if (said_all_) gone_ = nullptr;
  send((piece ? chunk_of(*piece) : "") +
       (said_all_ ? boost::beast::buffers_to_string(http::make_chunk_last()) : ""));
}

// A client that is half open is found by writing to it.
template <typename Stream>
void Connection<Stream>::beat() {
  if (!sending_) send(chunk_of(":\n\n"));
}

template <typename Stream>
void Connection<Stream>::upgrade() {
  if (!boost::beast::websocket::is_upgrade(parser_->get()))
    return refuse({426, "upgrade_required", "this is a WebSocket (RFC 6455)"});
  if (reading_ || input_.size() > 0)
    return refuse({400, "bad_request", "a WebSocket says nothing before its handshake's end"});
  state_ = State::closed;
  count(101);
  std::make_shared<Dialogue<Stream>>(std::move(stream_), hall_, request_.id)
      ->start(parser_->release());
}

}  // namespace lazaret::rest
