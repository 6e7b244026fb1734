#pragma once

#include <boost/asio/post.hpp>

#include "api/rest/connection.hpp"

/// What a connection takes while its request is served already: a body that is streamed.
namespace lazaret::rest {

// What has come of a body that is streamed goes on, as far as there is room.
template <typename Stream>
void Connection<Stream>::feed() {
  if (!upload_ || state_ != State::answering) return;
  error_code error;
  while (input_.size() > 0 && !parser_->is_done() && !error && upload_->has_room()) {
    input_.consume(parser_->put(input_.data(), error));
    upload_->put(std::exchange(parser_->get().body(), {}));
  }
  if (error && error != http::error::need_more)
    return upload_->fail(Error(Errc::invalid_argument, "the body is not HTTP: " + error.message()));
  if (parser_->is_done()) upload_->end();
  if (parser_->is_done() || !upload_->has_room()) return unbound();
  bound(bounds().request, &Connection::late_upload);
}

// Somebody has taken of what was fed to him, or has something to say.
template <typename Stream>
void Connection<Stream>::moved() {
  feed();
  read();
  if (state_ == State::answering && download_) begin_download();
  pump();
}

// For a channel, on whose worker's thread it is called.
template <typename Stream>
std::function<void()> Connection<Stream>::waker() {
  return [&loop = hall_.desk.loop, weak = this->weak_from_this()] {
    asio::post(loop, [weak] {
      if (const auto self = weak.lock()) self->moved();
    });
  };
}

template <typename Stream>
void Connection<Stream>::late_upload() {
  upload_->fail(Error(Errc::timed_out, "the body did not arrive in time"));
  late_request();
}

}  // namespace lazaret::rest
