#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "unit/egress/ways_out.hpp"

// Places as programs write them, and what becomes of each.
namespace lazaret::egress {
namespace {

struct Target {
  const char* line;  // method and target
  int status;
};
// Ways of writing a place that others have read in two ways (121).
constexpr Target kTargets[] = {
    // as they are allowed
    {"CONNECT a.org:443", 200},
    {"CONNECT A.ORG:443", 200},
    {"CONNECT a.org.:443", 200},
    {"CONNECT a.org:80", 200},
    {"CONNECT x.b.org:443", 200},
    {"CONNECT x.y.b.org:443", 200},
    {"CONNECT c.org:8443", 200},
    {"CONNECT 192.0.2.1:443", 200},
    {"CONNECT [2001:DB8::1]:443", 200},
    {"CONNECT xn--bcher-kva.de:443", 200},
    {"GET http://a.org/", 200},
    {"GET http://a.org", 200},
    {"GET http://a.org:80/x", 200},
    {"GET hTTp://x.b.org?q", 200},
    // other ports and names
    {"CONNECT a.org:22", 403},
    {"CONNECT a.org:65535", 403},
    {"CONNECT c.org:443", 403},
    {"CONNECT b.org:443", 403},
    {"CONNECT xb.org:443", 403},
    {"CONNECT a.org.evil.net:443", 403},
    {"CONNECT evil.net:443", 403},
    {"CONNECT sub.a.org:443", 403},
    {"CONNECT a.orgg:443", 403},
    {"CONNECT .b.org:443", 400},
    {"CONNECT localhost:443", 403},
    {"CONNECT xn--bcher-kvb.de:443", 403},
    {"GET http://evil.net/?http://a.org/", 403},
    {"GET http://evil.net:80#a.org", 403},
    {"GET http://evil.net#@a.org/", 403},
    // addresses in other forms than the one that is allowed
    {"CONNECT 192.0.2.2:443", 403},
    {"CONNECT 0300.0.02.1:443", 403},
    {"CONNECT 0xc0.0.2.1:443", 403},
    {"CONNECT 0xc0000201:443", 403},
    {"CONNECT 3221225985:443", 403},
    {"CONNECT 192.513:443", 403},
    {"CONNECT 192.0.513:443", 403},
    {"CONNECT 127.0.0.1:443", 403},
    {"CONNECT 127.1:443", 403},
    {"CONNECT 0.0.0.0:443", 403},
    {"CONNECT 0:443", 403},
    {"CONNECT 169.254.169.254:80", 403},
    {"CONNECT [::1]:443", 403},
    {"CONNECT [::]:443", 403},
    {"CONNECT [::ffff:192.0.2.1]:443", 403},
    {"CONNECT [::ffff:c000:201]:443", 403},
    {"CONNECT [64:ff9b::c000:201]:443", 403},
    {"CONNECT [2002:c000:201::]:443", 403},
    {"CONNECT [2001:db8:0:0:0:0:0:1]:443", 403},
    {"CONNECT [fd00:ec2::254]:80", 403},
    {"GET http://[::ffff:127.0.0.1]/", 403},
    // what is no place
    {"CONNECT a.org", 400},
    {"CONNECT a.org:", 400},
    {"CONNECT a.org:0", 400},
    {"CONNECT a.org:65536", 400},
    {"CONNECT a.org:+443", 400},
    {"CONNECT a.org:443:443", 400},
    {"CONNECT [a.org]:443", 400},
    {"CONNECT [::1%25lo]:443", 400},
    {"CONNECT [[::1]]:443", 400},
    {"CONNECT evil.net\\@a.org:443", 400},
    {"CONNECT user@a.org:443", 400},
    {"CONNECT a.org:443@evil.net:443", 400},
    {"CONNECT http://a.org:443", 400},
    {"CONNECT b\xC3\xBC"
     "cher.de:443",
     400},
    {"CONNECT a.org%2eevil.net:443", 400},
    {"GET http://user:a.org@evil.net/", 400},
    {"GET http://a.org@evil.net/", 400},
    {"GET http://evil.net\\.a.org/", 400},
    {"GET http:///a.org/", 400},
    {"GET https://a.org/", 400},
    {"GET //a.org/", 400},
    {"GET /", 400},
    {"GET ftp://a.org/", 400},
    {"OPTIONS *", 400},
};

TEST_F(WaysOut, ReadPlacesInOneWay) {
  static_assert(std::size(kTargets) >= 64);
  allow({"a.org", "*.b.org", "c.org:8443", "192.0.2.1", "[2001:db8::1]", "xn--bcher-kva.de"});
  for (const auto& [line, status] : kTargets) {
    const auto wire = client();
    say(*wire, std::string(line) + " HTTP/1.1\r\n\r\n");
    const bool is_plain = std::string_view(line).starts_with("GET");
    if (status == 200 && is_plain) {
      EXPECT_TRUE(becomes([&] { return !seen().empty(); })) << line;
      continue;
    }
    EXPECT_EQ(read_some(*wire, 12), "HTTP/1.1 " + std::to_string(status)) << line;
  }
}

}  // namespace
}  // namespace lazaret::egress
