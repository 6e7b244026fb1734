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

std::unique_ptr<Item> Shelves::take(const std::string& kind, Time now) {
  const auto entry = shelves_.find(kind);
  if (entry == shelves_.end()) return nullptr;
  Shelf& shelf = entry->second;
  shelf.asked_before = std::exchange(shelf.asked, now);
  if (shelf.waiting.empty()) return nullptr;
  if (shelf.not_before <= now) shelf.not_before = now + bounds_.rest;
  return shelf.pop();
}

bool Shelves::miss(const std::string& kind, Make make, Time now) {
  if (!has_room_for(kind)) return false;
  const auto [entry, is_new] = shelves_.try_emplace(kind);
  Shelf& shelf = entry->second;
  shelf.make = std::move(make);
  shelf.asked = now;
  if (is_new) shelf.since = now;
  if (is_new) return false;
  if (shelf.wanted == 0) shelf.not_before = std::max(shelf.not_before, now + bounds_.settling);
  shelf.wanted = std::min(shelf.wanted + 1, bounds_.most);
  return shelf.wanted > 0;
}

void Shelves::keep(const std::string& kind, Make make, std::size_t count, Time now) {
  Shelf& shelf = shelves_[kind];
  shelf.make = std::move(make);
  shelf.kept = std::min(count, bounds_.most);
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

std::size_t Shelves::taken() const {
  std::size_t all = 0;
  for (const auto& [kind, shelf] : shelves_) all += std::max(shelf.there(), shelf.kept);
  return all;
}

std::uint64_t Shelves::memory_bytes() const {
  std::uint64_t all = 0;
  for (const auto& [kind, shelf] : shelves_) {
    all += shelf.coming * shelf.each_bytes;
    for (const auto& item : shelf.waiting) all += item->memory_bytes();
  }
  return all;
}

bool Shelves::has_place_for(const Shelf& shelf) const {
  return (shelf.there() < shelf.kept || taken() < bounds_.most) &&
         memory_bytes() + shelf.each_bytes <= bounds_.memory_bytes;
}

Shelves::Map::iterator Shelves::needy(Time now) {
  auto found = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.there() >= shelf.wanted || shelf.not_before > now) continue;
    if (shelf.each_bytes > bounds_.memory_bytes) continue;
    if (!has_place_for(shelf) && giver_to(shelf, now) == shelves_.end()) continue;
    if (found == shelves_.end() || shelf.asked > found->second.asked) found = entry;
  }
  return found;
}

// The one asked for longest ago, when the other was asked for twice since: or kinds in turns would
// have each other's made for nothing.
Shelves::Map::iterator Shelves::giver_to(const Shelf& needy, Time now) {
  auto found = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.waiting.size() <= shelf.kept || now - shelf.asked < bounds_.recent) continue;
    if (shelf.asked >= needy.asked_before) continue;
    if (found == shelves_.end() || shelf.asked < found->second.asked) found = entry;
  }
  return found;
}

std::optional<Shelves::Order> Shelves::next_order(Time now) {
  const auto entry = next_making() > now ? shelves_.end() : needy(now);
  if (entry == shelves_.end()) return std::nullopt;
  Order order{entry->first, entry->second.make};
  make_place(entry->second, now);
  if (!has_place_for(entry->second)) return std::nullopt;
  ++entry->second.coming;
  paced_ = std::max(paced_, now) + std::chrono::microseconds(1'000'000 / bounds_.rate);
  return order;
}

void Shelves::make_place(const Shelf& needy, Time now) {
  for (auto from = giver_to(needy, now); from != shelves_.end() && !has_place_for(needy);
       from = giver_to(needy, now)) {
    given_up_.push_back(from->second.pop());
    from->second.wanted = from->second.there();
  }
}

// A burst of all that may wait is made at once.
Shelves::Time Shelves::next_making() const {
  return paced_ - (bounds_.most - 1) * std::chrono::microseconds(1'000'000 / bounds_.rate);
}

void Shelves::put(const std::string& kind, std::unique_ptr<Item> item, Time now) {
  Shelf& shelf = shelves_.at(kind);  // stays while something is coming to it
  --shelf.coming;
  shelf.pause = item ? std::chrono::milliseconds(0)
                     : std::clamp(shelf.pause * 2, bounds_.first_pause, bounds_.longest_pause);
  shelf.not_before = now + shelf.pause;
  if (!item) return;
  shelf.each_bytes = item->memory_bytes();
  const bool has_memory = memory_bytes() + shelf.each_bytes <= bounds_.memory_bytes;
  (has_memory ? shelf.waiting.emplace_back() : given_up_.emplace_back()) = std::move(item);
}

std::vector<std::unique_ptr<Item>> Shelves::outdated(Time now) {
  for (auto entry = shelves_.begin(); entry != shelves_.end();) {
    Shelf& shelf = entry->second;
    give_up_spare(shelf, now);
    const bool is_over = shelf.coming + shelf.kept == 0 && now - shelf.asked >= bounds_.idle;
    if (is_over) std::ranges::move(shelf.waiting, std::back_inserter(given_up_));
    entry = is_over ? shelves_.erase(entry) : std::next(entry);
  }
  return std::exchange(given_up_, {});
}

// One is left to a kind that somebody still asks for.
void Shelves::give_up_spare(Shelf& shelf, Time now) {
  if (now - shelf.since < bounds_.idle) return;
  const std::size_t least = std::max<std::size_t>(shelf.kept, 1);
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
  for (const auto& [kind, shelf] : shelves_) {
    next = std::min(next, shelf.since + bounds_.idle);
    if (shelf.coming + shelf.kept == 0) next = std::min(next, shelf.asked + bounds_.idle);
    if (shelf.not_before > now) next = std::min(next, shelf.not_before);
    if (shelf.there() < shelf.wanted && makes > now)
      next = std::min(next, std::max(makes, shelf.not_before));
    if (const Time gives = shelf.asked + bounds_.recent; gives > now) next = std::min(next, gives);
  }
  return next;
}

std::size_t Shelves::waiting() const {
  std::size_t all = 0;
  for (const auto& [kind, shelf] : shelves_) all += shelf.waiting.size();
  return all;
}

std::vector<Stand> Shelves::stands() const {
  std::vector<Stand> all;
  for (const auto& [kind, shelf] : shelves_) {
    Stand stand{kind, shelf.waiting.size(), shelf.coming, shelf.wanted, 0};
    for (const auto& item : shelf.waiting) stand.memory_bytes += item->memory_bytes();
    all.push_back(std::move(stand));
  }
  return all;
}

}  // namespace lazaret::pool
