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

TEST(Ready, IsWhatARequestLikeTheConfiguredOneNeeds) {
  const auto all = ready_in(
      with({{R"({"language":"bash","profile":"strict","limits":{"memory_bytes":1000000000}})", 2},
            {R"({"command":["true"],"environment":{"A":"b"}})", 1},
            {"bash", 1}}),
      {});
  ASSERT_TRUE(all.ok()) << all.error().message();
  ASSERT_EQ(all->size(), 3U);
  const auto& like = all->at(2);
  EXPECT_EQ(like.spec.language, "bash");
  EXPECT_EQ(like.spec.limits.memory_bytes, 1'000'000'000U);
  EXPECT_EQ(like.count, 2U);
  EXPECT_NE(kind_of_box(like.spec), kind_of_box(all->at(0).spec));
}

TEST(Ready, SaysWhatIsNoRequest) {
  for (const char* const wish :
       {R"({"bogus":1})", R"({"language":1})", R"({"language":"cobol"})", R"({"packages":["x"]})",
        R"({"limits":{"memory_bytes":1}})"})
    EXPECT_FALSE(ready_in(with({{wish, 1}}), {}).ok()) << wish;
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
