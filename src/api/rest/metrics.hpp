#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/pool_state.hpp"

namespace lazaret::rest {

/// What operators watch, in Prometheus's text format. Labels are words of ours alone: the routes'
/// paths, statuses, causes, backends. Lives on the loop's thread.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  /// A request was answered; `route` is its path in the table, or empty when there is none.
  void count_request(std::string_view route, unsigned status);
  void count_run(std::string_view cause, double seconds);
  /// A connection had no place.
  void count_turned_away();

  struct Now {
    std::size_t queued;
    std::size_t running;
    std::size_t sessions;
    std::vector<core::PoolState> pools;
  };
  [[nodiscard]] std::string text(const Now& now);

 private:
  void show_pool(const core::PoolState& pool);

  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::rest
