#include "pool/pool.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lazaret::pool {
namespace {

using namespace std::chrono_literals;

// Counts what is made and what still is; the things say whether they are fit.
class Workshop {
 public:
  class Thing final : public Item {
   public:
    Thing(Workshop& shop, int which) : number(which), shop_(shop) {}
    ~Thing() override { shop_.change(-1); }
    Fitness fitness(const Call&) override {
      if (shop_.asked) shop_.asked(number);
      return shop_.fitness;
    }
    bool has_ended() override { return shop_.ended == number; }
    const int number;

   private:
    Workshop& shop_;
  };

  [[nodiscard]] Make make() {
    return [this](const Call& call) -> std::unique_ptr<Item> {
      const int number = ++attempts;
      if (fails) return nullptr;
      if (slow) (void)wait(call);
      change(1);
      return std::make_unique<Thing>(*this, number);
    };
  }
  // Until so many exist, or false after seconds.
  [[nodiscard]] bool holds(int wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return there_ == wanted; });
  }
  [[nodiscard]] int there() {
    const std::scoped_lock lock(mutex_);
    return there_;
  }

  std::atomic<int> attempts = 0, ended = 0;  // and which of them has ended
  std::atomic<Fitness> fitness = Fitness::fit;
  std::atomic<bool> fails = false, slow = false;
  std::function<void(int)> asked;  // whether the one of this number is fit

 private:
  void change(int by) {
    const std::scoped_lock lock(mutex_);
    there_ += by;
    changed_.notify_all();
  }
  // Until the maker is told to stop.
  [[nodiscard]] bool wait(const Call& call) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    return never.wait(lock, call.stop, [] { return false; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int there_ = 0;
};

std::unique_ptr<Item> ask(Pool& pool, Workshop& shop, const std::string& kind = "a") {
  auto item = pool.take(kind, Call{}).item;
  if (!item) pool.miss(kind, [&shop] { return shop.make(); });
  return item;
}

// Until so many wait to be handed out; the tests' time limit ends what never comes.
void await_waiting(const Pool& pool, std::size_t wanted) {
  while (pool.counts().waiting != wanted) std::this_thread::sleep_for(1ms);
}

int number_of(const std::unique_ptr<Item>& item) {
  return static_cast<const Workshop::Thing&>(*item).number;
}

TEST(Pool, MakesNothingForWhoComesOnce) {
  Workshop shop;
  Pool pool({});
  EXPECT_EQ(ask(pool, shop), nullptr);
  EXPECT_EQ(pool.counts().missed, 1U);
  EXPECT_EQ(shop.attempts, 0);
}

TEST(Pool, MakesOneAheadForWhoComesAgain) {
  Workshop shop;
  Pool pool({});
  EXPECT_EQ(ask(pool, shop), nullptr);
  EXPECT_EQ(ask(pool, shop), nullptr);
  await_waiting(pool, 1);
  const auto item = ask(pool, shop);
  ASSERT_NE(item, nullptr);
  await_waiting(pool, 1);
  EXPECT_EQ(shop.there(), 2) << "the one that was taken is made up for";
}

// Whose end takes until others are ending too.
class Company final : public Item {
 public:
  Company(std::latch& all, std::atomic<int>& late) : all_(all), late_(late) {}
  ~Company() override {
    all_.count_down();
    int turns = 0;
    while (!all_.try_wait() && ++turns < 10'000) std::this_thread::sleep_for(1ms);
    if (!all_.try_wait()) ++late_;
  }
  Fitness fitness(const Call&) override { return Fitness::fit; }

 private:
  std::latch& all_;
  std::atomic<int>& late_;
};

TEST(Pool, DestroysTogetherWhatWaitsAtItsEnd) {
  constexpr int kCount = 16;
  std::latch all(kCount);
  std::atomic<int> late = 0;
  {
    Pool pool({.most = kCount});
    pool.keep("a", [&](const Call&) { return std::make_unique<Company>(all, late); }, kCount);
    await_waiting(pool, kCount);
  }
  EXPECT_EQ(late, 0);
}

TEST(Pool, DestroysTogetherWhatIsLeavingAtItsEnd) {
  constexpr int kCount = 16;
  std::latch all(kCount);
  std::atomic<int> late = 0;
  {
    Pool pool({});
    for (int index = 0; index < kCount; ++index)
      pool.retire(std::make_unique<Company>(all, late));
  }
  EXPECT_EQ(late, 0);
}

TEST(Pool, HandsEachOutOnce) {
  Workshop shop;
  Pool pool({.most = 4});
  std::set<int> numbers;
  std::vector<std::unique_ptr<Item>> taken;
  while (taken.size() < 200) {
    if (auto item = ask(pool, shop))
      taken.push_back(std::move(item));
    else
      std::this_thread::sleep_for(1ms);
  }
  for (const auto& item : taken) numbers.insert(number_of(item));
  EXPECT_EQ(numbers.size(), taken.size());
  EXPECT_EQ(pool.counts().handed, taken.size());
}

TEST(Pool, KeepsKindsApart) {
  Workshop one, other;
  Pool pool({});
  for (int time = 0; time < 2; ++time) EXPECT_EQ(ask(pool, one, "one"), nullptr);
  await_waiting(pool, 1);
  EXPECT_EQ(ask(pool, other, "other"), nullptr);
  EXPECT_EQ(other.attempts, 0);
}

TEST(Pool, HoldsAtMostWhatItMay) {
  for (const std::size_t most : {1U, 3U}) {
    Workshop shop;
    Pool pool({.most = most});
    for (int time = 0; time < 50; ++time) (void)ask(pool, shop, "kind " + std::to_string(time % 5));
    await_waiting(pool, most);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(pool.counts().waiting, most);
    EXPECT_EQ(shop.there(), static_cast<int>(most));
  }
}

TEST(Pool, MakesNothingWhenItMayHoldNothing) {
  Workshop shop;
  Pool pool({.most = 0});
  for (int time = 0; time < 20; ++time) EXPECT_EQ(ask(pool, shop), nullptr);
  EXPECT_EQ(shop.attempts, 0);
}

TEST(Pool, ReplacesUnnoticedWhatIsNoLongerFit) {
  Workshop shop;
  Pool pool({});
  for (int time = 0; time < 2; ++time) (void)ask(pool, shop);
  await_waiting(pool, 1);
  shop.fitness = Fitness::unfit;
  EXPECT_EQ(ask(pool, shop), nullptr);
  shop.fitness = Fitness::fit;
  EXPECT_GE(pool.counts().unfit, 1U) << "a new one may have come meanwhile";
  await_waiting(pool, 2);
  EXPECT_NE(ask(pool, shop), nullptr);
}

// A demand would find it dead: nobody has to ask for that.
TEST(Pool, ReplacesWhatEndsWhileNobodyAsks) {
  Workshop shop;
  Pool pool({.between_looks = 10ms, .first_pause = 1ms});
  pool.keep("a", shop.make(), 2);
  await_waiting(pool, 2);
  shop.ended = 1;
  for (int look = 0; shop.attempts < 3 && look < 5000; ++look) std::this_thread::sleep_for(1ms);
  ASSERT_EQ(shop.attempts, 3);
  await_waiting(pool, 2);
  EXPECT_EQ(pool.counts().unfit, 1U);
  EXPECT_TRUE(shop.holds(2)) << "the one that has ended is destroyed";
  EXPECT_NE(number_of(ask(pool, shop)), 1);
}

// One slow answer says nothing of those that wait, and a second question is no better.
TEST(Pool, KeepsWhatNobodyCanTellToBeFitAndAsksOnce) {
  Workshop shop;
  Pool pool({.most = 2});
  do (void)ask(pool, shop);
  while (pool.stands().front().wanted < 2);
  await_waiting(pool, 2);
  std::vector<int> questions;
  shop.asked = [&](int number) { questions.push_back(number); };
  shop.fitness = Fitness::unknown;
  const Taken taken = pool.take("a", Call{});
  EXPECT_EQ(taken.item, nullptr);
  EXPECT_TRUE(taken.is_unsure);
  ASSERT_EQ(questions.size(), 1U);
  const int asked = questions.front();
  EXPECT_EQ(pool.counts().waiting, 2U);
  EXPECT_EQ(pool.counts().unfit, 0U);
  shop.fitness = Fitness::fit;
  EXPECT_EQ(number_of(ask(pool, shop)), asked) << "it has not lost its turn";
}

// That takes system calls on what others have given, which may wait.
TEST(Pool, IsFreeWhileSomethingIsAskedWhetherItIsFit) {
  Workshop shop;
  Pool pool({});
  for (int time = 0; time < 2; ++time) (void)ask(pool, shop);
  await_waiting(pool, 1);
  bool answered = false;
  shop.asked = [&](int) { answered = pool.counts().handed == 0; };
  EXPECT_NE(ask(pool, shop), nullptr);
  EXPECT_TRUE(answered);
}

TEST(Pool, GivesUpWhatNobodyAsksFor) {
  Workshop shop;
  Pool pool({.idle = 500ms});
  for (int time = 0; time < 3; ++time) (void)ask(pool, shop);
  while (pool.counts().made < 2) {
    std::this_thread::sleep_for(1ms);
    (void)ask(pool, shop);  // on a busy machine it may have been given up already
  }
  while (!pool.stands().empty()) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(shop.holds(0));
  const int before = shop.attempts;
  EXPECT_EQ(ask(pool, shop), nullptr) << "a kind that was given up is new again";
  EXPECT_EQ(shop.attempts, before);
}

TEST(Pool, WaitsAfterAFailureAndTriesAgain) {
  Workshop shop;
  shop.fails = true;
  Pool pool({.first_pause = 20ms, .longest_pause = 40ms});
  for (int time = 0; time < 2; ++time) EXPECT_EQ(ask(pool, shop), nullptr);
  while (pool.counts().failed < 3) std::this_thread::sleep_for(1ms);
  shop.fails = false;
  await_waiting(pool, 1);
  EXPECT_NE(ask(pool, shop), nullptr);
}

TEST(Pool, EndsWhatIsBeingMadeAndLeavesNothing) {
  Workshop shop;
  {
    Pool pool({.makers = 2});
    shop.slow = true;
    for (int time = 0; time < 4; ++time) (void)ask(pool, shop);
    while (shop.attempts < 2) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(shop.there(), 0);
}

TEST(Pool, DestroysInTheBackgroundWhatIsRetired) {
  Workshop shop;
  Pool pool({});
  pool.retire(shop.make()(Call{}));
  ASSERT_TRUE(shop.holds(0));
}

TEST(Pool, DestroysWhatIsRetiredWhateverIsBeingMade) {
  Workshop shop;
  Pool pool({.makers = 2});
  auto used = shop.make()(Call{});
  shop.slow = true;
  for (int time = 0; time < 4; ++time) (void)ask(pool, shop);
  while (shop.attempts < 3) std::this_thread::sleep_for(1ms);
  pool.retire(std::move(used));
  EXPECT_TRUE(shop.holds(0));
}

TEST(Pool, DestroysWhatIsRetiredBeforeItGoes) {
  Workshop shop;
  {
    Pool pool({});
    for (int time = 0; time < 200; ++time) pool.retire(shop.make()(Call{}));
  }
  EXPECT_EQ(shop.there(), 0);
}

TEST(Pool, ServesManyAtOnce) {
  Workshop shop;
  Pool pool({.most = 4, .idle = 1s});
  std::atomic<unsigned> found = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int time = 0; time < 500; ++time)
          if (ask(pool, shop, std::to_string(time % 3))) ++found;
      });
    }
  }
  EXPECT_EQ(pool.counts().handed, found);
  EXPECT_EQ(pool.counts().handed + pool.counts().missed, 2000U);
}

}  // namespace
}  // namespace lazaret::pool
