#include "pool/pool.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "os/init.hpp"
#include "pool/shelves.hpp"

namespace lazaret::pool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRetired = 64;
constexpr std::size_t kManyRetired = 32;  // that are not let rest
constexpr std::size_t kMostEnding = 16;   // at the same time, when the pool ends

// Each may take as long as an engine that does not answer lets it. What the system has no thread
// for is done by this one.
void destroy_together(std::vector<std::unique_ptr<Item>> items) {
  for (const auto& item : items) item->doom();
  std::atomic<std::size_t> next = 0;
  const auto destroy = [&] {
    for (std::size_t index = next++; index < items.size(); index = next++) items[index].reset();
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(items.size(), kMostEnding)) others.emplace_back(destroy);
  } catch (const std::system_error&) {
  }
  destroy();
}

}  // namespace

class Pool::State {
 public:
  explicit State(const Bounds& bounds)
      : makers_(bounds.makers),
        rest_(bounds.rest),
        longest_rest_(bounds.longest_rest),
        shelves_(bounds) {}
  ~State() {
    for (std::jthread& thread : threads_) thread.request_stop();
    destroy_together(all_of_them());
    threads_.clear();
    destroy_together(all_of_them());  // what they have still brought
  }

  [[nodiscard]] bool is_ours() const { return os::process_id() == owner_; }
  // A fork has the threads' names, but not the threads.
  void disown() {
    for (std::jthread& thread : threads_) thread.detach();
  }

  // Whether one is fit is asked without the lock: that takes as long as it may.
  Taken take(const std::string& kind, const Call& call, Demand demand) {
    while (std::unique_ptr<Item> item = next_of(kind, demand)) {
      const Fitness fitness = item->fitness(call);
      if (fitness == Fitness::unknown) {
        put_back(kind, std::move(item));
        return {nullptr, true};
      }
      settle(kind, fitness == Fitness::fit ? &Counts::handed : &Counts::unfit);
      if (fitness == Fitness::fit) return {std::move(item)};
      retire(item);
    }
    return {};
  }

  void miss(const std::string& kind, const Maker& maker) {
    const std::scoped_lock lock(mutex_);
    ++counts_.missed;
    if (!shelves_.miss(kind, maker, Clock::now())) return;
    have_made();
  }

  void keep(const std::string& kind, Make make, std::size_t count) {
    const std::scoped_lock lock(mutex_);
    shelves_.keep(kind, std::move(make), count, Clock::now());
    have_made();
  }

  // What is not taken over is destroyed with the argument, after the lock has gone.
  void retire(std::unique_ptr<Item>& item) {
    const std::scoped_lock lock(mutex_);
    start(1);
    if (threads_.empty() || retired_.size() >= kMostRetired) return;
    retired_.push_back(std::move(item));
    if (retired_.size() == 1 || retired_.size() >= kManyRetired) used_.notify_one();
  }

  Counts counts() {
    const std::scoped_lock lock(mutex_);
    Counts counts = counts_;
    counts.leaving = retired_.size() + leaving_.size() + (is_destroying_ ? 1 : 0);
    counts.waiting = shelves_.waiting();
    return counts;
  }

  std::vector<Stand> stands() {
    const std::scoped_lock lock(mutex_);
    return shelves_.stands();
  }

 private:
  std::vector<std::unique_ptr<Item>> all_of_them() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::unique_ptr<Item>> all = shelves_.give_up_all();
    for (auto* const leaving : {&retired_, &leaving_})
      std::ranges::move(std::exchange(*leaving, {}), std::back_inserter(all));
    return all;
  }

  std::unique_ptr<Item> next_of(const std::string& kind, Demand demand) {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    give_up_old(now);
    return shelves_.take(kind, now, demand);
  }

  void settle(const std::string& kind, std::uint64_t Counts::*what) {
    const std::scoped_lock lock(mutex_);
    ++(counts_.*what);
    shelves_.settle(kind);
    tell_a_maker();  // of the one that is missing now
  }

  void put_back(const std::string& kind, std::unique_ptr<Item> item) {
    const std::scoped_lock lock(mutex_);
    shelves_.put_back(kind, std::move(item));
  }

  // The first one clears away and never makes, so that nothing used waits for something new. WHY
  // fewer are no error: what the system has no thread for is done by those who ask, or not at all.
  void start(std::size_t wanted) {
    const auto work = [this](const std::stop_token& stop) { make(stop); };
    const auto clear = [this](const std::stop_token& stop) { clear_away(stop); };
    try {
      if (threads_.empty()) threads_.emplace_back(clear);
      while (threads_.size() < wanted) threads_.emplace_back(work);
    } catch (const std::system_error&) {
    }
  }

  void have_made() {
    start(1 + makers_);
    tell_makers();
  }

  void tell_makers() {
    if (shelves_.is_waiting(Clock::now())) return;
    ++news_;
    needed_.notify_all();
  }
  void tell_a_maker() {
    if (shelves_.is_waiting(Clock::now())) return;
    ++news_;
    needed_.notify_one();
  }

  void clear_away(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (used_.wait(lock, stop, [this] { return !retired_.empty(); })) {
      let_users_answer(lock, stop);
      leaving_ = std::exchange(retired_, {});
      for (const auto& item : leaving_) item->doom();
      while (!leaving_.empty()) destroy_first(lock);
    }
  }

  // The others may be taken meanwhile by who destroys all.
  void destroy_first(std::unique_lock<std::mutex>& lock) {
    std::unique_ptr<Item> item = std::move(leaving_.front());
    leaving_.pop_front();
    is_destroying_ = true;
    lock.unlock();
    item.reset();
    lock.lock();
    is_destroying_ = false;
  }

  // Who has used one has still to answer, and the processors are his until then; those of a burst
  // follow each other.
  void let_users_answer(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
    const auto latest = Clock::now() + longest_rest_;
    const auto are_many = [this] { return retired_.size() >= kManyRetired; };
    for (std::size_t seen = 0; seen != retired_.size() && !are_many() && Clock::now() < latest;) {
      seen = retired_.size();
      (void)used_.wait_until(lock, stop, std::min(Clock::now() + rest_, latest), are_many);
    }
  }

  void make(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const auto now = Clock::now();
      give_up_ended(now);
      const auto order = shelves_.next_order(now);
      give_up_old(now);
      if (order) {
        tell_a_maker();  // there may be more to make
        make_one(*order, lock, stop);
      } else {
        needed_.wait_until(lock, stop, std::min(shelves_.next_change(now), shelves_.next_look()),
                           [this, seen = news_] { return news_ != seen; });
      }
    }
  }

  void give_up_old(Clock::time_point now) { let_go(shelves_.outdated(now)); }
  void give_up_ended(Clock::time_point now) {
    std::vector<std::unique_ptr<Item>> ended = shelves_.ended(now);
    counts_.unfit += ended.size();
    let_go(std::move(ended));
  }
  void let_go(std::vector<std::unique_ptr<Item>> items) {
    for (std::unique_ptr<Item>& item : items) {
      retired_.push_back(std::move(item));
      used_.notify_one();
    }
  }

  void make_one(const Shelves::Order& order, std::unique_lock<std::mutex>& lock,
                const std::stop_token& stop) {
    lock.unlock();
    std::unique_ptr<Item> item = order.make(Call{Deadline::never(), stop});
    lock.lock();
    ++(item ? counts_.made : counts_.failed);
    shelves_.put(order.kind, std::move(item), Clock::now());
    tell_makers();
  }

  const std::uint32_t owner_ = os::process_id();
  const std::size_t makers_;
  const std::chrono::milliseconds rest_;
  const std::chrono::milliseconds longest_rest_;
  std::mutex mutex_;
  Condition used_;    // something was retired
  Condition needed_;  // there is news for those who make
  std::uint64_t news_ = 0;
  Shelves shelves_;
  std::deque<std::unique_ptr<Item>> retired_;
  std::deque<std::unique_ptr<Item>> leaving_;  // doomed
  bool is_destroying_ = false;                 // one of those that were leaving
  Counts counts_;
  std::vector<std::jthread> threads_;
};

Pool::Pool(const Bounds& bounds) : state_(std::make_unique<State>(bounds)) {}

// WHY given up in a fork: a lock may be held for ever by a thread that is not there.
Pool::~Pool() {
  if (state_->is_ours()) return;
  state_->disown();
  (void)state_.release();
}

Taken Pool::take(const std::string& kind, const Call& call, Demand demand) {
  return state_->is_ours() ? state_->take(kind, call, demand) : Taken();
}

void Pool::miss(const std::string& kind, const Maker& maker) {
  if (state_->is_ours()) state_->miss(kind, maker);
}

void Pool::keep(const std::string& kind, Make make, std::size_t count) {
  if (state_->is_ours()) state_->keep(kind, std::move(make), count);
}

void Pool::retire(std::unique_ptr<Item> item) {
  if (state_->is_ours())
    state_->retire(item);
  else
    (void)item.release();  // the parent's
}

bool Pool::is_ours() const { return state_->is_ours(); }

Counts Pool::counts() const { return state_->is_ours() ? state_->counts() : Counts{}; }

std::vector<Stand> Pool::stands() const {
  return state_->is_ours() ? state_->stands() : std::vector<Stand>();
}

}  // namespace lazaret::pool
