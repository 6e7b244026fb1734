#include "policy/mounts.hpp"

#include <gtest/gtest.h>

namespace lazaret::policy {
namespace {

const std::set<std::string> kAnywhere = {"/"};

Mount mount(std::string source, std::string target = "/mnt/data") {
  return {std::move(source), std::move(target), MountAccess::read_only};
}

TEST(Mounts, AreReadFromWords) {
  const auto read_only = parse_mount("/srv/a:/mnt/a").value();
  EXPECT_EQ(read_only.source, "/srv/a");
  EXPECT_EQ(read_only.target, "/mnt/a");
  EXPECT_EQ(read_only.access, MountAccess::read_only);
  EXPECT_EQ(parse_mount("/srv/a:/mnt/a:ro").value().access, MountAccess::read_only);
  EXPECT_EQ(parse_mount("/srv/a:b:/mnt/a:rw").value().source, "/srv/a:b");
  EXPECT_EQ(parse_mount("/srv/a:b:/mnt/a:rw").value().access, MountAccess::read_write);
  for (const char* const text : {"", "/srv/a", ":/mnt/a", "/srv/a:rw"}) {
    EXPECT_FALSE(parse_mount(text).ok()) << text;
  }
}

TEST(Mounts, HaveAnAbsoluteSourceWithoutStepsBack) {
  EXPECT_TRUE(check_source("/srv/a").ok());
  for (const std::string& path :
       {std::string(""), std::string("a"), std::string("/srv/../etc"), std::string("/srv/./a"),
        std::string("/srv//a"), std::string("/srv/"), std::string("/a\0b", 4)}) {
    EXPECT_FALSE(check_source(path).ok()) << path;
  }
  EXPECT_TRUE(check_source("/" + std::string(1022, 'a')).ok());
  EXPECT_FALSE(check_source("/" + std::string(1023, 'a')).ok());
}

TEST(Mounts, AreSeenInMntOnlyAndEachAtItsOwnPlace) {
  EXPECT_TRUE(check_mounts({mount("/srv/a")}, kAnywhere).ok());
  for (const char* const target :
       {"/work", "/mnt", "/mnt/", "/mnt/..", "/mnt/a/b", "/mnt/a b", "mnt/a", "/etc/passwd"}) {
    EXPECT_FALSE(check_mounts({mount("/srv/a", target)}, kAnywhere).ok()) << target;
  }
  EXPECT_TRUE(check_mounts({mount("/srv/a", "/mnt/" + std::string(64, 'a'))}, kAnywhere).ok());
  EXPECT_FALSE(check_mounts({mount("/srv/a", "/mnt/" + std::string(65, 'a'))}, kAnywhere).ok());
  EXPECT_FALSE(check_mounts({mount("/srv/a"), mount("/srv/b")}, kAnywhere).ok());
}

TEST(Mounts, AreEightAtMost) {
  std::vector<Mount> mounts;
  for (char name = 'a'; name < 'i'; ++name)
    mounts.push_back(mount("/srv/a", std::string("/mnt/") + name));
  EXPECT_TRUE(check_mounts(mounts, kAnywhere).ok());
  mounts.push_back(mount("/srv/a", "/mnt/i"));
  EXPECT_EQ(check_mounts(mounts, kAnywhere).error().code(), Errc::too_large);
}

TEST(Mounts, LieWhereTheConfigurationAllowsIt) {
  const std::set<std::string> allowed = {"/srv", "/data/in"};
  EXPECT_TRUE(check_mounts({mount("/srv/a")}, allowed).ok());
  EXPECT_TRUE(check_mounts({mount("/data/in")}, allowed).ok());
  for (const char* const source : {"/srvs", "/data", "/data/inner", "/opt"}) {
    const Status checked = check_mounts({mount(source)}, allowed);
    ASSERT_FALSE(checked.ok()) << source;
    EXPECT_EQ(checked.error().code(), Errc::permission_denied);
  }
  EXPECT_FALSE(check_mounts({mount("/srv/a")}, {}).ok());
}

TEST(Mounts, NeverShareTheSystemCredentialsOrHomes) {
  for (const char* const path : {"/",
                                 "/proc",
                                 "/proc/1/root",
                                 "/sys",
                                 "/dev",
                                 "/dev/shm",
                                 "/etc",
                                 "/etc/ssl",
                                 "/run",
                                 "/run/user/1000",
                                 "/var",
                                 "/var/run",
                                 "/var/lib/docker/volumes",
                                 "/root",
                                 "/root/project",
                                 "/tmp",
                                 "/home",
                                 "/home/ann",
                                 "/home/ann/.cache/x",
                                 "/home/ann/code/.ssh",
                                 "/srv/.aws/x"}) {
    EXPECT_TRUE(is_never_shared(path, "")) << path;
  }
  for (const char* const path : {"/srv", "/tmp/x", "/home/ann/work", "/opt/a.ssh", "/roots"}) {
    EXPECT_FALSE(is_never_shared(path, "/home/ann")) << path;
  }
  EXPECT_TRUE(is_never_shared("/users/ann", "/users/ann"));
  EXPECT_TRUE(is_never_shared("/users", "/users/ann"));
  EXPECT_TRUE(is_never_shared("/users/ann/.cache", "/users/ann"));
  EXPECT_FALSE(is_never_shared("/users/ann/work", "/users/ann"));
}

}  // namespace
}  // namespace lazaret::policy
