#include "api/rest/metrics.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::rest {
namespace {

using testing::HasSubstr;

std::string text_with(Metrics& metrics, std::uint64_t made) {
  core::PoolState pool{.backend = "docker", .counts = {}, .stands = {}};
  pool.counts.made = made;
  return metrics.text({.queued = 0, .running = 0, .sessions = 0, .pools = {pool}});
}

// An engine that has moved has a backend of its own, which counts from nothing.
TEST(Metrics, CountAPoolsEventsAnewWhereItBeginsAnew) {
  const std::string made = "lazaret_pool_events_total{backend=\"docker\",event=\"made\"} ";
  Metrics metrics;
  for (const char* const count : {"5", "7", "7", "2", "3", "0"})
    EXPECT_THAT(text_with(metrics, std::stoull(count)), HasSubstr(made + count + "\n")) << count;
}

}  // namespace
}  // namespace lazaret::rest
