#pragma once

#include <functional>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/rest/hall.hpp"
#include "os/handle.hpp"

namespace lazaret::rest {

/// Takes connections in at one listening socket, which it borrows, as long as there is room.
class Door {
 public:
  /// Makes a connection of a fresh socket.
  using Welcome = std::function<void(os::Handle stream)>;

  Door(Hall& hall, os::RawHandle listener, Welcome welcome);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door() { (void)listener_.release(); }

  void open();
  void shut();

 private:
  using Listener = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

  void accept();
  void pause();
  void turn_away(const os::Handle& stream);

  Hall& hall_;
  Listener listener_;
  boost::asio::steady_timer timer_;
  Welcome welcome_;
  bool shut_ = false;
};

}  // namespace lazaret::rest
