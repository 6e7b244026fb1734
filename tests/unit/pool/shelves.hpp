#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "pool/shelves.hpp"

// What tests of shelves put on them, and ask of them.
namespace lazaret::pool::test {

struct Thing final : Item {
  explicit Thing(std::uint64_t memory_bytes = 0) : bytes(memory_bytes) {}
  Fitness fitness(const Call&) override { return Fitness::fit; }
  std::uint64_t memory_bytes() const noexcept override { return bytes; }
  bool has_ended() override { return is_over; }
  std::uint64_t bytes;
  bool is_over = false;
};

inline const Make kMake = [](const Call&) { return std::make_unique<Thing>(); };
inline const Maker kMaker = [] { return kMake; };
inline const Shelves::Time kStart = Shelves::Time(std::chrono::hours(1));

/// One that was found fit.
inline std::unique_ptr<Item> take(Shelves& shelves, const std::string& kind, Shelves::Time now) {
  auto item = shelves.take(kind, now);
  if (item) shelves.settle(kind);
  return item;
}

/// So many demands that found none, at this time.
inline void ask(Shelves& shelves, const std::string& kind, int times, Shelves::Time now = kStart) {
  for (int time = 0; time < times; ++time) {
    ASSERT_EQ(take(shelves, kind, now), nullptr);
    (void)shelves.miss(kind, kMaker, now);
  }
}

inline std::string next_kind(Shelves& shelves, Shelves::Time now = kStart) {
  const auto order = shelves.next_order(now);
  return order ? order->kind : "none";
}

inline void put(Shelves& shelves, const std::string& kind, Shelves::Time now = kStart,
                std::uint64_t memory_bytes = 0) {
  shelves.put(kind, std::make_unique<Thing>(memory_bytes), now);
}

/// Orders and puts all that is wanted at this time; how many that were.
inline int fill(Shelves& shelves, Shelves::Time now = kStart, std::uint64_t memory_bytes = 0) {
  int made = 0;
  for (; const auto order = shelves.next_order(now); ++made)
    put(shelves, order->kind, now, memory_bytes);
  return made;
}

}  // namespace lazaret::pool::test
