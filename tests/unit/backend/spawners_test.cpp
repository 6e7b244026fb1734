#include "backend/linux/spawners.hpp"

#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "backend/linux/identity.hpp"

namespace lazaret::backend::native {
namespace {

// Processors that are not there: nobody's own.
constexpr Processors kFour{0, 0b1101'0001};

TEST(Seats, AreTakenWhereTheFewestAre) {
  Seats seats(kFour);
  EXPECT_EQ(seats.numbers(), (std::vector<std::size_t>{64, 68, 70, 71}));
  std::vector<Seats::Seat> held;
  for (std::size_t box = 0; box < 8; ++box) {
    held.push_back(seats.take());
    EXPECT_EQ(held.back().turn(), box % 4);
  }
  held.erase(held.begin() + 2);
  EXPECT_EQ(seats.taken(), 7U);
  EXPECT_EQ(seats.take().turn(), 2U);
  held.front() = seats.take();  // the new one is had before the old one is left
  EXPECT_EQ(held.front().turn(), 2U);
  EXPECT_EQ(seats.take().turn(), 0U);
  held.clear();
  EXPECT_EQ(seats.taken(), 0U);
}

TEST(Seats, AreOneWhereProcessorsAreNotKnown) {
  Seats seats(Processors{});
  const Seats::Seat first = seats.take();
  EXPECT_EQ(seats.take().turn(), 0U);
  EXPECT_EQ(seats.taken(), 1U);
}

/// Spawners on four processors, so many of which can be begun as a test says.
class SpawnersOnFour : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "the first processes are root's";
  }
  Spawners::Choice chosen() {
    auto choice = spawners_.choose(Call{});
    EXPECT_TRUE(choice.ok());
    return choice.ok() ? std::move(*choice) : Spawners::Choice{};
  }
  std::vector<Spawners::Choice> chosen(int boxes) {
    std::vector<Spawners::Choice> held;
    for (int box = 0; box < boxes; ++box) held.push_back(chosen());
    return held;
  }

  std::size_t possible_ = 4;
  std::vector<Processors> homes_;
  Spawners spawners_{kFour, 16, [this](const Processors& home, const Call&) {
                       homes_.push_back(home);
                       return homes_.size() > possible_ ? Error(Errc::system, "no more") : begun();
                     }};

 private:
  static Result<Spawners::Shared> begun() {
    auto spawner = Spawner::begin({HostIdentity::nobody, 0, 0});
    if (!spawner.ok()) return spawner.error();
    return Spawners::Shared(std::move(*spawner));
  }
};

// P-53: a caller with one box at a time has one; boxes are spread before further ones are begun.
TEST_F(SpawnersOnFour, AreBegunWhenThereAreMoreThanTwoBoxesForEach) {
  EXPECT_EQ(spawners_.any(), nullptr);
  for (int time = 0; time < 5; ++time) (void)chosen();
  EXPECT_EQ(homes_, (std::vector<Processors>{{0, 0b1}}));
  const auto held = chosen(8);
  EXPECT_EQ(homes_, (std::vector<Processors>{
                        {0, 0b1}, {0, 0b100'0000}, {0, 0b1'0000}, {0, 0b1000'0000}}));
  for (std::size_t box = 0; box < held.size(); ++box) EXPECT_EQ(held[box].seat.turn(), box % 4);
  EXPECT_EQ(held[1].spawner, held[0].spawner) << "its own was not begun yet";
  EXPECT_NE(held[5].spawner, held[0].spawner);
  EXPECT_EQ(held[6].spawner, held[2].spawner);
}

TEST_F(SpawnersOnFour, MakeDoWithOthersForAWhileWhereThereCanBeNoMore) {
  possible_ = 1;
  const auto held = chosen(12);
  for (const auto& choice : held) EXPECT_EQ(choice.spawner, held.front().spawner);
  EXPECT_EQ(homes_.size(), 4U) << "each of the others is tried once";
}

TEST_F(SpawnersOnFour, AvoidWhatHasRefusedABox) {
  const auto held = chosen(8);
  spawners_.avoid(held[4].spawner);
  EXPECT_NE(chosen().spawner, held[4].spawner) << "its seat is the best all the same";
}

TEST_F(SpawnersOnFour, SayWhyThereIsNone) {
  possible_ = 0;
  const auto none = spawners_.choose(Call{});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "no more");
  possible_ = 2;
  EXPECT_TRUE(spawners_.choose(Call{}).ok()) << "where there is no other, nothing rests";
}

TEST(Spawners, KeepToNoProcessorWhereThereIsOneOfThem) {
  std::vector<Processors> homes;
  Spawners one(kFour, 1, [&homes](const Processors& home, const Call&) {
    homes.push_back(home);
    return Result<Spawners::Shared>(Error(Errc::system, "none"));
  });
  EXPECT_FALSE(one.choose(Call{}).ok());
  EXPECT_EQ(homes, std::vector<Processors>{Processors{}});
}

// With more processors than spawners each has several, and they are all had.
TEST_F(SpawnersOnFour, ShareAllProcessors) {
  Spawners two(kFour, 2, [this](const Processors& home, const Call&) {
    homes_.push_back(home);
    return Result<Spawners::Shared>(Error(Errc::system, "none"));
  });
  EXPECT_FALSE(two.choose(Call{}).ok());
  EXPECT_EQ(homes_, (std::vector<Processors>{{0, 0b100'0001}}));
}

}  // namespace
}  // namespace lazaret::backend::native
