#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/warm_backend.hpp"

namespace lazaret::core {
namespace {

policy::Spec sample() {
  policy::Spec spec;
  spec.language = "python";
  spec.image = "lazaret/python:latest";
  spec.program.argv = {"python3", "-I", "/work/main.py"};
  spec.environment = {{"LANG", "C.UTF-8"}};
  return spec;
}

TEST(KindOfBox, IsTheSameForOtherArgumentsAndFiles) {
  policy::Spec other = sample();
  other.program.argv.push_back("--verbose");
  other.program.files.push_back({"/work/data.csv", "1,2"});
  other.limits.timeout += std::chrono::seconds(1);
  other.limits.output_bytes = 1;
  other.streams = policy::Streams::relayed;
  EXPECT_EQ(kind_of_box(sample()), kind_of_box(other));
}

TEST(KindOfBox, IsAnotherForEverythingElse) {
  using Change = std::function<void(policy::Spec&)>;
  const std::vector<Change> changes = {
      [](auto& spec) { spec.language = "exec"; },
      [](auto& spec) { spec.image = "other"; },
      [](auto& spec) { spec.program.argv.front() = "node"; },
      [](auto& spec) { spec.program.working_directory = "/tmp"; },
      [](auto& spec) { spec.required.insert(Control::memory); },
      [](auto& spec) { spec.environment["LANG"] = "C"; },
      [](auto& spec) { spec.environment["HOME"] = "/work"; },
      [](auto& spec) { spec.limits.cpu_time = std::chrono::seconds(1); },
      [](auto& spec) { ++spec.limits.memory_bytes; },
      [](auto& spec) { spec.limits.cpus = 2; },
      [](auto& spec) { ++spec.limits.pids; },
      [](auto& spec) { ++spec.limits.open_files; },
      [](auto& spec) { ++spec.limits.file_bytes; },
      [](auto& spec) { ++spec.limits.disk_bytes; },
      [](auto& spec) { ++spec.limits.disk_files; },
      [](auto& spec) { ++spec.limits.disk_rate_bytes; },
      [](auto& spec) { spec.profile = Profile::strict; },
      [](auto& spec) { spec.subprocess = Subprocess::deny; },
      [](auto& spec) { spec.loopback = Loopback::up; },
      [](auto& spec) { spec.fixed = {"time_zone"}; },
      [](auto& spec) { spec.egress.hosts = {{"a.example", false, {}}}; },
      [](auto& spec) { spec.egress.hosts = {{"a.example", true, {}}}; },
      [](auto& spec) { spec.egress.hosts = {{"a.example", false, std::uint16_t{8080}}}; },
      [](auto& spec) { spec.packages = "/store/layer/packages"; },
      [](auto& spec) { spec.mounts = {{"/srv/a", "/mnt/a"}}; },
      [](auto& spec) { spec.mounts = {{"/srv/b", "/mnt/a"}}; },
      [](auto& spec) { spec.mounts = {{"/srv/a", "/mnt/b"}}; },
      [](auto& spec) { spec.mounts = {{"/srv/a", "/mnt/a", MountAccess::read_write}}; },
      [](auto& spec) { spec.terminal = TerminalSize{}; },
      [](auto& spec) { spec.keeps_box = true; },
  };
  std::set<std::string> kinds = {kind_of_box(sample())};
  for (const Change& change : changes) {
    policy::Spec spec = sample();
    change(spec);
    EXPECT_TRUE(kinds.insert(kind_of_box(spec)).second) << kinds.size();
  }
}

// Texts of any length stand beside each other without running together.
TEST(KindOfBox, TellsWhereOneTextEnds) {
  policy::Spec one = sample(), other = sample();
  one.environment = {{"A", "B"}, {"C", "D"}};
  other.environment = {{"A", "B1:C"}, {"D", ""}};
  EXPECT_NE(kind_of_box(one), kind_of_box(other));
}

// Nor do lists of them.
TEST(KindOfBox, TellsWhereWhatIsRequiredEnds) {
  policy::Spec one = sample(), other = sample();
  one.required = {Control::memory, Control::pids};
  one.environment = {{"swap", "cpu"}};
  other.environment = {{"memory", "pids"}, {"swap", "cpu"}};
  EXPECT_NE(kind_of_box(one), kind_of_box(other));
}

TEST(KindOfBox, IsShownAsLanguageAndDigest) {
  policy::Spec large = sample();
  large.environment["DATA"] = std::string(100'000, 'x');
  const std::string one = shown(kind_of_box(sample())), other = shown(kind_of_box(large));
  EXPECT_THAT(one, testing::MatchesRegex("python:[0-9a-f]+"));
  EXPECT_EQ(one.size(), std::string("python:").size() + 64);
  EXPECT_EQ(other.size(), one.size());
  EXPECT_NE(other, one);
}

}  // namespace
}  // namespace lazaret::core
