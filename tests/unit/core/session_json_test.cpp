#include "core/session_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Result<SessionRequest> session_in(const char* text) {
  return session_request_of(nlohmann::json::parse(text));
}

TEST(SessionJson, SaysNothingByDefault) {
  const auto session = session_in("{}");
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->language, "python");
  EXPECT_EQ(session->lifetime, 3600s);
  EXPECT_EQ(session->idle, 600s);
  EXPECT_FALSE(session->image || session->profile || session->required_controls);
}

TEST(SessionJson, SaysWhatABoxIs) {
  const auto session =
      session_in(R"({"language": "bash", "lifetime_s": 7, "idle_s": 3, "image": "i",
    "limits": {"memory_bytes": 1000000}, "profile": "strict", "subprocess": "deny",
    "loopback": "up", "hosts": ["a.org"], "required_controls": ["network"],
    "mounts": [{"source": "/a", "target": "/mnt/a"}], "packages": ["six==1.16"]})");
  ASSERT_TRUE(session.ok()) << session.error().message();
  EXPECT_EQ(session->language, "bash");
  EXPECT_EQ(session->lifetime, 7s);
  EXPECT_EQ(session->idle, 3s);
  EXPECT_EQ(session->image, "i");
  EXPECT_EQ(session->limits.memory_bytes, 1000000U);
  EXPECT_EQ(session->profile, Profile::strict);
  EXPECT_EQ(session->subprocess, Subprocess::deny);
  EXPECT_EQ(session->loopback, Loopback::up);
  EXPECT_EQ(session->hosts, std::vector<std::string>{"a.org"});
  EXPECT_EQ(session->required_controls->size(), 1U);
  EXPECT_EQ(session->mounts.size(), 1U);
  EXPECT_EQ(session->packages, std::vector<std::string>{"six==1.16"});
}

TEST(SessionJson, NamesTheMemberThatCannotBe) {
  for (const auto& [text, name] : std::vector<std::pair<const char*, const char*>>{
           {R"({"code": "1"})", "code"},
           {R"({"command": ["a"]})", "command"},
           {R"({"files": []})", "files"},
           {R"({"session": "1"})", "session"},
           {R"({"lifetime_s": -1})", "lifetime_s"},
           {R"({"lifetime_s": 1.5})", "lifetime_s"},
           {R"({"lifetime_s": 18446744073709551615})", "lifetime_s"},
           {R"({"idle_s": "1"})", "idle_s"},
           {R"({"packages": ["a-1-py3-none-any.whl"]})", "packages"},
           {R"({"colour": 1})", "colour"}}) {
    const auto session = session_in(text);
    ASSERT_FALSE(session.ok()) << text;
    EXPECT_EQ(session.error().code(), Errc::invalid_argument);
    EXPECT_THAT(session.error().message(), HasSubstr(name));
  }
  EXPECT_FALSE(session_in("[]").ok());
}

}  // namespace
}  // namespace lazaret::core
