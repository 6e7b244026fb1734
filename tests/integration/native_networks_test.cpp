#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// The empty network namespaces of native boxes, which serve again once nothing is left in them.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRuns = 24;

class NativeNetworks : public testing::TestWithParam<Caller> {
 protected:
  void SetUp() override {
    if (!can_be(GetParam())) LAZARET_SKIP_OR_FAIL("root", "this test is not run by root");
  }
};

INSTANTIATE_TEST_SUITE_P(AskedBy, NativeNetworks, testing::Values(Caller::root, Caller::user),
                         [](const auto& given) { return name_of(given.param); });

Json told_by(const CodeSandbox& sandbox, const std::string& name, const std::string& argument) {
  ExecutionRequest request = python(guest(name));
  request.arguments = {argument};
  const ExecutionResult result = sandbox.execute(request);
  return Json::parse(result.stdout_text, nullptr, false);
}

TEST_P(NativeNetworks, ServeAgainAndHoldNothingOfTheBoxBefore) {
  const std::string name = unique_marker();
  const auto body = [&name]() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    std::set<std::string> networks;
    for (int run = 0; run < kRuns; ++run) {
      ExecutionRequest leaves = python(guest("left_socket.py"));
      leaves.arguments = {name};
      if (sandbox.execute(leaves).stdout_text != "left\n") return "nothing could be left";
      const Json met = told_by(sandbox, "met_socket.py", name);
      if (!met.is_object() || !met["seen"].empty()) return "met " + met.dump();
      networks.insert(met["network"]);
    }
    return networks.size() < kRuns ? "" : "every box has had a network of its own";
  };
  EXPECT_EQ(in_child(GetParam(), body), "");
}

TEST_P(NativeNetworks, AreEachForOneLivingBox) {
  const auto body = []() -> std::string {
    const CodeSandbox sandbox = sandbox_on("native");
    for (int round = 0; round < 3; ++round) {
      std::vector<std::string> networks(4);
      std::vector<std::jthread> threads;
      std::stop_source stop;
      std::atomic<std::size_t> told = 0;
      for (std::string& network : networks) {
        threads.emplace_back([&] {
          ExecutionRequest request = bash("readlink /proc/self/ns/net; sleep 60");
          request.stop = stop.get_token();
          request.limits.timeout = 60s;
          request.on_output = [&told](Stream, std::string_view) { ++told; };
          network = sandbox.execute(request).stdout_text;
        });
      }
      const bool all = becomes_true(30s, [&] { return told >= networks.size(); });
      stop.request_stop();
      threads.clear();
      if (!all) return "they did not live at the same time";
      const std::set<std::string> distinct(networks.begin(), networks.end());
      if (distinct.size() != networks.size() || distinct.contains("")) return *distinct.begin();
    }
    return "";
  };
  EXPECT_EQ(in_child(GetParam(), body), "");
}

// A user namespace in which there may be one more network, no second one.
bool may_have_one_network() {
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string group = "0 " + std::to_string(::getegid()) + " 1";
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user;
  std::ofstream("/proc/self/gid_map") << group;
  return static_cast<bool>(std::ofstream("/proc/sys/user/max_net_namespaces") << "1" << std::flush);
}

ExecutionRequest at_best_effort(const std::string& code) {
  ExecutionRequest request = bash(code);
  request.required_controls.emplace();
  return request;
}

// Where one was had and no other can be, the spawner stands in that of a box that may live.
TEST(NativeNetworksAtBestEffort, AreNeverThoseOfAnotherBox_L48) {
  const auto body = []() -> std::string {
    if (!may_have_one_network()) return "skip";
    const CodeSandbox sandbox = sandbox_on("native");
    std::atomic<bool> begun{false};
    ExecutionRequest first = at_best_effort("echo begun; sleep 2");
    first.on_output = [&begun](Stream, std::string_view) { begun = true; };
    Json lives;
    std::jthread other([&] { lives = Json::parse(to_json(sandbox.execute(first))); });
    if (!becomes_true(10s, [&begun] { return begun.load(); })) return "the first did not begin";
    const Json second = Json::parse(to_json(sandbox.execute(at_best_effort("true"))));
    other.join();
    return Json{{"first", lives}, {"second", second}}.dump();
  };
  const auto text = in_child(Caller::user, body);
  if (text == "skip") LAZARET_SKIP_OR_FAIL("native", "no user namespace with a bound of its own");
  const Json seen = Json::parse(text.value_or(""), nullptr, false);
  ASSERT_TRUE(seen.is_object()) << text.value_or("nothing");
  EXPECT_EQ(seen["first"]["meta"]["cause"], "exited") << seen;
  EXPECT_EQ(seen["second"]["meta"]["cause"], "backend_unavailable") << seen;
  EXPECT_THAT(seen["second"]["error"].value("hint", ""),
              testing::HasSubstr("user.max_net_namespaces"));
}

}  // namespace
}  // namespace lazaret::test
