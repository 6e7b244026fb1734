#include "api/rest/lane.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

using testing::ElementsAre;

struct LaneBed {
  explicit LaneBed(unsigned most_workers = 2, std::size_t waiting = 8)
      : workers(most_workers, waiting), lane(std::make_shared<Lane>(workers, 3)) {}
  Workers workers;
  std::shared_ptr<Lane> lane;
};

// Holds whoever runs it until it is opened.
class LaneBarrier {
 public:
  [[nodiscard]] std::function<void()> task() {
    return [this] {
      reached.set_value();
      open_.get_future().wait();
    };
  }
  void open() { open_.set_value(); }
  std::promise<void> reached;

 private:
  std::promise<void> open_;
};

TEST(Lane, DoesItsTasksOneAtATimeInTheirOrder) {
  std::atomic<int> at_once = 0;
  std::vector<int> order;
  std::latch done(4);
  LaneBed bed;
  for (int number = 0; number < 4; ++number) {
    ASSERT_TRUE(bed.lane->submit([&, number] {
      EXPECT_EQ(++at_once, 1);
      order.push_back(number);
      --at_once;
      done.count_down();
    }));
  }
  done.wait();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST(Lane, TakesThreeInLineAndNoFourth) {
  LaneBarrier barrier;
  LaneBed bed;
  ASSERT_TRUE(bed.lane->submit(barrier.task()));
  barrier.reached.get_future().wait();
  EXPECT_TRUE(bed.lane->busy());
  for (int count = 0; count < 3; ++count) EXPECT_TRUE(bed.lane->submit([] {}));
  EXPECT_FALSE(bed.lane->submit([] {}));
  barrier.open();
}

TEST(Lane, GivesThePlaceOfWhatIsGivenUpToOthersAndNeverThatOfTheFirst) {
  LaneBed bed;
  LaneBarrier barrier;
  const auto given_up = [] { return true; };
  ASSERT_TRUE(bed.lane->submit({barrier.task(), given_up}));
  barrier.reached.get_future().wait();
  std::promise<void> last;
  for (int number = 0; number < 3; ++number)
    EXPECT_TRUE(bed.lane->submit({[] { ADD_FAILURE() << "it was given up"; }, given_up}));
  EXPECT_TRUE(bed.lane->submit([] {}));
  EXPECT_TRUE(bed.lane->submit([] {}));
  EXPECT_TRUE(bed.lane->submit([&last] { last.set_value(); }));
  EXPECT_FALSE(bed.lane->submit([] {}));
  barrier.open();
  last.get_future().wait();
}

TEST(Lane, HoldsUpNoOtherThoughItIsFull) {
  std::promise<void> done;
  LaneBarrier barrier;
  LaneBed bed;
  ASSERT_TRUE(bed.lane->submit(barrier.task()));
  for (int count = 0; count < 3; ++count) ASSERT_TRUE(bed.lane->submit([] {}));
  ASSERT_TRUE(bed.workers.submit([&done] { done.set_value(); }));
  done.get_future().wait();
  barrier.open();
}

// Its next task has no place in the workers' line, and is done all the same.
TEST(Lane, GoesOnWhereTheWorkersHaveNoRoom) {
  LaneBarrier barrier;
  std::promise<void> done;
  LaneBed bed(1, 0);
  ASSERT_TRUE(bed.lane->submit(barrier.task()));
  ASSERT_TRUE(bed.lane->submit([&done] { done.set_value(); }));
  EXPECT_FALSE(bed.workers.submit([] {}));
  barrier.open();
  done.get_future().wait();
}

TEST(Lane, IsRefusedWhereTheWorkersHaveNoRoom) {
  LaneBarrier barrier;
  LaneBed bed(1, 0);
  ASSERT_TRUE(bed.workers.submit(barrier.task()));
  EXPECT_FALSE(bed.lane->submit([] {}));
  EXPECT_FALSE(bed.lane->busy());
  barrier.open();
}

}  // namespace
}  // namespace lazaret::rest
