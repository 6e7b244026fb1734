#include "policy/hosts.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::policy {
namespace {

using Names = std::set<std::string>;

bool permits(const std::string& rule, const std::string& to) {
  return host_rule_in(rule).value().permits(endpoint_in(to).value());
}

TEST(HostRules, AreReadAsTheyAreWritten) {
  for (const std::string text : {"example.org", "example.org:8443", "*.example.org", "*.a:1",
                                 "10.0.0.1", "[2001:db8::1]", "[::1]:65535", "xn--bcher-kva.de"})
    EXPECT_EQ(text_of(host_rule_in(text).value()), text);
  EXPECT_EQ(host_rule_in("API.Example.Org.:443").value(),
            (HostRule{"api.example.org", false, 443}));
}

TEST(HostRules, AreNothingThatCanBeReadInTwoWays) {
  for (const std::string text : {"",
                                 "*",
                                 "*.",
                                 "*.*.a",
                                 "a.*",
                                 "*a.b",
                                 ".",
                                 ".a",
                                 "a..",
                                 "a..b",
                                 "-a.b",
                                 "a-.b",
                                 "a/b",
                                 "a b",
                                 "a@b",
                                 "http://a",
                                 "a:0",
                                 "a:65536",
                                 "a:x",
                                 "a:",
                                 "::1",
                                 "[::1",
                                 "[]",
                                 "[a]",
                                 "[10.0.0.1]",
                                 "*.10.0.0.1",
                                 "*.[::1]",
                                 "010.0.0.1",
                                 "10.1",
                                 "167772161",
                                 "0x0a000001",
                                 "10.0.0.256",
                                 "10.0.0.01",
                                 "1.2.3.4..",
                                 "a.0x1",
                                 "b\xC3\xBC"
                                 "cher.de",
                                 "a\n.b",
                                 "a,b"})
    EXPECT_EQ(host_rule_in(text).error().code(), Errc::invalid_argument) << text;
  EXPECT_TRUE(host_rule_in(std::string(63, 'a') + ".b").ok());
  EXPECT_FALSE(host_rule_in(std::string(64, 'a') + ".b").ok());
}

TEST(HostRules, PermitTheirHostsAndPorts) {
  EXPECT_TRUE(permits("a.org", "a.org:443"));
  EXPECT_TRUE(permits("a.org", "A.ORG.:80"));
  EXPECT_FALSE(permits("a.org", "a.org:22"));
  EXPECT_FALSE(permits("a.org", "b.a.org:443"));
  EXPECT_TRUE(permits("a.org:22", "a.org:22"));
  EXPECT_FALSE(permits("a.org:22", "a.org:443"));
  EXPECT_TRUE(permits("*.a.org", "b.a.org:443"));
  EXPECT_TRUE(permits("*.a.org", "c.b.a.org:80"));
  EXPECT_FALSE(permits("*.a.org", "a.org:443"));
  EXPECT_FALSE(permits("*.a.org", "ba.org:443"));
}

TEST(HostRules, CoverWhatPermitsNoMore) {
  const auto covers = [](const std::string& one, const std::string& other) {
    return host_rule_in(one).value().covers(host_rule_in(other).value());
  };
  EXPECT_TRUE(covers("a.org", "a.org"));
  EXPECT_TRUE(covers("a.org", "a.org:443"));
  EXPECT_FALSE(covers("a.org", "a.org:22"));
  EXPECT_FALSE(covers("a.org:443", "a.org"));
  EXPECT_TRUE(covers("*.a.org", "b.a.org"));
  EXPECT_TRUE(covers("*.a.org", "*.a.org:80"));
  EXPECT_TRUE(covers("*.a.org", "*.b.a.org"));
  EXPECT_FALSE(covers("*.b.a.org", "*.a.org"));
  EXPECT_FALSE(covers("a.org", "*.a.org"));
  EXPECT_FALSE(covers("*.a.org", "a.org"));
}

TEST(HostsAskedFor, AreAnywhereWhereTheConfigurationNamesThem) {
  const auto egress = egress_of({"a.org", "*.b.org"}, {"public", "10.0.0.1:8080", "*.c.org"});
  ASSERT_TRUE(egress.ok());
  EXPECT_EQ(egress->hosts.size(), 2U);
  ASSERT_EQ(egress->named.size(), 2U);
  EXPECT_EQ(text_of(egress->named[1]), "10.0.0.1:8080");
}

TEST(HostsAskedFor, AreThoseThatTheConfigurationLets) {
  EXPECT_TRUE(egress_of({"b.a.org"}, {"*.a.org"}).ok());
  for (const Names& configured : {Names{}, Names{"b.org"}, Names{"a.org:443"}}) {
    const auto egress = egress_of({"a.org"}, configured);
    ASSERT_FALSE(egress.ok());
    EXPECT_EQ(egress.error().code(), Errc::permission_denied);
    EXPECT_NE(egress.error().hint().find("egress.hosts"), std::string::npos);
  }
  EXPECT_TRUE(egress_of({}, {}).value().hosts.empty());
}

TEST(HostsAskedFor, AreSixtyFourAtMost) {
  EXPECT_TRUE(egress_of(std::vector<std::string>(64, "a.org"), {"public"}).ok());
  EXPECT_EQ(egress_of(std::vector<std::string>(65, "a.org"), {"public"}).error().code(),
            Errc::too_large);
}

TEST(HostsOfAConfiguration, AreRulesOrPublic) {
  for (const char* const text : {"public", "a.org", "*.a.org:80", "[::1]:1"})
    EXPECT_TRUE(check_egress_host(text).ok()) << text;
  for (const char* const text : {"", "*", "all", "10.0.0.1/8", "http://a.org"})
    EXPECT_EQ(check_egress_host(text).ok(), std::string(text) == "all") << text;  // a name, too
}

}  // namespace
}  // namespace lazaret::policy
