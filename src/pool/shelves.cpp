#include "pool/shelves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lazaret::pool {

std::unique_ptr<Item> Shelves::take(const std::string& kind, Time now) {
  const auto entry = shelves_.find(kind);
  if (entry == shelves_.end()) return nullptr;
  Shelf& shelf = entry->second;
  shelf.asked_before = std::exchange(shelf.asked, now);
  if (shelf.waiting.empty()) return nullptr;
  std::unique_ptr<Item> item = std::move(shelf.waiting.front());
  shelf.waiting.pop_front();
  if (shelf.not_before <= now) shelf.not_before = now + bounds_.rest;
  return item;
}

bool Shelves::miss(const std::string& kind, Make make, Time now) {
  if (!has_room_for(kind)) return false;
  const auto [entry, is_new] = shelves_.try_emplace(kind);
  Shelf& shelf = entry->second;
  shelf.make = std::move(make);
  shelf.asked = now;
  if (is_new) return false;
  if (shelf.wanted == 0) shelf.not_before = std::max(shelf.not_before, now + bounds_.settling);
  shelf.wanted = std::min(shelf.wanted + 1, bounds_.most);
  return shelf.wanted > 0;
}

// A new kind takes the place of the one asked for longest ago, of which there is nothing.
bool Shelves::has_room_for(const std::string& kind) {
  if (shelves_.size() < bounds_.kinds || shelves_.contains(kind)) return true;
  auto oldest = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (!shelf.waiting.empty() || shelf.coming > 0) continue;
    if (oldest == shelves_.end() || shelf.asked < oldest->second.asked) oldest = entry;
  }
  if (oldest == shelves_.end()) return false;
  shelves_.erase(oldest);
  return true;
}

std::size_t Shelves::there() const {
  std::size_t all = 0;
  for (const auto& [kind, shelf] : shelves_) all += shelf.waiting.size() + shelf.coming;
  return all;
}

Shelves::Map::iterator Shelves::needy(Time now) {
  auto found = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.waiting.size() + shelf.coming >= shelf.wanted || shelf.not_before > now) continue;
    if (found == shelves_.end() || shelf.asked > found->second.asked) found = entry;
  }
  return found;
}

// The one asked for longest ago.
Shelves::Map::iterator Shelves::giver(Time now) {
  auto found = shelves_.end();
  for (auto entry = shelves_.begin(); entry != shelves_.end(); ++entry) {
    const Shelf& shelf = entry->second;
    if (shelf.waiting.empty() || now - shelf.asked < bounds_.recent) continue;
    if (found == shelves_.end() || shelf.asked < found->second.asked) found = entry;
  }
  return found;
}

std::optional<Shelves::Order> Shelves::next_order(Time now) {
  const auto entry = needy(now);
  if (entry == shelves_.end()) return std::nullopt;
  Order order{entry->first, entry->second.make};
  if (there() >= bounds_.most) {
    const auto from = giver(now);
    // Asked for twice since, or kinds in turns would have each other's made for nothing.
    if (from == shelves_.end() || from->second.asked >= entry->second.asked_before)
      return std::nullopt;
    Shelf& shelf = from->second;
    order.displaced = std::move(shelf.waiting.front());
    shelf.waiting.pop_front();
    shelf.wanted = shelf.waiting.size() + shelf.coming;
  }
  ++entry->second.coming;
  return order;
}

void Shelves::put(const std::string& kind, std::unique_ptr<Item> item, Time now) {
  Shelf& shelf = shelves_.at(kind);  // stays while something is coming to it
  --shelf.coming;
  shelf.pause = item ? std::chrono::milliseconds(0)
                     : std::clamp(shelf.pause * 2, bounds_.first_pause, bounds_.longest_pause);
  shelf.not_before = now + shelf.pause;
  if (item) shelf.waiting.push_back(std::move(item));
}

std::vector<std::unique_ptr<Item>> Shelves::outdated(Time now) {
  std::vector<std::unique_ptr<Item>> old;
  for (auto entry = shelves_.begin(); entry != shelves_.end();) {
    Shelf& shelf = entry->second;
    const bool is_given_up = shelf.coming == 0 && now - shelf.asked >= bounds_.idle;
    if (is_given_up) std::ranges::move(shelf.waiting, std::back_inserter(old));
    entry = is_given_up ? shelves_.erase(entry) : std::next(entry);
  }
  return old;
}

Shelves::Time Shelves::next_change(Time now) const {
  Time next = now + bounds_.idle;
  for (const auto& [kind, shelf] : shelves_) {
    if (shelf.coming == 0) next = std::min(next, shelf.asked + bounds_.idle);
    if (shelf.not_before > now) next = std::min(next, shelf.not_before);
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
