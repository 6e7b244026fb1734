#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "integration/boxes.hpp"
#include "integration/daemon.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"

// A daemon is ended by SIGKILL while boxes wait in its pool, and while it is at work: nothing of
// them outlives it for long.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kFull = 3;  // one box of each language

class KilledDaemon : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    arguments_ = words_for(GetParam());
    if (arguments_.empty()) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    environment_ = {{"XDG_STATE_HOME", folder_.path() + "/state"},
                    {"TMPDIR", folder_.path() + "/tmp"},
                    {"LAZARET_POOL_MOST", std::to_string(kFull)},
                    {"LAZARET_POOL_IDLE", "10m"}};
    fs::create_directory(folder_.path() + "/tmp");
  }

  [[nodiscard]] bool has_engine() const { return GetParam() != std::string("native"); }
  /// What lies in its directory for temporary files.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(environment_.at("TMPDIR")))
      found.push_back(entry.path());
    return found;
  }

  Folder folder_;
  std::vector<std::string> arguments_;
  std::map<std::string, std::string> environment_;
};

INSTANTIATE_TEST_SUITE_P(EachBackend, KilledDaemon, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

bool is_full(const Daemon& daemon) {
  const Json pool = pool_of(daemon);
  return pool.value("ready", 0) == kFull && pool["leaving"] == 0;
}

void fill(const Daemon& daemon) {
  const bool full = becomes_true(120s, [&daemon] {
    for (const char* const language : {"python", "javascript", "bash"}) {
      const std::string body = Json({{"language", language}, {"code", "true"}}).dump();
      (void)daemon.ask("POST", "/v1/runs", body);
    }
    return becomes_true(2s, [&daemon] { return is_full(daemon); });
  });
  EXPECT_TRUE(full) << daemon.ask("GET", "/v1/pool").body;
}

// All by which one could tell that there has been a daemon with boxes.
class Traces {
 public:
  Traces(const std::string& backend, const Daemon& daemon)
      : boxes_(backend, daemon.pid()), processes_(boxes_.processes()), words_(boxes_.words()) {
    for (const pid_t process : processes_) add_cgroups_of(process);
  }

  [[nodiscard]] const BoxesOf& boxes() const { return boxes_; }
  /// What there still is.
  [[nodiscard]] std::set<std::string> left() const {
    std::set<std::string> found;
    for (const std::string& name : boxes_.on_the_engine()) found.insert("on the engine: " + name);
    for (const pid_t process : processes_)
      if (!are_gone({process})) found.insert("process " + std::to_string(process));
    const Leftovers all = leftovers("native");
    for (const std::string& word : words_) {
      for (const auto* const names : {&all.mounts, &all.cgroups, &all.engines_cgroups})
        std::ranges::copy_if(*names, std::inserter(found, found.end()),
                             [&word](const auto& name) { return name.find(word) != name.npos; });
      // The engine's own for this box.
      for (const pid_t process : processes_marked(word))
        found.insert("process " + std::to_string(process) + " of " + word);
      if (word.starts_with("/") && fs::exists(fs::path(word).parent_path())) found.insert(word);
    }
    return found;
  }

 private:
  void add_cgroups_of(pid_t process) {
    const std::string text = file_text("/proc/" + std::to_string(process) + "/cgroup");
    for (std::size_t at = text.find("lazaret-"); at != text.npos;
         at = text.find("lazaret-", at + 1)) {
      const std::string name = text.substr(at, text.find_first_of("/\n", at) - at);
      if (!name.starts_with("lazaret-test.")) words_.insert(name);  // which the engine itself is in
    }
  }

  BoxesOf boxes_;
  std::vector<pid_t> processes_;
  std::set<std::string> words_;
};

TEST_P(KilledDaemon, LeavesNothingOfWhatItsPoolHas) {
  Daemon daemon(arguments_, environment_);
  fill(daemon);
  const Traces dead(GetParam(), daemon);
  EXPECT_EQ(dead.boxes().ids().size(), std::size_t{kFull});
  EXPECT_GE(dead.left().size(), std::size_t{kFull});
  daemon.signal(SIGKILL);
  EXPECT_EQ(daemon.wait(), 128 + SIGKILL);
  const auto is_nothing_left = [&dead] { return dead.left().empty(); };
  // What the kernel has goes with its process; an engine's is removed by the next daemon.
  EXPECT_TRUE(has_engine() || becomes_true(20s, is_nothing_left))
      << testing::PrintToString(dead.left());
  Daemon next(arguments_, environment_);
  EXPECT_TRUE(becomes_true(60s, is_nothing_left)) << testing::PrintToString(dead.left());
  EXPECT_EQ(next.ask("POST", "/v1/runs", bash_body("true")).status, 200);
  const BoxesOf others(GetParam(), next.pid());
  next.signal(SIGTERM);
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(others.on_the_engine(), std::vector<std::string>());
  EXPECT_EQ(files(), std::vector<std::string>());
}

// Clients of every kind at once, each coming again as long as anybody answers.
class Load {
 public:
  explicit Load(const Daemon& daemon) {
    for (const char* const language : {"python", "bash"})
      repeat([&daemon, body = Json({{"language", language}, {"code", "1"}}).dump()] {
        return daemon.ask("POST", "/v1/runs", body);
      });
    repeat([&daemon, body = bash_body("sleep 20", {{"detach", true}})] {
      return daemon.ask("POST", "/v1/runs", body);
    });
    repeat([&daemon] {
      const Reply opened = daemon.ask("POST", "/v1/sessions", R"({"language":"bash"})");
      if (opened.status != 201) return opened;
      const std::string session = opened.json()["session_id"];
      (void)daemon.ask("POST", "/v1/runs", bash_body("echo > file", {{"session", session}}));
      return daemon.ask("DELETE", "/v1/sessions/" + session);
    });
  }
  [[nodiscard]] int answered() const { return answered_; }

 private:
  template <typename Ask>
  void repeat(Ask ask) {
    clients_.emplace_back([this, ask = std::move(ask)] {
      while (ask().status != 0) ++answered_;
    });
  }
  std::atomic<int> answered_ = 0;
  std::vector<std::jthread> clients_;  // go first: they count
};

TEST_P(KilledDaemon, LeavesNothingOfAllThatItIsDoing) {
  auto daemon = std::make_unique<Daemon>(arguments_, environment_);
  int answered = 0;
  for (const auto moment : {10ms, 60ms, 150ms, 300ms, 500ms, 900ms}) {
    const BoxesOf boxes(GetParam(), daemon->pid());
    std::vector<pid_t> processes;
    {
      const Load load(*daemon);
      std::this_thread::sleep_for(moment);
      processes = boxes.processes();
      answered += load.answered();
      daemon->signal(SIGKILL);
      EXPECT_EQ(daemon->wait(), 128 + SIGKILL);
    }
    daemon = std::make_unique<Daemon>(arguments_, environment_);
    const auto is_nothing_left = [&] {
      return boxes.on_the_engine().empty() && boxes.processes().empty() && are_gone(processes);
    };
    EXPECT_TRUE(becomes_true(60s, is_nothing_left))
        << moment.count() << ": " << testing::PrintToString(boxes.on_the_engine());
  }
  EXPECT_GT(answered, 6) << "it was hardly doing anything";
  daemon->signal(SIGTERM);
  EXPECT_EQ(daemon->wait(), 0);
  EXPECT_EQ(files(), std::vector<std::string>());
}

// At whatever point of making the first of them; what an engine is still asked for then is found
// later.
TEST_P(KilledDaemon, LeavesNothingOfWhatItsPoolIsMaking) {
  auto filling = environment_;
  filling["LAZARET_POOL_READY"] = "python:" + std::to_string(kFull);
  for (const auto moment : {0ms, 30ms, 100ms, 300ms}) {
    Daemon daemon(arguments_, filling);
    const BoxesOf boxes(GetParam(), daemon.pid());
    std::this_thread::sleep_for(moment);
    const std::vector<pid_t> processes = boxes.processes();
    daemon.signal(SIGKILL);
    EXPECT_EQ(daemon.wait(), 128 + SIGKILL);
    Daemon next(arguments_, environment_);
    const auto left = [&] {
      std::vector<std::string> found = boxes.on_the_engine();
      if (!are_gone(processes)) found.push_back("what ran in " + testing::PrintToString(processes));
      return found;
    };
    EXPECT_TRUE(becomes_true(60s, [&] { return left().empty() && boxes.processes().empty(); }))
        << moment.count() << ": " << testing::PrintToString(left());
    EXPECT_EQ(next.ask("POST", "/v1/runs", bash_body("true")).status, 200);
    next.signal(SIGTERM);
    EXPECT_EQ(next.wait(), 0);
    EXPECT_EQ(files(), std::vector<std::string>()) << moment.count();
  }
}

}  // namespace
}  // namespace lazaret::test
