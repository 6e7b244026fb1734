#include "core/environment.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace lazaret::core {
namespace {

using policy::Config;
using policy::Origin;

Config with(const char* key, Origin origin) {
  Config config;
  config.sources[key] = {origin, "somewhere"};
  return config;
}

TEST(Fingerprint, IsOfSixtyFourDigitsAndTheSameForTheSame) {
  EXPECT_EQ(fingerprint(Config{}).size(), 64U);
  EXPECT_EQ(fingerprint(Config{}), fingerprint(Config{}));
}

TEST(Fingerprint, IsAnotherForAnotherValue) {
  Config other;
  other.subprocess = Subprocess::deny;
  EXPECT_NE(fingerprint(other), fingerprint(Config{}));
}

// With --profile strict subprocesses are denied where nobody has said that they are allowed.
TEST(Fingerprint, IsAnotherWhereSomebodyHasSaidWhatIsBuiltIn) {
  for (const char* const key : {"subprocess", "loopback", "limits.grace"}) {
    const std::string said = fingerprint(with(key, Origin::user_file));
    EXPECT_NE(said, fingerprint(Config{})) << key;
    EXPECT_EQ(said, fingerprint(with(key, Origin::environment))) << "whoever has said it";
  }
}

TEST(Fingerprint, IsTheSameHoweverManyBoxesAreMadeAhead) {
  Config other = with("pool.most", Origin::user_file);
  other.pool.most = 0;
  EXPECT_EQ(fingerprint(other), fingerprint(Config{}));
}

// Where packages come from plays a part for those alone who ask for some.
TEST(Fingerprint, IsAnotherForPackagesOfAnotherIndex) {
  for (const char* const name :
       {"PIP_INDEX_URL", "NPM_CONFIG_REGISTRY", "SSL_CERT_FILE", "XDG_CACHE_HOME"}) {
    const char* const given = ::getenv(name);
    const std::string before = given != nullptr ? given : "";
    const std::string box = fingerprint(Config{});
    const std::string packages = fingerprint(Config{}, Extent::packages);
    EXPECT_EQ(fingerprint(Config{}, Extent::packages), packages);
    EXPECT_NE(packages, box);
    ::setenv(name, "/elsewhere", 1);
    EXPECT_EQ(fingerprint(Config{}), box) << name;
    EXPECT_NE(fingerprint(Config{}, Extent::packages), packages) << name;
    given != nullptr ? ::setenv(name, before.c_str(), 1) : ::unsetenv(name);
  }
}

// A service has no XDG_RUNTIME_DIR, and looks for engines where a login's says.
TEST(Fingerprint, IsTheSameWhetherTheUsualPlaceOfSocketsIsSaid) {
  Config docker;
  docker.type = policy::BackendType::docker;
  const char* const given = ::getenv("XDG_RUNTIME_DIR");
  const std::optional<std::string> before =
      given != nullptr ? std::optional<std::string>(given) : std::nullopt;
  ::unsetenv("XDG_RUNTIME_DIR");
  const std::string unsaid = fingerprint(docker);
  ::setenv("XDG_RUNTIME_DIR", ("/run/user/" + std::to_string(::getuid())).c_str(), 1);
  EXPECT_EQ(fingerprint(docker), unsaid);
  ::setenv("XDG_RUNTIME_DIR", "/elsewhere", 1);
  EXPECT_NE(fingerprint(docker), unsaid);
  ::unsetenv("XDG_RUNTIME_DIR");
  if (before) ::setenv("XDG_RUNTIME_DIR", before->c_str(), 1);
}

}  // namespace
}  // namespace lazaret::core
