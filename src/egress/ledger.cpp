#include "egress/ledger.hpp"

#include <utility>

namespace lazaret::egress {
namespace {

constexpr std::size_t kMostEntries = 256;

}  // namespace

std::shared_ptr<Ledger::Entry> Ledger::open(const Endpoint& to) {
  auto entry = std::make_shared<Entry>(to);
  const std::scoped_lock lock(mutex_);
  if (entries_.size() < kMostEntries)
    entries_.push_back(entry);
  else
    ++unlisted_;
  return entry;
}

void Ledger::decide(Entry& entry, Connection::Outcome outcome, std::string reason) {
  const std::scoped_lock lock(mutex_);
  entry.outcome_ = outcome;
  entry.reason_ = std::move(reason);
  entry.has_news_ = true;
}

void Ledger::close(Entry& entry) {
  const std::scoped_lock lock(mutex_);
  entry.is_over_ = true;
}

void Ledger::turn_away(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  ++turned_away_[why];
}

Ledger::Seen Ledger::take() {
  const std::scoped_lock lock(mutex_);
  Seen seen{{}, std::exchange(unlisted_, 0), std::exchange(turned_away_, {})};
  for (const auto& entry : entries_) {
    const std::uint64_t sent = entry->sent, received = entry->received;
    const std::uint64_t more_sent = sent - std::exchange(entry->told_sent_, sent);
    const std::uint64_t more_received = received - std::exchange(entry->told_received_, received);
    if (!std::exchange(entry->has_news_, false) && more_sent + more_received == 0) continue;
    seen.connections.push_back({entry->to.host, entry->to.port, entry->outcome_, entry->reason_,
                                more_sent, more_received});
  }
  std::erase_if(entries_, [](const auto& entry) { return entry->is_over_; });
  return seen;
}

}  // namespace lazaret::egress
