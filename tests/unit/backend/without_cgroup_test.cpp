#include "backend/linux/without_cgroup.hpp"

#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

TEST(WithoutCgroup, CountsTasksByNamespaceSinceLinux514) {  // P-51
  for (const char* const release : {"5.14.0", "5.14", "5.15.0-91-generic", "6.1.0-18", "10.0"})
    EXPECT_TRUE(counts_tasks_by_namespace(release)) << release;
  for (const char* const release : {"5.13.0", "5.13.19-generic", "5.4.0", "4.19.0",
                                    "3.10.0-1160.el7", "", "5", "5.", "x.20", "."})
    EXPECT_FALSE(counts_tasks_by_namespace(release)) << release;
}

}  // namespace
}  // namespace lazaret::backend::native
