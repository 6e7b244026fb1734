#include "backend/linux/spawners.hpp"

#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

/// Spawners on three processors, of which so many can be begun as a test says.
class SpawnersOnThree : public testing::Test {
 protected:
  Spawners::Choice chosen() {
    auto choice = spawners_.choose(Call{});
    EXPECT_TRUE(choice.ok());
    return choice.ok() ? *choice : Spawners::Choice{};
  }

  int possible_ = 3;
  std::vector<Processors> homes_;
  Spawners spawners_{Processors{0b1101}, 16, [this](const Processors& home, const Call&) {
                       homes_.push_back(home);
                       const bool fails = static_cast<int>(homes_.size()) > possible_;
                       return fails ? Error(Errc::system, "no more") : begun();
                     }};

 private:
  static Result<Spawners::Shared> begun() {
    auto spawner = Spawner::begin({});
    if (!spawner.ok()) return spawner.error();
    return Spawners::Shared(std::move(spawner).value());
  }
};

// P-53: a caller with one box at a time has one; each further one has a home of its own.
TEST_F(SpawnersOnThree, AreBegunWhenAllHaveTwoBoxes) {
  EXPECT_EQ(spawners_.any(), nullptr);
  for (int time = 0; time < 5; ++time) (void)chosen();
  EXPECT_EQ(homes_, (std::vector<Processors>{{0b0001}}));
  std::vector<Spawners::Choice> held;
  for (int box = 0; box < 6; ++box) held.push_back(chosen());
  EXPECT_EQ(homes_, (std::vector<Processors>{{0b0001}, {0b0100}, {0b1000}}));
  EXPECT_EQ(held[0].spawner, held[1].spawner);
  EXPECT_EQ(held[2].spawner, held[3].spawner);
  EXPECT_EQ(held[4].spawner, held[5].spawner);
  EXPECT_EQ(held[5].turn, 2U);
}

TEST_F(SpawnersOnThree, GiveTheOneWithTheFewestBoxes) {
  std::vector<Spawners::Choice> held;
  for (int box = 0; box < 6; ++box) held.push_back(chosen());
  const std::size_t freed = held[2].turn;
  held.erase(held.begin() + 2);
  EXPECT_EQ(chosen().turn, freed);
}

TEST_F(SpawnersOnThree, MakeDoWithTheFirstForAWhileWhereThereCanBeNoMore) {
  possible_ = 1;
  std::vector<Spawners::Choice> held;
  for (int box = 0; box < 8; ++box) held.push_back(chosen());
  for (const auto& choice : held) EXPECT_EQ(choice.spawner, held.front().spawner);
  EXPECT_EQ(homes_.size(), 3U) << "each of the others is tried once";
}

TEST_F(SpawnersOnThree, SayWhyThereIsNone) {
  possible_ = 0;
  const auto none = spawners_.choose(Call{});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "no more");
}

TEST(Spawners, KeepToNoProcessorWhereThereIsOneOfThem) {
  std::vector<Processors> homes;
  Spawners one(Processors{0b1101}, 1, [&homes](const Processors& home, const Call&) {
    homes.push_back(home);
    return Result<Spawners::Shared>(Error(Errc::system, "none"));
  });
  EXPECT_FALSE(one.choose(Call{}).ok());
  EXPECT_EQ(homes, std::vector<Processors>{Processors{}});
}

}  // namespace
}  // namespace lazaret::backend::native
