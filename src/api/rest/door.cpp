#include "api/rest/door.hpp"

#include <boost/beast/http/write.hpp>
#include <sstream>
#include <utility>

#include "api/rest/message.hpp"
#include "api/rest/names.hpp"
#include "api/rest/native.hpp"
#include "os/listen.hpp"
#include "os/pipe.hpp"

namespace lazaret::rest {
namespace {

constexpr std::chrono::milliseconds kPause{100};
// What the next one is told when there is no room for a connection that could make an answer.
std::string full_house() {
  const std::string id = new_id();
  Answer answer =
      answer_of({503, "too_many_connections", "as many clients as may are here",
                 "start the daemon with more --connections", std::chrono::seconds(1)},
                id);
  answer.headers.emplace_back(kRequestId, id);
  std::ostringstream text;
  text << message_of(answer, Farewell::close);
  return text.str();
}

}  // namespace

Door::Door(Hall& hall, os::RawHandle listener, Welcome welcome)
    : hall_(hall),
      listener_(hall.desk.loop, {AF_UNIX, 0}, native(listener)),
      timer_(hall.desk.loop),
      welcome_(std::move(welcome)) {}

void Door::open() {
  listener_.async_wait(Listener::wait_read, [this](const boost::system::error_code& error) {
    if (!error && !shut_) accept();
  });
}

void Door::accept() {
  auto stream = os::accept_now(handle_of(listener_.native_handle()));
  if (!stream.ok()) return pause();
  if (*stream && hall_.guests.size() < hall_.seats)
    welcome_(std::move(**stream));
  else if (*stream)
    turn_away(**stream);
  open();
}

// To somebody who waits for the other side of a handshake it would be noise.
void Door::turn_away(const os::Handle& stream) {
  hall_.desk.metrics.count_turned_away();
  if (!hall_.speaks_tls) (void)os::write_now(stream.get(), bytes_of(full_house())).ok();
}

// No descriptor is free: one will be when a connection ends.
void Door::pause() {
  timer_.expires_after(kPause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !shut_) open();
  });
}

void Door::shut() {
  shut_ = true;
  timer_.cancel();
  listener_.cancel();
}

}  // namespace lazaret::rest
