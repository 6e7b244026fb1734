#include "pool/shelves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lazaret::pool {

std::unique_ptr<Item> Shelves::Shelf::pop() {
  std::unique_ptr<Item> item = std::move(waiting.front());
  waiting.pop_front();
  spare = std::min(spare, waiting.size());
  return item;
}

// The moment grows with a burst, as long as that finds what waits.
void Shelves::Shelf::let_rest(const Bounds& bounds, Time now) {
  const bool is_first = not_before <= now;
  if (is_first) rests_until = now + bounds.longest_rest;
  if (is_first || waiting.size() > 1)
    not_before = std::max(not_before, std::min(now + bounds.rest, rests_until));
}

std::unique_ptr<Item> Shelves::take(const std::string& kind, Time now, Demand demand) {
  const auto entry = shelves_.find(kind);
  if (entry == shelves_.end()) return nullptr;
  Shelf& shelf = entry->second;
  if (demand == Demand::anew) shelf.asked_before = std::exchange(shelf.asked, now);
  if (shelf.waiting.empty()) return nullptr;
  ++shelf.tried;
  shelf.let_rest(bounds_, now);
  return shelf.pop();
}

// Both: a shelf stays while something of it is tried.
void Shelves::settle(const std::string& kind) { --shelves_.at(kind).tried; }

void Shelves::put_back(const std::string& kind, std::unique_ptr<Item> item) {
  Shelf& shelf = shelves_.at(kind);
  --shelf.tried;
  shelf.waiting.push_front(std::move(item));
}

std::pair<Shelves::Shelf*, bool> Shelves::shelf_of(const std::string& kind) {
  const auto [entry, is_new] = shelves_.try_emplace(kind);
  if (is_new) entry->second.name = bounds_.shown != nullptr ? bounds_.shown(kind) : kind;
  return {&entry->second, is_new};
}

bool Shelves::miss(const std::string& kind, const Maker& maker, Time now) {
  if (!has_room_for(kind)) return false;
  const auto [entry, is_new] = shelf_of(kind);
  Shelf& shelf = *entry;
  shelf.asked = now;
  if (is_new) shelf.since = now;
  if (is_new) return false;
  if (!shelf.make) shelf.make = maker();
  if (shelf.wanted == 0) shelf.not_before = std::max(shelf.not_before, now + bounds_.settling);
  shelf.wanted = std::min(shelf.wanted + 1, bounds_.most);
  return shelf.wanted > 0;
}

void Shelves::keep(const std::string& kind, Make make, std::size_t count, Time now) {
  Shelf& shelf = *shelf_of(kind).first;
  shelf.make = std::move(make);
  shelf.kept = 0;
  std::size_t others = 0;
  for (const auto& [name, other] : shelves_) others += other.kept;
  shelf.kept = std::min(count, bounds_.most - others);
  shelf.wanted = std::max(shelf.wanted, shelf.kept);
  shelf.not_before = std::max(shelf.not_before, now + bounds_.settling);
  shelf.since = now;
}

// A new kind takes the place of the one asked for longest ago, of which there is nothing.
bool Shelves::has_room_for(const std::string& kind) {
  if (shelves_.size() < bounds_.kinds || shelves_.contains(kind)) return true;
  auto oldest = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.there() + shelf.kept > 0) continue;
    if (oldest == shelves_.end() || shelf.asked < oldest->second.asked) oldest = entry;
  }
  if (oldest == shelves_.end()) return false;
  shelves_.erase(oldest);
  return true;
}

std::uint64_t Shelves::Shelf::memory_bytes() const {
  const std::size_t owed = is_owed() ? kept - there() : 0;
  std::uint64_t all = (coming + tried + owed) * each_bytes;
  for (const auto& item : waiting) all += item->memory_bytes();
  return all;
}

Shelves::Load Shelves::load() const {
  Load load;
  for (const auto& [kind, shelf] : shelves_) {
    load.places += std::max(shelf.there(), shelf.kept);
    load.memory_bytes += shelf.memory_bytes();
  }
  return load;
}

// What is owed to a kind is in the load already.
bool Shelves::fits(const Shelf& shelf, const Load& load) const {
  const bool more = !shelf.is_owed();
  return load.places + (more ? 1 : 0) <= bounds_.most &&
         load.memory_bytes + (more ? shelf.each_bytes : 0) <= bounds_.memory_bytes;
}

// Where it was asked for twice since, or kinds in turns would have each other's made for nothing.
bool Shelves::gives_to(const Shelf& needy, const Shelf& giver, Time now) const {
  if (&needy == &giver || giver.waiting.size() <= giver.kept) return false;
  return needy.is_owed() ||
         (now - giver.asked >= bounds_.recent && giver.asked < needy.asked_before);
}

// Nothing gives way to what finds no place even so.
bool Shelves::may_fit(const Shelf& needy, Time now) const {
  Load least = load();
  for (const auto& [kind, giver] : shelves_) {
    if (!gives_to(needy, giver, now)) continue;
    for (std::size_t index = giver.kept; index < giver.waiting.size(); ++index) {
      --least.places;
      least.memory_bytes -= giver.waiting[index - giver.kept]->memory_bytes();
    }
  }
  return fits(needy, least);
}

// What is owed first, and then what was asked for last.
Shelves::Map::iterator Shelves::needy(Time now) {
  auto found = shelves_.end();
  const auto rank = [](const Shelf& shelf) { return std::pair(shelf.is_owed(), shelf.asked); };
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.there() >= shelf.wanted || shelf.not_before > now || !may_fit(shelf, now)) continue;
    if (found == shelves_.end() || rank(shelf) > rank(found->second)) found = entry;
  }
  return found;
}

// The one asked for longest ago.
Shelves::Map::iterator Shelves::giver_to(const Shelf& needy, Time now) {
  auto found = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (!gives_to(needy, shelf, now)) continue;
    if (found == shelves_.end() || shelf.asked < found->second.asked) found = entry;
  }
  return found;
}

std::optional<Shelves::Order> Shelves::next_order(Time now) {
  const auto entry = next_making() > now ? shelves_.end() : needy(now);
  if (entry == shelves_.end()) waits_since_.reset();
  if (entry == shelves_.end() || must_wait(now)) return std::nullopt;
  make_place(entry->second, now);
  ++entry->second.coming;
  paced_ = std::max(paced_, now) + pace();
  return Order{entry->first, entry->second.make};
}

// What is made ahead for later costs those who run now, where all processors have something to do.
bool Shelves::must_wait(Time now) {
  if (bounds_.is_crowded == nullptr) return false;
  if (is_waiting(now)) return true;
  const Time since = waits_since_.value_or(now);
  const bool waits = now - since < bounds_.longest_wait && bounds_.is_crowded();
  waits_since_ = waits ? std::optional(since) : std::nullopt;
  looks_again_ = now + bounds_.rest;
  return waits;
}

void Shelves::make_place(const Shelf& needy, Time now) {
  while (!fits(needy, load())) {
    Shelf& giver = giver_to(needy, now)->second;  // there is one: it may fit
    given_up_.push_back(giver.pop());
    giver.wanted = std::max(giver.there(), giver.kept);
  }
}

// A burst of all that may wait is made at once.
Shelves::Time Shelves::next_making() const { return paced_ - (bounds_.most - 1) * pace(); }

void Shelves::put(const std::string& kind, std::unique_ptr<Item> item, Time now) {
  Shelf& shelf = shelves_.at(kind);  // stays while something is coming to it
  --shelf.coming;
  shelf.pause = item ? std::chrono::milliseconds(0)
                     : std::clamp(shelf.pause * 2, bounds_.first_pause, bounds_.longest_pause);
  shelf.not_before = std::max(shelf.not_before, now + shelf.pause);  // a burst goes on
  if (!item) return;
  shelf.each_bytes = item->memory_bytes();
  const bool has_memory = fits(shelf, load());
  (has_memory ? shelf.waiting.emplace_back() : given_up_.emplace_back()) = std::move(item);
}

std::vector<std::unique_ptr<Item>> Shelves::outdated(Time now) {
  for (auto entry = shelves_.begin(); entry != shelves_.end();) {
    Shelf& shelf = entry->second;
    give_up_spare(shelf, now);
    const bool is_over = !shelf.is_in_use() && now - shelf.asked >= bounds_.idle;
    if (is_over) std::ranges::move(shelf.waiting, std::back_inserter(given_up_));
    entry = is_over ? shelves_.erase(entry) : std::next(entry);
  }
  return std::exchange(given_up_, {});
}

// What takes their places comes after a pause, as after a failure.
std::vector<std::unique_ptr<Item>> Shelves::ended(Time now) {
  std::vector<std::unique_ptr<Item>> all;
  if (now < looked_at_ + bounds_.between_looks) return all;
  looked_at_ = now;
  for (auto& [kind, shelf] : shelves_) {
    const auto goes_on = [](const auto& item) { return !item->has_ended(); };
    const auto first = std::stable_partition(shelf.waiting.begin(), shelf.waiting.end(), goes_on);
    if (first == shelf.waiting.end()) continue;
    std::move(first, shelf.waiting.end(), std::back_inserter(all));
    shelf.waiting.erase(first, shelf.waiting.end());
    shelf.spare = std::min(shelf.spare, shelf.waiting.size());
    shelf.not_before = std::max(shelf.not_before, now + bounds_.first_pause);
  }
  return all;
}

std::vector<std::unique_ptr<Item>> Shelves::give_up_all() {
  for (auto& [kind, shelf] : shelves_) {
    std::ranges::move(shelf.waiting, std::back_inserter(given_up_));
    shelf.waiting.clear();
    shelf.spare = 0;
  }
  return std::exchange(given_up_, {});
}

// One is left to a kind that somebody still asks for.
void Shelves::give_up_spare(Shelf& shelf, Time now) {
  if (now - shelf.since < bounds_.idle) return;
  const std::size_t least = std::max<std::size_t>(shelf.kept, 1);
  if (shelf.spare > 0) shelf.wanted = std::clamp(shelf.there(), least, shelf.wanted);
  for (std::size_t left = shelf.spare; left > 0 && shelf.wanted > least; --left) {
    given_up_.push_back(shelf.pop());
    --shelf.wanted;
  }
  shelf.spare = shelf.waiting.size();
  shelf.since = now;
}

Shelves::Time Shelves::next_change(Time now) const {
  Time next = now + bounds_.idle;
  const Time makes = next_making();
  if (waits_since_) next = std::min(next, looks_again_);
  for (const auto& [kind, shelf] : shelves_) {
    next = std::min(next, shelf.since + bounds_.idle);
    if (!shelf.is_in_use()) next = std::min(next, shelf.asked + bounds_.idle);
    if (shelf.not_before > now) next = std::min(next, shelf.not_before);
    if (shelf.there() < shelf.wanted && makes > now)
      next = std::min(next, std::max(makes, shelf.not_before));
    if (const Time gives = shelf.asked + bounds_.recent; gives > now) next = std::min(next, gives);
  }
  return next;
}

Shelves::Time Shelves::next_look() const {
  return waiting() > 0 ? looked_at_ + bounds_.between_looks : Time::max();
}

std::size_t Shelves::waiting() const {
  std::size_t all = 0;
  for (const auto& [kind, shelf] : shelves_) all += shelf.waiting.size();
  return all;
}

std::vector<Stand> Shelves::stands() const {
  std::vector<Stand> all;
  for (const auto& [kind, shelf] : shelves_) {
    Stand stand{shelf.name, shelf.waiting.size(), shelf.coming, shelf.wanted, 0};
    for (const auto& item : shelf.waiting) stand.memory_bytes += item->memory_bytes();
    all.push_back(std::move(stand));
  }
  std::ranges::sort(all, {}, &Stand::kind);  // the kinds' own order may tell what they are
  return all;
}

}  // namespace lazaret::pool
