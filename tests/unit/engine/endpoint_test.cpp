#include "engine/endpoint.hpp"

#include <gtest/gtest.h>

namespace lazaret::engine {
namespace {

TEST(EngineEndpoint, UnderstandsAUnixSocket) {
  const auto endpoint = parse_endpoint("unix:///run/docker.sock");
  ASSERT_TRUE(endpoint.ok());
  EXPECT_EQ(endpoint->scheme, Scheme::unix_socket);
  EXPECT_EQ(endpoint->address, "/run/docker.sock");
}

TEST(EngineEndpoint, UnderstandsTheOtherSchemes) {
  EXPECT_EQ(parse_endpoint("tcp://h:2375")->scheme, Scheme::tcp);
  EXPECT_EQ(parse_endpoint("http://h:2375")->scheme, Scheme::tcp);
  EXPECT_EQ(parse_endpoint("https://h:2376")->scheme, Scheme::tls);
  EXPECT_EQ(parse_endpoint("ssh://u@h")->scheme, Scheme::ssh);
  EXPECT_EQ(parse_endpoint("npipe:////./pipe/docker_engine")->address, "//./pipe/docker_engine");
}

TEST(EngineEndpoint, RefusesWhatIsNotOne) {
  EXPECT_FALSE(parse_endpoint("").ok());
  EXPECT_FALSE(parse_endpoint("/run/docker.sock").ok());
  EXPECT_FALSE(parse_endpoint("unix://").ok());
  EXPECT_FALSE(parse_endpoint("unix://relative").ok());
  EXPECT_FALSE(parse_endpoint("ftp://x").ok());
  EXPECT_FALSE(parse_endpoint(std::string_view("unix:///a\0b", 11)).ok());
}

TEST(EngineEndpoint, SaysWhatToDoAboutASchemeThatIsNotDialled) {
  auto dialer = dialer_for(*parse_endpoint("tcp://h:2375"));
  const auto wire = dialer->dial(Call{});
  ASSERT_FALSE(wire.ok());
  EXPECT_EQ(wire.error().code(), Errc::unsupported);
  EXPECT_NE(wire.error().hint().find("unix://"), std::string::npos);
}

}  // namespace
}  // namespace lazaret::engine
