#include "core/ready.hpp"

#include <gtest/gtest.h>

#include "core/warm_backend.hpp"

namespace lazaret::core {
namespace {

policy::Config with(std::map<std::string, std::uint32_t> ready) {
  policy::Config config;
  config.pool.ready = std::move(ready);
  return config;
}

TEST(Ready, IsWhatARequestOfItsLanguageAloneNeeds) {
  const auto all = ready_in(with({{"python", 3}}), std::chrono::milliseconds(2000));
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().spec.language, "python");
  EXPECT_EQ(all->front().spec.limits.grace, std::chrono::milliseconds(2000));
  EXPECT_EQ(all->front().count, 3U);
}

TEST(Ready, IsNoMoreThanMayWait) {
  EXPECT_TRUE(ready_in(with({{"python", 4}, {"bash", 4}}), {}).ok());
  const auto more = ready_in(with({{"python", 4}, {"bash", 5}}), {});
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code(), Errc::invalid_argument);
}

TEST(Ready, IsNothingWithoutAPool) {
  policy::Config config = with({{"python", 4}});
  config.pool.most = 0;
  const auto none = ready_in(config, {});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
}

TEST(Ready, SaysWhatTheProfileForbids) {
  policy::Config config = with({{"c", 1}});
  config.profile = Profile::strict;
  EXPECT_EQ(ready_in(config, {}).error().code(), Errc::permission_denied);
}

}  // namespace
}  // namespace lazaret::core
