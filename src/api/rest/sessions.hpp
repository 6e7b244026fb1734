#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/rest/bounds.hpp"
#include "api/rest/lane.hpp"
#include "api/rest/workers.hpp"
#include "core/session.hpp"

namespace lazaret::rest {

/// A session that clients know by its id. Shared with the workers that use it.
struct KeptSession {
  std::string id;
  std::shared_ptr<core::Session> session;  ///< with whoever closes one that nobody waits for
  std::shared_ptr<Lane> lane;              ///< of its runs and files, shared with the workers
  std::chrono::system_clock::time_point made = std::chrono::system_clock::now();
  bool ending = false;  ///< somebody is seeing to its end
  /// Since when nobody has been able to use it, as far as was looked.
  std::optional<std::chrono::steady_clock::time_point> ended = {};
};

/// The sessions of this daemon: ends those whose time is over, and keeps what became of them for a
/// while; as long as there are some it looks once a second. Lives on the loop's thread.
class Sessions {
 public:
  /// `workers` works in sessions, `enders` ends them.
  Sessions(boost::asio::io_context& loop, Workers& workers, Workers& enders, const Bounds& bounds);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  /// Closes all of them, many at a time.
  ~Sessions();

  /// A place for one that is being made, as long as it is held; null when there is none.
  [[nodiscard]] std::shared_ptr<void> reserve();
  /// Into a place.
  std::shared_ptr<KeptSession> add(std::shared_ptr<core::Session> session);
  /// Null when there is none.
  [[nodiscard]] std::shared_ptr<KeptSession> find(const std::string& id) const;
  [[nodiscard]] std::vector<std::shared_ptr<KeptSession>> all() const;
  /// Forgets it, and has it closed by whoever is the last to use it.
  void forget(const std::string& id) { sessions_.erase(id); }
  [[nodiscard]] std::size_t ready() const;
  /// Looks no more, so that the loop can end.
  void stop();

 private:
  void look();
  void look_at(const std::shared_ptr<KeptSession>& kept);
  void watch();
  void drop_one_ended();

  boost::asio::io_context& loop_;
  Workers& workers_;
  Workers& enders_;
  const Bounds& bounds_;
  boost::asio::steady_timer timer_;
  bool stopped_ = false;
  bool watching_ = false;
  // Outlives this with the last who holds a place.
  std::shared_ptr<std::size_t> reserved_ = std::make_shared<std::size_t>(0);
  std::map<std::string, std::shared_ptr<KeptSession>> sessions_;
};

}  // namespace lazaret::rest
