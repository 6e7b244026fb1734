#include "backend/linux/plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace lazaret::backend::native {
namespace {

policy::Spec spec_of(const char* program) {
  policy::Spec spec;
  spec.program.argv = {program};
  return spec;
}

bool limits(const Order& order, int resource) {
  for (std::uint32_t index = 0; index < order.limit_count; ++index) {
    if (order.limits[index].resource == resource) return true;
  }
  return false;
}

TEST(Order, BoundsAddressSpaceOnlyWhereNoCgroupHoldsMemory) {
  EXPECT_TRUE(limits(order_of(spec_of("python3"), HeldBy::limits), RLIMIT_AS));
  EXPECT_FALSE(limits(order_of(spec_of("python3"), HeldBy::cgroup), RLIMIT_AS));
}

TEST(Order, HoldsEachResourceToWhatIsAsked) {  // L-06, L-35
  policy::Spec spec = spec_of("true");
  spec.limits.open_files = 77;
  spec.limits.file_bytes = 1 << 20;
  spec.limits.pids = 9;
  const std::map<int, std::uint64_t> asked = {
      {RLIMIT_NOFILE, 77},       {RLIMIT_FSIZE, 1 << 20},     {RLIMIT_CORE, 0},
      {RLIMIT_MEMLOCK, 64 << 10}, {RLIMIT_MSGQUEUE, 64 << 10}, {RLIMIT_RTPRIO, 0},
      {RLIMIT_NICE, 0},          {RLIMIT_NPROC, 10}};
  const Order order = order_of(spec, HeldBy::cgroup);
  std::map<int, std::uint64_t> ordered;
  for (std::uint32_t index = 0; index < order.limit_count; ++index)
    ordered.emplace(order.limits[index].resource, order.limits[index].value.rlim_cur);
  EXPECT_EQ(ordered, asked);
}

// P-50
TEST(Order, BoundsTheDataOfRuntimesThatReserveAddressSpace) {
  const auto bounded = [](const policy::Spec& spec) {
    const Order order = order_of(spec, HeldBy::limits);
    return std::pair(limits(order, RLIMIT_AS), limits(order, RLIMIT_DATA));
  };
  for (const char* const program : {"/usr/bin/node", "npm", "go", "rustc"})
    EXPECT_EQ(bounded(spec_of(program)), std::pair(false, true)) << program;
  for (const char* const program : {"javac", "/usr/bin/java", "deno"})
    EXPECT_EQ(bounded(spec_of(program)), std::pair(false, false)) << program;
  policy::Spec compiled = spec_of("/work/main");
  compiled.language = "go";
  EXPECT_EQ(bounded(compiled), std::pair(false, true));
  compiled.language = "c";
  EXPECT_EQ(bounded(compiled), std::pair(true, false));
}

TEST(Order, HasRoomForTheLargestNumbers) {
  policy::Spec spec = spec_of("true");
  spec.limits.disk_bytes = spec.limits.disk_files = ~0ULL;
  EXPECT_EQ(std::string(order_of(spec, HeldBy::limits).shared_options.data()),
            "size=18446744073709551615,nr_inodes=18446744073709551615,mode=1777");
}

// P-53
TEST(ShareOfProcessors, IsAsManyAsTheLimitNeeds) {
  const Processors four{0b1111};
  EXPECT_EQ(share_of(four, 1.0, 0), Processors{0b0001});
  EXPECT_EQ(share_of(four, 0.1, 0), Processors{0b0001});
  EXPECT_EQ(share_of(four, 1.1, 0), Processors{0b0011});
  EXPECT_EQ(share_of(four, 3.0, 0), Processors{0b0111});
}

TEST(ShareOfProcessors, MovesOnEachTurnAndWrapsAround) {
  const Processors some{0b101100};
  EXPECT_EQ(share_of(some, 1.0, 0), Processors{0b000100});
  EXPECT_EQ(share_of(some, 1.0, 1), Processors{0b001000});
  EXPECT_EQ(share_of(some, 1.0, 2), Processors{0b100000});
  EXPECT_EQ(share_of(some, 2.0, 2), Processors{0b100100});
}

TEST(ShareOfProcessors, IsAllWhenAllAreNeeded) {
  EXPECT_EQ(share_of(Processors{0b11}, 2.0, 0), Processors{0b11});
  EXPECT_EQ(share_of(Processors{0b11}, 64.0, 1), Processors{0b11});
  EXPECT_EQ(share_of(Processors{}, 1.0, 0), Processors{});
}

TEST(NumbersOfProcessors, AreTakenApartAndPutTogether) {
  Processors some{0b101101};
  some[15] = 1ULL << 63;
  const std::vector<std::size_t> numbers = numbers_of(some);
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 2, 3, 5, 1023}));
  EXPECT_EQ(every(numbers, 0, 1), some);
  EXPECT_EQ(every(numbers, 1, 2), Processors{0b100100});
  EXPECT_EQ(every(numbers, 5, 2), Processors{});
  EXPECT_EQ(numbers_of({}), std::vector<std::size_t>());
}

TEST(ShareOfProcessors, ReachesBeyondTheFirstWord) {
  Processors two{};
  two[1] = 1;
  two[15] = 1ULL << 63;
  Processors last{};
  last[15] = 1ULL << 63;
  EXPECT_EQ(share_of(two, 1.0, 1), last);
}

}  // namespace
}  // namespace lazaret::backend::native
