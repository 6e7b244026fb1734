#include "runner/image.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace lazaret::runner {
namespace {

std::vector<Elf64_Phdr> segments() {
  const Bytes image = runner_image();
  Elf64_Ehdr header{};
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<Elf64_Phdr> all(header.e_phnum);
  std::memcpy(all.data(), image.data() + header.e_phoff, all.size() * sizeof all.front());
  return all;
}

bool any_segment(bool (*is)(const Elf64_Phdr&)) {
  const auto all = segments();
  return std::any_of(all.begin(), all.end(), is);
}

#ifdef LAZARET_SANITIZED  // made by another compiler than what is shipped
constexpr std::size_t kMostBytes = 160UL << 10;
#else
constexpr std::size_t kMostBytes = 120UL << 10;
#endif

TEST(RunnerImage, IsSmallerThan120Kibibytes) {
  EXPECT_GT(runner_image().size(), sizeof(Elf64_Ehdr));
  EXPECT_LT(runner_image().size(), kMostBytes);
}

// P-02
TEST(RunnerImage, NeedsNothingOfTheBoxItIsPutInto) {
  EXPECT_FALSE(any_segment([](const Elf64_Phdr& segment) {
    return segment.p_type == PT_INTERP || segment.p_type == PT_DYNAMIC;
  }));
}

TEST(RunnerImage, HasNoMemoryThatIsBothWritableAndExecutable) {
  EXPECT_TRUE(
      any_segment([](const Elf64_Phdr& segment) { return segment.p_type == PT_GNU_STACK; }));
  EXPECT_FALSE(any_segment([](const Elf64_Phdr& segment) {
    return (segment.p_flags & PF_W) != 0 && (segment.p_flags & PF_X) != 0;
  }));
}

}  // namespace
}  // namespace lazaret::runner
