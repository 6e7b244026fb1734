#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "api/rest/answer.hpp"
#include "api/rest/desk.hpp"

namespace lazaret::rest {

/// Decides by a request's Authorization field whether it is let in; nothing means yes.
using Gate = std::function<std::optional<Problem>(std::string_view authorization)>;

/// One connection, as the hall sees it.
class Guest {
 public:
  Guest() = default;
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  virtual ~Guest() = default;
  /// No further request is read; one that has been read is still answered.
  virtual void see_out() = 0;
  /// No answer is waited for any longer; one that is being written still is.
  virtual void give_up() = 0;
};

/// Connections of one kind and what they share, so that those of one take no room from those of
/// another. Lives on the loop's thread.
struct Hall {
  Hall(Desk& its_desk, std::size_t its_seats) : desk(its_desk), seats(its_seats) {}

  Desk& desk;
  const std::size_t seats;  ///< for guests
  bool speaks_tls = false;
  std::set<Guest*> guests = {};
  std::size_t bodies_bytes = 0;  ///< of requests that are being read or answered

  [[nodiscard]] static Problem busy() {
    return {503, "busy", "requests of too many bytes are under way", {}, std::chrono::seconds(1)};
  }
  void see_out() { tell(&Guest::see_out); }
  void give_up() { tell(&Guest::give_up); }

 private:
  // A guest may leave while it is told.
  void tell(void (Guest::*what)()) {
    for (Guest* const guest : std::set<Guest*>(guests)) {
      if (guests.contains(guest)) (guest->*what)();
    }
  }
};

}  // namespace lazaret::rest
