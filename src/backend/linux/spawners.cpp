#include "backend/linux/spawners.hpp"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "backend/linux/plan.hpp"
#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

constexpr long kSeveral = 2;  // boxes
constexpr std::chrono::seconds kRest{10};

bool is_good(const Spawners::Shared& spawner) {
  return spawner && !spawner->is_stale() && !spawner->is_spent();
}

}  // namespace

Spawners::Spawners(const Processors& available, std::size_t most, Begin begin)
    : numbers_(numbers_of(available)),
      begin_(std::move(begin)),
      lanes_(std::clamp<std::size_t>(numbers_.size(), 1, most)) {}

// The first one's failure is the caller's; where it is a further one's, the first will do.
Result<Spawners::Choice> Spawners::choose(const Call& call) {
  auto [lane, spawner] = ask(call);
  if (spawner.ok()) return with_turn(lane, std::move(spawner).value());
  if (lane == 0) return spawner.error();
  LAZARET_CHECK(call.check());
  let_rest(lane);
  LAZARET_TRY(Shared first, usable(0, call));
  return with_turn(0, std::move(first));
}

std::pair<std::size_t, Result<Spawners::Shared>> Spawners::ask(const Call& call) {
  std::unique_lock lock(mutex_);
  const std::size_t lane = pick();
  ++lanes_[lane].asked;
  lock.unlock();
  auto spawner = usable(lane, call);
  lock.lock();
  --lanes_[lane].asked;
  return {lane, std::move(spawner)};
}

std::size_t Spawners::pick() const {
  const std::size_t own = own_lane();
  std::size_t best = 0;
  std::optional<std::size_t> more;
  for (std::size_t number = 1; number < lanes_.size(); ++number) {
    const Lane& lane = lanes_[number];
    const long fewest = lanes_[best].boxes();
    const bool is_better = lane.boxes() < fewest || (lane.boxes() == fewest && number == own);
    if (lane.is_begun() && is_better) best = number;
    if (!lane.is_begun() && !more && lane.not_before <= Clock::now()) more = number;
  }
  return lanes_[best].boxes() >= kSeveral ? more.value_or(best) : best;
}

std::size_t Spawners::own_lane() const {
  const auto number = static_cast<std::size_t>(std::max(0, ::sched_getcpu()));
  const auto found = std::ranges::find(numbers_, number);
  return static_cast<std::size_t>(std::distance(numbers_.begin(), found)) % lanes_.size();
}

Spawners::Shared Spawners::in(std::size_t lane) const {
  const std::scoped_lock lock(mutex_);
  return lanes_[lane].spawner;
}

// WHY a turn: two first boxes at once must not begin two. Of an answer that was not awaited a box
// may still be made; it ends with our end of its wire, and the boxes that are running keep their
// spawner.
Result<Spawners::Shared> Spawners::usable(std::size_t lane, const Call& call) {
  if (Shared spawner = in(lane); is_good(spawner)) return spawner;
  LAZARET_TRY(const Turn::Held turn, lanes_[lane].beginning.take(call));
  Shared spawner = in(lane);
  if (is_good(spawner)) return spawner;
  const Processors home = lanes_.size() > 1 ? every(numbers_, lane, lanes_.size()) : Processors{};
  LAZARET_TRY(spawner, begin_(home, call));
  const std::scoped_lock lock(mutex_);
  lanes_[lane].spawner.swap(spawner);  // the old one goes when the lock has gone
  return lanes_[lane].spawner;
}

// The processors of a home one after the other.
Spawners::Choice Spawners::with_turn(std::size_t lane, Shared spawner) {
  const std::size_t count = lanes_.size();
  const std::size_t at_home = (numbers_.size() + count - 1 - lane) / count;
  const std::size_t turn = turns_++ % std::max<std::size_t>(at_home, 1);
  return {std::move(spawner), lane + turn * count};
}

void Spawners::let_rest(std::size_t lane) {
  const std::scoped_lock lock(mutex_);
  lanes_[lane].not_before = Clock::now() + kRest;
}

}  // namespace lazaret::backend::native
