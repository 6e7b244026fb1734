#include "backend/linux/subordinate.hpp"

#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

constexpr Owner kAda{"ada", 1000};

TEST(SubordinateIds, AreTheLastOfTheFirstRange) {
  EXPECT_EQ(last_id_of("ada:100000:65536\nada:200000:10\n", kAda), 165535U);
  EXPECT_EQ(last_id_of("ada:100000:1", kAda), 100000U);
}

TEST(SubordinateIds, AreGivenByNameOrByNumber) {
  constexpr const char* kFile = "eve:100000:65536\n1000:300000:5\n";
  EXPECT_EQ(last_id_of(kFile, kAda), 300004U);
  EXPECT_EQ(last_id_of(kFile, Owner{"eve", 1001}), 165535U);
}

TEST(SubordinateIds, AreNobodyElses) {
  EXPECT_FALSE(last_id_of("adam:100000:65536\n10001:300000:5\n", kAda));
  EXPECT_FALSE(last_id_of("", kAda));
  EXPECT_FALSE(last_id_of(":100000:65536\n", Owner{"", 1000}));
}

TEST(SubordinateIds, IgnoreLinesThatGiveNothing) {
  EXPECT_EQ(last_id_of("# ada\nada\nada:\nada:x:5\nada:5:\nada:7:0\nada:100:2", kAda), 101U);
}

TEST(SubordinateIds, NeverReachRootOrTheIdThatMeansNobody) {
  EXPECT_FALSE(last_id_of("ada:0:65536", kAda));
  EXPECT_EQ(last_id_of("ada:4294967294:1", kAda), 4294967294U);
  EXPECT_FALSE(last_id_of("ada:4294967294:2", kAda));
  EXPECT_FALSE(last_id_of("ada:18446744073709551615:2", kAda));
}

}  // namespace
}  // namespace lazaret::backend::native
