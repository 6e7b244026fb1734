#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/call.hpp"

/// Things that are made ahead and handed out once.
namespace lazaret::pool {

/// Whether something is still as it was made; `unknown` where that could not be told in time.
enum class Fitness { fit, unfit, unknown };

/// One of them. Its destructor leaves nothing behind.
class Item {
 public:
  Item() = default;
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  virtual ~Item() = default;

  /// Asked by the thread that it would be handed to, which holds nothing meanwhile.
  [[nodiscard]] virtual Fitness fitness(const Call& call) = 0;
  /// Whether it is of no use any more, as far as can be told at once; asked now and then of each
  /// that waits, under the pool's lock.
  [[nodiscard]] virtual bool has_ended() { return false; }
  /// Has its end begin, before it is destroyed, beside that of others. Never waits.
  virtual void doom() noexcept {}
  /// What it takes while it waits; 0 where that is not known.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const noexcept { return 0; }
};

/// Whether one is asked for anew, or looked for once more by who has asked before.
enum class Demand { anew, again };

/// Makes one, or nothing when that failed: it is tried again after a while. Must be thread-safe.
using Make = std::function<std::unique_ptr<Item>(const Call& call)>;
/// How one of a kind is made; asked for once, by who needs to know. Must not call the pool.
using Maker = std::function<Make()>;

struct Bounds {
  std::size_t most = 8;                        ///< waiting at once, of all kinds; 0: none
  std::uint64_t memory_bytes = 1ULL << 30;     ///< that they may take while they wait, as far as
                                               ///< it is known
  unsigned rate = 1'000;                       ///< made in a second, 1 and up; after a burst of
                                               ///< `most`
  std::size_t kinds = 64;                      ///< remembered; a new one replaces the oldest
  std::chrono::milliseconds idle{30'000};      ///< without demand, until a kind is given up
  std::chrono::milliseconds recent{1'000};     ///< without demand, until it gives way to others
  unsigned makers = 2;                         ///< made at once, 1 and up
  std::chrono::milliseconds rest{5};           ///< after a taking, and again after its use: who
                                               ///< took has the processors
  std::chrono::milliseconds longest_rest{50};  ///< of a burst of takings, each within `rest`
  std::chrono::milliseconds settling{0};       ///< after a kind's first need, which may be a
                                               ///< burst's: whose runs have the processors
  std::chrono::milliseconds longest_wait{250};  ///< for a processor that is free, until one more is
                                                ///< made all the same
  bool (*is_crowded)() = nullptr;               ///< whether none is; unset: that cannot be told
  std::string (*shown)(const std::string& kind) = nullptr;  ///< what a kind may be called before
                                                            ///< others; unset: as it is
  std::chrono::milliseconds between_looks{1'000};  ///< at what waits, whether it has ended
  std::chrono::milliseconds first_pause{100};  ///< after a failure; doubled by each further one
  std::chrono::milliseconds longest_pause{30'000};
};

/// What a pool has and has done.
struct Counts {
  std::size_t waiting = 0;
  std::uint64_t made = 0;    ///< ahead
  std::uint64_t handed = 0;  ///< out of those
  std::uint64_t missed = 0;  ///< demands that found none, each kind's first one among them
  std::uint64_t unfit = 0;   ///< that had changed or ended while they waited
  std::uint64_t failed = 0;  ///< attempts to make one
  std::size_t leaving = 0;   ///< retired, not yet destroyed
};

/// What a demand was given.
struct Taken {
  std::unique_ptr<Item> item;  ///< or nothing
  bool is_unsure = false;      ///< there is one that nobody could tell to be fit
};

/// What a pool has of one kind.
struct Stand {
  std::string kind;
  std::size_t waiting = 0;
  std::size_t coming = 0;          ///< being made
  std::size_t wanted = 0;          ///< waiting at once, learnt from what was missing
  std::uint64_t memory_bytes = 0;  ///< of those that wait, as far as it is known
};

/// Makes as many of each kind as were missing when they were asked for, up to a bound within which
/// kinds in demand take the places of those that are not, and destroys what has been used, in
/// threads of its own: one from the first retired item on, which never makes anything, so that what
/// was used is gone soon; `makers` more from the first need on. The first demand for a kind is not
/// yet a need: for a caller who comes once nothing is made. In a fork of the process it was made in
/// it hands out nothing, takes nothing and ends nothing. Thread-safe.
class Pool {
 public:
  explicit Pool(const Bounds& bounds);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  /// Ends the threads and what they are making, and destroys what waits, sixteen at a time.
  ~Pool();

  /// One of `kind`, or nothing when none is there that is fit. What is equal by its kind must be
  /// interchangeable: where it cannot be told of one within the call, that one stays, and no other
  /// is asked.
  [[nodiscard]] Taken take(const std::string& kind, const Call& call, Demand demand = Demand::anew);
  /// That none was there, and how one is made, which is asked for before it returns or not at all.
  void miss(const std::string& kind, const Maker& maker);
  /// Has so many of a kind wait from now on, whether anybody asks for them or not; no more than the
  /// bound on all kinds.
  void keep(const std::string& kind, Make make, std::size_t count);
  /// Has one destroyed in the background; when many are waiting for that already, here and now.
  void retire(std::unique_ptr<Item> item);
  /// Whether this is the process that the pool was made in.
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] Counts counts() const;
  /// Of each kind that is remembered, in the order of their names.
  [[nodiscard]] std::vector<Stand> stands() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace lazaret::pool
