#include "backend/linux/refusal.hpp"
#include "places.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lazaret::backend::native {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSteps[] = {"make namespaces", "write id maps", "take identity",
                                  "name host",       "new root",      "add proc"};

// P-47
TEST(WayOut, NamesBothFixesWhereAppArmorTakesTheCapabilities) {
  for (const char* const step : kSteps) {
    EXPECT_THAT(way_out(step, EPERM, {.apparmor_restricts = true}),
                AllOf(HasSubstr("apparmor_parser -r /etc/apparmor.d/lazaret"),
                      HasSubstr("sysctl kernel.apparmor_restrict_unprivileged_userns=0")))
        << step;
  }
  EXPECT_THAT(way_out("name host", EACCES, {.apparmor_restricts = true}), HasSubstr("apparmor"));
}

TEST(WayOut, TellsWhoMayNotGiveUpItsPriority) {
  EXPECT_THAT(way_out("be ordinary", EPERM, {.in_container = true}), HasSubstr("setpriority"));
}

TEST(WayOut, NamesTheNamespacesThatAKernelMustHave) {
  EXPECT_THAT(way_out("make namespaces", EINVAL, {.apparmor_restricts = true}),
              AllOf(HasSubstr("CONFIG_TIME_NS"), Not(HasSubstr("apparmor"))));
  EXPECT_THAT(way_out("make a network namespace", EINVAL, {}), HasSubstr("kernel lacks"));
  EXPECT_THAT(way_out("add scratch", EINVAL, {}), IsEmpty());
}

TEST(WayOut, NamesTheKernelThatHasTheYoungestCall) {
  for (const char* const step : kSteps) {
    EXPECT_THAT(way_out(step, ENOSYS, {.apparmor_restricts = true, .debian_forbids = true}),
                AllOf(HasSubstr("Linux 5.12"), Not(HasSubstr("apparmor"))))
        << step;
    EXPECT_THAT(way_out(step, ENOSYS, {.in_container = true}), HasSubstr("seccomp=unconfined"));
  }
}

TEST(WayOut, BlamesAppArmorForNothingElse) {
  EXPECT_THAT(way_out("make tree", ENOSPC, {.apparmor_restricts = true}), IsEmpty());
  EXPECT_THAT(way_out("name host", EPERM, {}), Not(HasSubstr("apparmor")));
}

TEST(WayOut, NamesTheOptionsOfBothEnginesInAContainer) {
  for (const char* const step : kSteps) {
    EXPECT_THAT(way_out(step, EPERM, {.in_container = true, .apparmor_restricts = true}),
                AllOf(HasSubstr("seccomp=unconfined"), HasSubstr("systempaths=unconfined"),
                      HasSubstr("unmask=ALL")))
        << step;
  }
}

// P-48
TEST(WayOut, NamesTheSettingThatForbidsNamespaces) {
  EXPECT_THAT(way_out("make namespaces", EPERM, {.debian_forbids = true}),
              HasSubstr("kernel.unprivileged_userns_clone=1"));
  EXPECT_THAT(way_out("make namespaces", ENOSPC, {}), HasSubstr("user.max_user_namespaces"));
  EXPECT_THAT(way_out("raise loopback", ENOSPC, {}), HasSubstr("user.max_net_namespaces"));
  for (const char* const step : {"make namespaces", "make a network namespace", "raise loopback"}) {
    EXPECT_THAT(way_out(step, ENOSPC, {.exhausted = "user.max_net_namespaces"}),
                AllOf(HasSubstr("sysctl user.max_net_namespaces="), Not(HasSubstr("max_user"))))
        << step;
  }
}

TEST(WayOut, SaysWhyAProcCannotBeMountedWhereOneIsCovered) {
  EXPECT_THAT(way_out("add proc", EPERM, {}), HasSubstr("over a part of /proc"));
}

TEST(WayOut, IsSilentWhereNothingIsKnown) {
  EXPECT_THAT(way_out("make tree", EIO, {.in_container = true}), IsEmpty());
}

// What the hint says can be done with what is installed.
TEST(AppArmorProfile, AllowsUserNamespacesToTheInstalledProgram) {
  const std::ifstream file(lazaret::test::in_checkout("config/apparmor/lazaret"));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("abi <abi/4.0>,"), HasSubstr("\n  userns,\n"),
                                HasSubstr("/bin/lazaret flags=(unconfined)")));
}

}  // namespace
}  // namespace lazaret::backend::native
