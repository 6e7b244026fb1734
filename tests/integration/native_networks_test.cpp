#include <unistd.h>

#include <atomic>
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

}  // namespace
}  // namespace lazaret::test
