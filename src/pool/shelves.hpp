#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pool/pool.hpp"

namespace lazaret::pool {

/// What a pool has of each kind, and what it makes next: decisions alone. Whoever asks says what
/// time it is and holds the lock; what is handed to him he uses and destroys without it.
class Shelves {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Order {
    std::string kind;
    Make make;
  };

  explicit Shelves(const Bounds& bounds) : bounds_(bounds) {}

  /// The one of `kind` that has waited longest, or nothing. Its place is kept until settle(), which
  /// gives it up, or put_back().
  [[nodiscard]] std::unique_ptr<Item> take(const std::string& kind, Time now,
                                           Demand demand = Demand::anew);
  void settle(const std::string& kind);
  void put_back(const std::string& kind, std::unique_ptr<Item> item);
  /// A demand that found none. Whether that is a need: the first for a kind is not.
  [[nodiscard]] bool miss(const std::string& kind, const Maker& maker, Time now);
  /// That so many of a kind are to wait whether anybody asks or not; their places are nobody
  /// else's.
  void keep(const std::string& kind, Make make, std::size_t count, Time now);
  /// For the kind asked for last among those that lack one, while there is room or something gives
  /// way that nobody has asked for of late. Each order is fulfilled by one put().
  [[nodiscard]] std::optional<Order> next_order(Time now);
  /// What was made of an order, or nothing when that failed: the kind pauses then.
  void put(const std::string& kind, std::unique_ptr<Item> item, Time now);
  /// What waits no more: what gave way, what takes more memory than there is for it, the kinds that
  /// nobody has asked for in a while, and of others what nobody has needed for as long.
  [[nodiscard]] std::vector<std::unique_ptr<Item>> outdated(Time now);
  /// What has ended while it waited, not sooner than some time after the last look.
  [[nodiscard]] std::vector<std::unique_ptr<Item>> ended(Time now);
  /// When ended() looks again; never where nothing waits.
  [[nodiscard]] Time next_look() const;
  /// All that waits, which does so no more.
  [[nodiscard]] std::vector<std::unique_ptr<Item>> give_up_all();
  /// When something is to be done even if nobody asks: later than `now`, when outdated() and
  /// next_order() have been asked at it.
  [[nodiscard]] Time next_change(Time now) const;
  /// Whether what is to be made next waits for a processor: until next_change() no demand changes
  /// that.
  [[nodiscard]] bool is_waiting(Time now) const { return waits_since_ && now < looks_again_; }

  [[nodiscard]] std::size_t kinds() const noexcept { return shelves_.size(); }
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::vector<Stand> stands() const;

 private:
  struct Shelf {
    std::string name;
    Make make;
    std::deque<std::unique_ptr<Item>> waiting;
    std::size_t wanted = 0;        // raised by each demand that found none
    std::size_t kept = 0;          // of those, whether anybody asks or not
    std::size_t coming = 0;        // being made
    std::size_t tried = 0;         // taken, and not yet settled or put back
    std::size_t spare = 0;         // that nobody has needed since `since`
    std::uint64_t each_bytes = 0;  // that the last one took
    Time since;
    Time asked;
    Time asked_before;  // the demand before that one
    Time not_before;    // after a failure, or a taking
    Time rests_until;   // at the latest, after a burst of takings
    std::chrono::milliseconds pause{0};

    [[nodiscard]] std::size_t there() const { return waiting.size() + coming + tried; }
    [[nodiscard]] bool is_in_use() const { return coming + tried + kept > 0; }
    [[nodiscard]] bool is_owed() const { return there() < kept; }
    [[nodiscard]] std::uint64_t memory_bytes() const;  // with what is coming, and what is owed
    [[nodiscard]] std::unique_ptr<Item> pop();
    void let_rest(const Bounds& bounds, Time now);
  };
  using Map = std::map<std::string, Shelf>;

  [[nodiscard]] bool has_room_for(const std::string& kind);
  // What all shelves hold, and with what they owe.
  struct Load {
    std::size_t places = 0;
    std::uint64_t memory_bytes = 0;
  };
  [[nodiscard]] Load load() const;
  [[nodiscard]] bool fits(const Shelf& shelf, const Load& others) const;
  [[nodiscard]] bool may_fit(const Shelf& needy, Time now) const;
  [[nodiscard]] bool gives_to(const Shelf& needy, const Shelf& giver, Time now) const;
  [[nodiscard]] Map::iterator needy(Time now);
  [[nodiscard]] Map::iterator giver_to(const Shelf& needy, Time now);
  [[nodiscard]] bool must_wait(Time now);
  [[nodiscard]] std::pair<Shelf*, bool> shelf_of(const std::string& kind);  // and whether it is new
  void make_place(const Shelf& needy, Time now);
  void give_up_spare(Shelf& shelf, Time now);
  [[nodiscard]] Time next_making() const;
  [[nodiscard]] std::chrono::nanoseconds pace() const {
    return std::chrono::nanoseconds((1'000'000'000 + bounds_.rate - 1) / bounds_.rate);
  }

  const Bounds bounds_;
  Map shelves_;
  std::vector<std::unique_ptr<Item>> given_up_;
  Time paced_;  // by when all that was ordered would be made at the bound's rate
  std::optional<Time> waits_since_;  // for a processor: what is to be made next
  Time looks_again_;                 // whether there is one
  Time looked_at_;                   // when all that waits was, whether it has ended
};

}  // namespace lazaret::pool
