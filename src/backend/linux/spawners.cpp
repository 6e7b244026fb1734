#include "backend/linux/spawners.hpp"

#include <algorithm>
#include <utility>

#include "backend/linux/plan.hpp"
#include "base/try.hpp"

namespace lazaret::backend::native {
namespace {

constexpr std::size_t kSeveral = 2;  // boxes
constexpr std::chrono::seconds kRest{10};

bool is_good(const Spawners::Shared& spawner) {
  return spawner && !spawner->is_stale() && !spawner->is_spent();
}

}  // namespace

Spawners::Spawners(const Processors& available, std::size_t most, Begin begin)
    : seats_(available),
      begin_(std::move(begin)),
      lanes_(std::clamp<std::size_t>(seats_.numbers().size(), 1, most)) {}

Result<Spawners::Choice> Spawners::choose(const Call& call) {
  Choice choice;
  choice.seat = seats_.take();
  LAZARET_TRY(choice.spawner, spawner_for(choice.seat.turn() % lanes_.size(), call));
  return choice;
}

Result<Spawners::Shared> Spawners::spawner_for(std::size_t lane, const Call& call) {
  if (!is_to_serve(lane)) {
    if (Shared another = good(Resting::left_out)) return another;
  }
  auto own = usable(lane, call);
  if (own.ok()) return own;
  Shared another = good(Resting::too);
  LAZARET_CHECK(call.check());
  return another ? Result<Shared>(std::move(another)) : std::move(own);
}

// One that was begun is, and is begun anew when it has gone.
bool Spawners::is_to_serve(std::size_t lane) const {
  const std::size_t boxes = seats_.taken();
  const std::scoped_lock lock(mutex_);
  if (lanes_[lane].rests()) return false;
  const auto begun = std::ranges::count_if(
      lanes_, [](const Lane& other) { return other.spawner != nullptr; });
  return lanes_[lane].spawner || boxes > kSeveral * static_cast<std::size_t>(begun);
}

// WHY a turn: two first boxes at once must not begin two; nobody waits for it who has another.
Result<Spawners::Shared> Spawners::usable(std::size_t lane, const Call& call) {
  if (Shared spawner = in(lane); is_good(spawner)) return spawner;
  if (const auto turn = lanes_[lane].beginning.take(call.within(std::chrono::milliseconds(0)));
      turn.ok())
    return renewed(lane, call);
  if (Shared another = good(Resting::left_out)) return another;
  LAZARET_TRY(const Turn::Held turn, lanes_[lane].beginning.take(call));
  return renewed(lane, call);
}

// Of an answer that was not awaited a box may still be made; it ends with our end of its wire, and
// the boxes that are running keep their spawner.
Result<Spawners::Shared> Spawners::renewed(std::size_t lane, const Call& call) {
  if (Shared spawner = in(lane); is_good(spawner)) return spawner;
  auto spawner = begin(lane, call);
  const std::scoped_lock lock(mutex_);
  if (!spawner.ok() && call.check().ok()) lanes_[lane].not_before = Clock::now() + kRest;
  if (spawner.ok()) lanes_[lane].spawner.swap(*spawner);  // the old one goes without the lock
  return spawner.ok() ? Result<Shared>(lanes_[lane].spawner) : spawner.error();
}

// What one holds less than another would be held by chance.
Result<Spawners::Shared> Spawners::begin(std::size_t lane, const Call& call) {
  const bool is_alone = lanes_.size() == 1;
  LAZARET_TRY(Shared spawner, begin_(is_alone ? Processors{}
                                              : every(seats_.numbers(), lane, lanes_.size()),
                                     call));
  const Shared another = good(Resting::too);
  if (another && !spawner->holds_like(*another))
    return Error(Errc::unsupported, "a further spawner would hold its boxes by other means");
  return spawner;
}

void Spawners::avoid(const Shared& spawner) {
  const std::scoped_lock lock(mutex_);
  for (Lane& lane : lanes_) {
    if (spawner && lane.spawner == spawner) lane.not_before = Clock::now() + kRest;
  }
}

Spawners::Shared Spawners::in(std::size_t lane) const {
  const std::scoped_lock lock(mutex_);
  return lanes_[lane].spawner;
}

Spawners::Shared Spawners::any() const {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(lanes_, [](const Lane& lane) { return lane.spawner != nullptr; });
  return found == lanes_.end() ? nullptr : found->spawner;
}

// The first; what has gone, or shows what is no longer there, is kept by its boxes alone.
Spawners::Shared Spawners::good(Resting resting) {
  for (Lane& lane : lanes_) {
    Shared spawner;  // goes without the lock
    std::unique_lock lock(mutex_);
    if (resting == Resting::too || !lane.rests()) spawner = lane.spawner;
    lock.unlock();
    if (!spawner) continue;
    if (is_good(spawner)) return spawner;
    lock.lock();
    if (lane.spawner == spawner) lane.spawner.reset();
  }
  return nullptr;
}

}  // namespace lazaret::backend::native
