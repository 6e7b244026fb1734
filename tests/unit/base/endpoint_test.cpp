#include "base/endpoint.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lazaret {
namespace {

TEST(Endpoints, AreHostsAndPorts) {
  EXPECT_EQ(endpoint_in("Example.ORG:443"), (Endpoint{"example.org", 443}));
  EXPECT_EQ(endpoint_in("[2001:DB8::1]:65535"), (Endpoint{"2001:db8::1", 65535}));
  EXPECT_EQ(endpoint_in("example.org.:1"), (Endpoint{"example.org", 1}));
  EXPECT_EQ(endpoint_in(std::string(253, 'a') + ":1"), (Endpoint{std::string(253, 'a'), 1}));
  for (const std::string text :
       {"",     ":",     "a",      "a:",    ":1",     "a:0",  "a:65536",       "a:-1",
        "a:1 ", "a b:1", "a/b:1",  "::1:1", "[::1:1", "[]:1", "[a.example]:1", "[10.0.0.1]:1",
        ".:1",  ".a:1",  "a..b:1", "a..:1", "a:1:2",  "a\n:1"})
    EXPECT_FALSE(endpoint_in(text)) << text;
  EXPECT_FALSE(endpoint_in(std::string(254, 'a') + ":1"));
}

TEST(Endpoints, MayLeaveTheirPortOut) {
  EXPECT_EQ(endpoint_in("a.org", 80), (Endpoint{"a.org", 80}));
  EXPECT_EQ(endpoint_in("a.org:443", 80), (Endpoint{"a.org", 443}));
  EXPECT_EQ(endpoint_in("[::1]", 80), (Endpoint{"::1", 80}));
  EXPECT_EQ(endpoint_in("[::1]:443", 80), (Endpoint{"::1", 443}));
  for (const char* const text : {"", "a.org:", ":443", "::1", "[]"})
    EXPECT_FALSE(endpoint_in(text, 80)) << text;
}

TEST(Endpoints, AreReadAsTheyAreWritten) {
  for (const std::string text : {"example.org:443", "[2001:db8::1]:80", "10.0.0.1:65535"}) {
    const auto endpoint = endpoint_in(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(text_of(*endpoint), text);
  }
}

}  // namespace
}  // namespace lazaret
