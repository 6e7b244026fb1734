#include "backend/seccomp/profile.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::backend::seccomp {
namespace {

using Arguments = std::array<std::uint64_t, 3>;

constexpr std::uint64_t kGarbage = 0xDEADBEEF00000000;  // the half that the kernel ignores

bool holds(const Condition& condition, const Arguments& arguments) {
  return (arguments.at(condition.argument) & condition.mask) == condition.value;
}

bool allows(std::string_view call, const Arguments& arguments) {
  const auto& rules = standard_profile().allowed;
  return std::any_of(rules.begin(), rules.end(), [&](const Allowed& rule) {
    return rule.call == call && std::all_of(rule.conditions.begin(), rule.conditions.end(),
                                            [&arguments](const Condition& condition) {
                                              return holds(condition, arguments);
                                            });
  });
}

bool mentioned(std::string_view call) {
  const auto& rules = standard_profile().allowed;
  return std::any_of(rules.begin(), rules.end(),
                     [call](const Allowed& rule) { return rule.call == call; });
}

bool ioctl(std::uint64_t request) { return allows("ioctl", {0, request, 0}); }
bool socket(std::uint64_t family, std::uint64_t type, std::uint64_t protocol = 0) {
  return allows("socket", {family, type, protocol});
}

TEST(SeccompProfile, NeverBothAllowsAndRefusesACall) {
  for (const Refused& rule : standard_profile().refused) {
    EXPECT_TRUE(!rule.conditions.empty() || !mentioned(rule.call)) << rule.call;
  }
}

TEST(SeccompProfile, NamesEveryCallOnce) {
  std::set<std::string_view> seen;
  for (const Refused& rule : standard_profile().refused) {
    if (!rule.conditions.empty()) continue;
    EXPECT_TRUE(seen.insert(rule.call).second) << rule.call;
  }
  for (const std::string_view call : standard_profile().deadly)
    EXPECT_TRUE(seen.insert(call).second) << call;
  for (const Allowed& rule : standard_profile().allowed) {
    EXPECT_FALSE(rule.call.empty());
    if (!rule.conditions.empty()) continue;
    EXPECT_TRUE(seen.insert(rule.call).second) << rule.call;
  }
}

TEST(SeccompProfile, HasConditionsThatCanHold) {
  for (const Allowed& rule : standard_profile().allowed) {
    for (const Condition& condition : rule.conditions) {
      EXPECT_EQ(condition.value & ~condition.mask, 0U) << rule.call;
      EXPECT_LT(condition.argument, 6U) << rule.call;
    }
  }
}

// Threats D 42-45, E 47, F 68, G 71, 72, 74.
constexpr const char* kDangerous =
    "unshare setns mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount "
    "fspick pivot_root "
    "chroot open_by_handle_at name_to_handle_at ptrace process_vm_readv process_vm_writev "
    "pidfd_getfd kcmp bpf "
    "perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key "
    "request_key "
    "fanotify_init fanotify_mark modify_ldt iopl ioperm mbind migrate_pages move_pages "
    "set_mempolicy vhangup uselib "
    "ustat sysfs _sysctl nfsservctl lookup_dcookie kexec_load kexec_file_load init_module "
    "finit_module delete_module "
    "reboot swapon swapoff acct settimeofday clock_settime clock_adjtime adjtimex sethostname "
    "setdomainname syslog "
    "quotactl quotactl_fd socketcall clone3";

TEST(SeccompProfile, AllowsNoneOfTheDangerousCalls) {
  std::istringstream words(kDangerous);
  for (std::string call; words >> call;) EXPECT_FALSE(mentioned(call)) << call;
}

TEST(SeccompProfile, KillsInEveryProfileWhoWantsAnotherKernel) {
  constexpr std::string_view kCalls[] = {"kexec_load",    "kexec_file_load", "init_module",
                                         "finit_module",  "delete_module",   "create_module",
                                         "reboot",        "swapon",          "swapoff"};
  for (const auto profile :
       {lazaret::Profile::dev, lazaret::Profile::standard, lazaret::Profile::strict})
    EXPECT_THAT(profile_of(profile, Loopback::down).deadly, testing::ElementsAreArray(kCalls));
}

TEST(SeccompProfile, AnswersClone3SoThatLibcFallsBack_P49) {
  const auto& refused = standard_profile().refused;
  const auto found = std::find_if(refused.begin(), refused.end(),
                                  [](const Refused& rule) { return rule.call == "clone3"; });
  ASSERT_NE(found, refused.end());
  EXPECT_EQ(found->error_number, 38);
}

TEST(SeccompProfile, LetsNoTerminalRequestThroughThatTypesForTheUser_P54) {
  for (const std::uint64_t upper :
       {0ULL, 0x100000000ULL, 0xFFFFFFFF00000000ULL, 0xDEADBEEF00000000ULL}) {
    SCOPED_TRACE(upper);
    EXPECT_FALSE(ioctl(upper | 0x5412));  // TIOCSTI
    EXPECT_FALSE(ioctl(upper | 0x541C));  // TIOCLINUX
    EXPECT_FALSE(ioctl(upper | 0x5423));  // TIOCSETD
  }
}

TEST(SeccompProfile, LetsOrdinaryRequestsThrough) {
  // TCGETS, TIOCSCTTY, TIOCSPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FICLONE, SIOCGIFCONF, 0
  for (const std::uint64_t request : {0x5401ULL, 0x540EULL, 0x5410ULL, 0x5413ULL, 0x541BULL,
                                      0x5421ULL, 0x5451ULL, 0x40049409ULL, 0x8912ULL, 0ULL}) {
    SCOPED_TRACE(request);
    EXPECT_TRUE(ioctl(request));
    EXPECT_TRUE(ioctl(kGarbage | request));
  }
}

TEST(SeccompProfile, RefusesExactlyTheRestOfTheTerminalBlock) {
  const std::set<std::uint64_t> let_through = {0x5410, 0x5411, 0x5413, 0x5414, 0x541B,
                                               0x5420, 0x5421, 0x5422, 0x5429};
  for (std::uint64_t request = 0x5400; request < 0x5480; ++request) {
    SCOPED_TRACE(request);
    const bool in_block = request >= 0x5410 && request < 0x5440;
    EXPECT_EQ(ioctl(request), !in_block || let_through.contains(request));
  }
}

struct SocketCase {
  const char* name;
  std::uint64_t family, type, protocol;
  bool allowed;
};

constexpr std::uint64_t kFlags = 02004000;  // SOCK_CLOEXEC | SOCK_NONBLOCK

constexpr SocketCase kSockets[] = {
    {"unix stream", 1, 1, 0, true},
    {"unix datagram", 1, 2 | kFlags, 0, true},
    {"unix seqpacket", 1, 5, 0, true},
    {"inet stream", 2, 1 | kFlags, 6, false},
    {"inet datagram", 2, 2, 17, false},
    {"inet raw", 2, 3, 1, false},
    {"inet packet", 2, 10, 0, false},
    {"inet6 stream", 10, 1, 0, false},
    {"inet6 raw", 10, 3 | kFlags, 58, false},
    {"netlink route", 16, 3 | kFlags, 0, false},
    {"netlink route datagram", 16, 2, 0, false},
    {"netlink xfrm", 16, 3, 6, false},
    {"netlink netfilter", 16, 3, 12, false},
    {"netlink generic", 16, 3, 16, false},
    {"netlink audit", 16, 3, 9, false},
    {"packet", 17, 3, 0x300, false},
    {"alg", 38, 5, 0, false},
    {"vsock", 40, 1, 0, false},
    {"bluetooth", 31, 3, 1, false},
    {"can", 29, 3, 1, false},
    {"tipc", 30, 1, 0, false},
    {"rds", 21, 5, 0, false},
    {"xdp", 44, 3, 0, false},
    {"smc", 43, 1, 0, false},
    {"unspecified", 0, 1, 0, false},
};

TEST(SeccompProfile, KnowsEachSocketFamily) {
  for (const SocketCase& row : kSockets) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(socket(row.family, row.type, row.protocol), row.allowed);
    EXPECT_EQ(socket(kGarbage | row.family, kGarbage | row.type, kGarbage | row.protocol),
              row.allowed);
  }
}

TEST(SeccompProfile, AllowsNoSocketFamilyButUnix) {
  for (std::uint64_t family = 0; family < 300; ++family) {
    EXPECT_EQ(socket(family, 2, 0), family == 1) << family;
  }
}

// socket(2): as on a kernel without the family, so that programs know what to do.
TEST(SeccompProfile, SaysThatThereIsNoInternetFamily) {
  std::set<std::uint64_t> families;
  for (const Refused& rule : standard_profile().refused) {
    if (rule.call != "socket") continue;
    EXPECT_EQ(rule.error_number, 97);
    ASSERT_EQ(rule.conditions.size(), 1U);
    families.insert(rule.conditions.front().value);
  }
  EXPECT_EQ(families, (std::set<std::uint64_t>{2, 10, 16}));
}

TEST(SeccompProfile, MakesPairsOfUnixSocketsOnly) {
  for (std::uint64_t family = 0; family < 64; ++family) {
    EXPECT_EQ(allows("socketpair", {family, 1, 0}), family == 1) << family;
  }
}

TEST(SeccompProfile, LetsNobodyChangeTheLimitsOfAnother) {
  EXPECT_TRUE(allows("prlimit64", {0, 7, 0}));
  EXPECT_FALSE(allows("prlimit64", {1, 7, 0}));
}

TEST(SeccompProfile, LetsThreadsAndForksThroughButNoNewNamespace) {
  constexpr std::uint64_t kThread = 0x3D0F00, kFork = 0x1200011;
  EXPECT_TRUE(allows("clone", {kThread, 0, 0}));
  EXPECT_TRUE(allows("clone", {kFork, 0, 0}));
  EXPECT_TRUE(allows("clone", {17, 0, 0}));
  // NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
  for (const std::uint64_t flag : {0x20000ULL, 0x2000000ULL, 0x4000000ULL, 0x8000000ULL,
                                   0x10000000ULL, 0x20000000ULL, 0x40000000ULL}) {
    SCOPED_TRACE(flag);
    EXPECT_FALSE(allows("clone", {flag | 17, 0, 0}));
    EXPECT_FALSE(allows("clone", {kGarbage | flag | 17, 0, 0}));
  }
}

TEST(SeccompProfile, LetsNoPersonalityThroughThatWeakensMemory) {
  EXPECT_TRUE(allows("personality", {0, 0, 0}));
  EXPECT_TRUE(allows("personality", {0xFFFFFFFF, 0, 0}));
  EXPECT_FALSE(allows("personality", {0x0040000, 0, 0}));  // ADDR_NO_RANDOMIZE
  EXPECT_FALSE(allows("personality", {0x0400000, 0, 0}));  // READ_IMPLIES_EXEC
}

std::set<std::string_view> calls_of(lazaret::Profile profile) {
  std::set<std::string_view> calls;
  for (const Allowed& rule : profile_of(profile, Loopback::down).allowed) calls.insert(rule.call);
  return calls;
}

TEST(SeccompProfile, OfStrictIsAPartOfStandardAndThatAPartOfDev) {
  const auto dev = calls_of(lazaret::Profile::dev), standard = calls_of(lazaret::Profile::standard),
             strict = calls_of(lazaret::Profile::strict);
  EXPECT_TRUE(std::includes(dev.begin(), dev.end(), standard.begin(), standard.end()));
  EXPECT_TRUE(std::includes(standard.begin(), standard.end(), strict.begin(), strict.end()));
  EXPECT_FALSE(strict.contains("memfd_create"));
  EXPECT_FALSE(standard.contains("ptrace"));
  EXPECT_TRUE(dev.contains("ptrace"));
}

TEST(SeccompProfile, NeverAllowsAndRefusesTheSameCall) {
  for (const auto profile : {lazaret::Profile::dev, lazaret::Profile::strict}) {
    const auto allowed = calls_of(profile);
    for (const Refused& rule : profile_of(profile, Loopback::down).refused) {
      if (!rule.conditions.empty()) continue;
      EXPECT_FALSE(allowed.contains(rule.call)) << rule.call;
    }
  }
}

}  // namespace
}  // namespace lazaret::backend::seccomp
