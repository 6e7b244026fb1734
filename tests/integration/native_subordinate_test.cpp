#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/id_tables.hpp"
#include "integration/support.hpp"

// An ordinary user to whom the administrator has given further ids (subuid(5)): the tables are made
// for the test and seen by its child alone.
namespace lazaret::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr gid_t kOtherGroup = 4;

using Tables = IdTables;

class NativeSubordinate : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_be(Caller::root)) LAZARET_SKIP_OR_FAIL("root", "only root can make such tables");
    const std::string missing = missing_for_id_tables();
    if (!missing.empty()) LAZARET_SKIP_OR_FAIL("uidmap", missing);
  }
  enum class Children { awaited, ignored };
  /// One run of the program by that user, as JSON.
  [[nodiscard]] Json ran(const Tables& tables, std::vector<std::string> arguments,
                         Children children = Children::awaited) const {
    arguments.insert(arguments.begin(), {"exec", "--json", "--type", "local"});
    return said(tables, arguments, children);
  }
  /// What one probe of the battery has come to.
  [[nodiscard]] std::string verdict(const Tables& tables, const std::string& probe) const {
    const Json table = said(tables, {"selftest", "--json", "--type", "local", "--no-control",
                                     "--only", probe});
    const Json probes = table.value("probes", Json::array());
    return probes.size() == 1 ? probes[0].value("verdict", "") : table.dump();
  }
  /// What the program says to that user, as JSON.
  [[nodiscard]] Json said(const Tables& tables, const std::vector<std::string>& arguments,
                          Children children = Children::awaited) const {
    const auto text = in_child(Caller::root, [&tables, &arguments, children]() -> std::string {
      if (!take_id_tables(tables) || !become_user()) return "{}";
      if (children == Children::ignored) ::signal(SIGCHLD, SIG_IGN);
      return lazaret(arguments).out;
    });
    return Json::parse(text.value_or("{}"), nullptr, false);
  }
  [[nodiscard]] static std::string privileges_in(const Json& result) {
    return evidence_of(result, "privileges").value("applied", "");
  }

 private:
  [[nodiscard]] static bool become_user() {
    const std::array groups = {static_cast<gid_t>(kOrdinaryUser), kOtherGroup};
    return ::setgroups(groups.size(), groups.data()) == 0 &&
           ::setresgid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0 &&
           ::setresuid(kOrdinaryUser, kOrdinaryUser, kOrdinaryUser) == 0;
  }
};

TEST_F(NativeSubordinate, MakesTheBoxAnotherUserInNoGroup) {
  const Json result = ran({}, {"--", "/usr/bin/id"});
  EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
  EXPECT_THAT(result.value("stdout", ""), Not(HasSubstr("groups=65534(nogroup),")));
  EXPECT_THAT(privileges_in(result), HasSubstr("outside user 265535"));
  EXPECT_EQ(evidence_of(result, "groups")["status"], "enforced");
}

// P-05: a program that ignores SIGCHLD, as its children inherit it, cannot learn whether newuidmap
// was content; the kernel shows it.
TEST_F(NativeSubordinate, NeedsNoStatusOfTheProgramsThatGiveIds) {
  const Json result = ran({}, {"--", "/usr/bin/id"}, Children::ignored);
  EXPECT_THAT(privileges_in(result), HasSubstr("outside user 265535")) << result.dump();
}

// The twin: without a range the box is the user, with all his groups.
TEST_F(NativeSubordinate, IsTheCallerWithHisGroupsWithoutARange) {
  const Json result = ran({"", ""}, {"--", "/usr/bin/id"});
  EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
  EXPECT_THAT(privileges_in(result), HasSubstr("outside the caller, user 10007"));
  const Json groups = evidence_of(result, "groups");
  EXPECT_EQ(groups["status"], "not_enforced");
  EXPECT_THAT(groups.value("applied", ""), HasSubstr("in the caller's groups 4"));
}

TEST_F(NativeSubordinate, WhoMustHaveNoGroupIsRefusedWithoutARange) {
  const Json result = ran({"", ""}, {"--require", "groups", "--", "/usr/bin/id"});
  EXPECT_EQ(result["meta"]["cause"], "enforcement_mismatch") << result.dump();
  EXPECT_EQ(result.value("stdout", "-"), "");
}

// What the box has kept it can use, where a directory of the host's is shown to it: by design, and
// told. Without any, the same attempt is held.
TEST_F(NativeSubordinate, HasItsGroupsToldByTheBattery) {
  EXPECT_EQ(verdict({"", ""}, "C-40-supplementary"), "allowed by design");
  EXPECT_EQ(verdict({}, "C-40-supplementary"), "blocked");
}

// newuidmap refuses whom the system does not know by a name; the run is not refused.
TEST_F(NativeSubordinate, IsTheCallerWhereTheRangeIsRefused) {
  const Json result = ran({.groups = "10007:300000:65536\n", .user = ""}, {"--", "/bin/true"});
  EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
  EXPECT_THAT(privileges_in(result), HasSubstr("outside the caller, user 10007"));
}

// L-52: by what a box has become, not by what stands in files.
TEST_F(NativeSubordinate, IsToldByDoctorAsItWasTried) {
  const auto fact = [this](const Tables& tables) {
    const Json doctor = said(tables, {"doctor", "--json", "--type", "local"});
    for (const Json& each : doctor["backends"][0]["host"]) {
      if (each["name"] == "Subordinate ids") return each;
    }
    return doctor;
  };
  EXPECT_EQ(fact({})["present"], true);
  EXPECT_THAT(fact({"", ""})["fix"].get<std::string>(), HasSubstr("usermod"));
  const Json refused = fact({.groups = "10007:300000:65536\n", .user = ""});
  EXPECT_EQ(refused["present"], false);
  EXPECT_THAT(refused["note"].get<std::string>(), HasSubstr("refuses them"));
}

// P-05: who may not signal a user by his number still ends his box.
TEST_F(NativeSubordinate, IsEndedByACallerWhoIsAnotherUser) {
  const std::string marker = unique_marker();
  const Json result = ran({}, {"--timeout", "1", "--grace", "0", "--", "/bin/bash", "-c",
                               "trap '' TERM; setsid sleep 300 & while :; do :; done", marker});
  ASSERT_TRUE(result.contains("meta")) << result.dump();
  EXPECT_EQ(result["meta"]["cause"], "timeout");
  EXPECT_EQ(result["meta"]["kill"]["survivors"], 0);
  EXPECT_THAT(processes_marked(marker), IsEmpty());
}

TEST_F(NativeSubordinate, WritesItsScratchAndNothingElse) {
  const Json result = ran({}, {"--", "/bin/bash", "-c",
                               "cd /work && echo hello >file && cat file && ! touch /usr/file"});
  EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
  EXPECT_EQ(result.value("stdout", ""), "hello\n");
}

}  // namespace
}  // namespace lazaret::test
