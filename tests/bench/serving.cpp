#include <algorithm>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "bench/daemon.hpp"
#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// What the daemon needs itself, and what many clients at the same time do to one another.
namespace lazaret::bench {
namespace {

constexpr int kClients = 16;
constexpr int kSessions = 500;
constexpr int kManyRuns = 20'000;
constexpr const char* kAlone = "one client after another";
constexpr const char* kTogether = "16 clients at the same time";
constexpr const char* kWarm = "a warm run alone";
constexpr const char* kWarmTogether = "16 warm runs at the same time";
constexpr const char* kAnswers = "lazaret serve, until it answers";
constexpr const char* kReady = "lazaret serve, until it says that it is ready";
constexpr const char* kReadyOnDocker = "lazaret serve on Docker, until it says that it is ready";
constexpr const char* kReadyOnPodman = "lazaret serve on Podman, until it says that it is ready";
constexpr const char* kReadyToFill =
    "lazaret serve with four boxes to make, until it says that it is ready";

std::vector<std::string> native() { return configuration(kNative.type, kNative.endpoint); }

// A daemon that is ended after it was measured. It says that it is ready once a box was made.
Candidate new_daemon(const char* name, const Engine& engine) {
  const auto daemon = std::make_shared<std::unique_ptr<Daemon>>();  // of work and after
  return {name, Who::ours,
          [daemon, name, engine] {
            auto words = configuration(engine.type, engine.endpoint);
            if (name == kReadyToFill) words.emplace_back("LAZARET_POOL_READY=python:4");
            *daemon = std::make_unique<Daemon>(std::move(words));
            if (name != kAnswers) (*daemon)->must_be_ready();
          },
          [daemon] { daemon->reset(); }, engine.missing()};
}

// Runs of `clients`, each beginning with its next when the one before has been answered.
Timing answers(const Daemon& daemon, const std::string& name, int clients, int runs_of_each) {
  Timing timing{.name = name};
  std::mutex mutex;
  std::latch all_here(clients);  // to start a client is no part of what it asks for
  const auto client = [&] {
    all_here.arrive_and_wait();
    for (int run = 0; run < runs_of_each && !interrupted(); ++run) {
      const double ms = milliseconds_of([&] { (void)daemon.run(kPrintOne); });
      const std::scoped_lock lock(mutex);
      timing.ms.push_back(ms);
    }
  };
  std::vector<std::future<void>> all;
  for (int count = 0; count < clients; ++count)
    all.push_back(std::async(std::launch::async, client));
  for (std::future<void>& one : all) one.get();
  if (interrupted()) throw Failure("interrupted");
  return timing;
}

void add_crowd(Group& group, const Daemon& daemon, int rounds) {
  (void)answers(daemon, kAlone, 1, kClients);  // until the pool knows what is asked for
  group.timings.push_back(answers(daemon, kAlone, 1, rounds));
  group.timings.push_back(answers(daemon, kTogether, kClients, rounds));
}

// One for each client, and the machine at rest.
void await_pool(const Daemon& daemon) {
  constexpr std::chrono::milliseconds kPause{20};
  constexpr int kMostLooks = 500;
  for (int look = 0; daemon.waiting() < std::size_t{kClients}; ++look) {
    if (look == kMostLooks || interrupted()) throw Failure("the pool does not fill");
    std::this_thread::sleep_for(kPause);
  }
  come_to_rest();
}

void add_warm(Timing& all, const Daemon& daemon, int clients) {
  await_pool(daemon);
  const Timing more = answers(daemon, all.name, clients, 1);
  all.ms.insert(all.ms.end(), more.ms.begin(), more.ms.end());
}

void add_warm_crowd(Group& group, int rounds) {
  std::vector<std::string> names = native();
  const std::string most = std::to_string(kClients);
  names.insert(names.end(), {"LAZARET_POOL_MOST=" + most, "LAZARET_POOL_READY=python:" + most});
  const Daemon daemon(names, {"--runs", most});
  Timing alone{.name = kWarm}, together{.name = kWarmTogether};
  for (int round = 0; round < rounds; ++round) {
    // Several: of as many as there are rounds the p99 would be the worst.
    for (int time = 0; time < kClients / 4; ++time) add_warm(alone, daemon, 1);
    add_warm(together, daemon, kClients);
  }
  group.figures.push_back({std::string(kWarmTogether) + " / " + kWarm + ", p99",
                           together.quantile(0.99) / alone.quantile(0.99), "times", at_most(5)});
  group.timings.push_back(std::move(alone));
  group.timings.push_back(std::move(together));
}

// Once boxes have left, and threads that have nothing to do.
double at_rest_kib(const Daemon& daemon) {
  std::this_thread::sleep_for(std::chrono::seconds(10));
  return daemon.resident_kib();
}

// Memory after each of many runs of all clients: what stays is a leak.
void add_growth(Group& group, const Daemon& daemon, int runs, const std::string& name) {
  constexpr const char* kClientsRun = "growing";
  (void)answers(daemon, kClientsRun, kClients, runs / kClients / 4);
  const double before = at_rest_kib(daemon);
  (void)answers(daemon, kClientsRun, kClients, runs / kClients);
  const std::string label = name + " after " + std::to_string(runs) + " runs, more";
  group.figures.push_back({label, (at_rest_kib(daemon) - before) / 1024, "MiB", at_most(1)});
}

// On an engine the daemon holds streams and leases beside, and hears the engine's events.
void add_memory_on_docker(Group& group) {
  constexpr int kRuns = 400;
  const Engine engine = docker_engine();
  if (!engine.missing().empty()) return;
  const Daemon daemon(configuration(engine.type, engine.endpoint));
  daemon.must_be_ready();
  group.figures.push_back(
      {"the daemon on Docker, idle", daemon.resident_kib() / 1024, "MiB", at_most(25)});
  add_growth(group, daemon, kRuns, "the daemon on Docker");
}

// One after another, each with a run: what is left is what a session costs the daemon.
void add_sessions(Group& group) {
  const Daemon daemon(native(), {"--sessions", std::to_string(kSessions)});
  Timing opening{.name = "POST /v1/sessions, natively"};
  Timing running{.name = "true in each of 500 sessions"};
  for (int count = 0; count < kSessions && !interrupted(); ++count) {
    std::string id;
    opening.ms.push_back(milliseconds_of([&] { id = daemon.open_session(); }));
    const std::string body = R"({"command":["true"],"session":")" + id + "\"}";
    running.ms.push_back(milliseconds_of([&] { (void)daemon.run(body); }));
  }
  if (interrupted()) throw Failure("interrupted");
  group.timings.push_back(std::move(opening));
  group.timings.push_back(std::move(running));
  group.figures.push_back(
      {"the daemon with 500 open sessions", daemon.resident_kib() / 1024, "MiB", at_most(64)});
}

}  // namespace

Group serving_group(int rounds) {
  Group group{.title = "the daemon itself, natively"};
  group.timings = in_turns(std::max(rounds / 5, 5),
                           {new_daemon(kAnswers, kNative), new_daemon(kReady, kNative),
                            new_daemon(kReadyToFill, kNative),
                            new_daemon(kReadyOnDocker, docker_engine()),
                            new_daemon(kReadyOnPodman, podman_engine())});
  for (const char* const name : {kAnswers, kReady, kReadyToFill, kReadyOnDocker})
    group.add_quantile(name, 0.5, at_most(100));
  const Daemon daemon(native());
  daemon.must_be_ready();
  group.figures.push_back({"the daemon, idle", daemon.resident_kib() / 1024, "MiB", at_most(25)});
  add_warm_crowd(group, rounds);
  add_crowd(group, daemon, rounds);
  add_growth(group, daemon, kManyRuns, "the daemon");
  add_memory_on_docker(group);
  add_sessions(group);
  return group;
}

}  // namespace lazaret::bench
