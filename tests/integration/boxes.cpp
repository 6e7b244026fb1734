#include "integration/boxes.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "engine/container.hpp"
#include "engine/volume.hpp"
#include "integration/docker_bed.hpp"
#include "integration/spawners.hpp"
#include "integration/support.hpp"
#include "journal/owner.hpp"

namespace lazaret::test {
namespace {

using namespace std::chrono_literals;

// What was asked of the kernel with this first word, e.g. /usr/bin/node.
bool is_program(pid_t process, const std::string& program) {
  const std::string line = file_text("/proc/" + std::to_string(process) + "/cmdline");
  const std::string first = line.substr(0, line.find('\0'));
  return first.substr(first.rfind('/') + 1).starts_with(program);
}

bool is_any(const std::vector<pid_t>& processes, const std::string& program) {
  return std::ranges::any_of(processes,
                             [&](pid_t process) { return is_program(process, program); });
}

// Of all their threads, by proc(5): how often each has had a processor taken from it or left it.
std::uint64_t switches_of(const std::vector<pid_t>& processes) {
  std::uint64_t sum = 0;
  for (const pid_t process : processes) {
    std::error_code gone;
    const std::string threads = "/proc/" + std::to_string(process) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(threads, gone)) {
      std::ifstream status(thread.path() / "status");
      for (std::string word; status >> word;) {
        std::uint64_t count = 0;
        if (word.ends_with("_ctxt_switches:") && status >> count) sum += count;
      }
    }
  }
  return sum;
}

pid_t first_process_in(const Json& container) {
  return container.at("State").at("Pid").get<pid_t>();
}

}  // namespace

BoxesOf::BoxesOf(const std::string& backend, pid_t maker) : maker_(maker) {
  endpoint_ = options_for(backend).value().host.value_or("");
  if (endpoint_.empty()) return;
  client_ = client_on(endpoint_);
  const auto started = journal::start_of(static_cast<std::uint32_t>(maker));
  labels_ = {"dev.lazaret.pid=" + std::to_string(maker),
             "dev.lazaret.started=" + started.value_or("")};
}

std::set<std::string> BoxesOf::ids() const {
  std::set<std::string> found;
  if (client_) {
    const auto all = engine::container::list(*client_, {labels_, true}, within_seconds(20));
    if (!all.ok()) ADD_FAILURE() << all.error().message();
    for (const auto& each : all.ok() ? *all : std::vector<engine::container::Summary>())
      found.insert(each.id);
    return found;
  }
  const std::vector<pid_t> spawners = spawners_of(maker_);
  for (const pid_t each : descendants_of(maker_)) {
    const bool ours = std::ranges::find(spawners, parent_of(each)) != spawners.end();
    const bool spawner = std::ranges::find(spawners, each) != spawners.end();
    if (ours && !spawner) found.insert(std::to_string(each));
  }
  return found;
}

std::vector<pid_t> BoxesOf::processes() const {
  if (!client_) return descendants_of(maker_);
  std::vector<pid_t> found;
  for (const std::string& id : ids()) {
    const auto seen = engine::container::inspect(*client_, id, within_seconds(20));
    const pid_t first = seen.ok() ? first_process_in(*seen) : 0;
    if (first <= 0) continue;  // it has gone meanwhile
    found.push_back(first);
    std::ranges::copy(descendants_of(first), std::back_inserter(found));
  }
  return found;
}

std::set<std::string> BoxesOf::words() const {
  std::set<std::string> words;
  if (!client_) return words;
  for (const std::string& name : on_the_engine())
    words.insert(name.substr(name.starts_with("/") ? 1 : 0));
  for (const std::string& id : ids()) {
    words.insert(id);
    const auto seen = engine::container::inspect(*client_, id, within_seconds(20));
    const Json data = seen.ok() ? seen->value("GraphDriver", Json::object()) : Json::object();
    const std::string merged = data.value("Data", Json::object()).value("MergedDir", "");
    if (!merged.empty()) words.insert(merged);
  }
  return words;
}

std::vector<std::string> BoxesOf::on_the_engine() const {
  return client_ ? left_behind(endpoint_, labels_) : std::vector<std::string>();
}

void BoxesOf::kill(const std::set<std::string>& boxes) const {
  for (const std::string& box : boxes) {
    if (!client_)
      ::kill(static_cast<pid_t>(std::stol(box)), SIGKILL);
    else  // which may have gone meanwhile
      (void)engine::container::kill(*client_, box, "SIGKILL", within_seconds(20)).ok();
  }
}

bool BoxesOf::has(const std::string& program) const { return is_any(processes(), program); }

std::set<std::string> BoxesOf::settled(const std::string& program) const {
  std::set<std::string> boxes;
  const bool waits = becomes_true(30s, [&] {
    boxes = ids();
    std::this_thread::sleep_for(200ms);
    return !boxes.empty() && has(program) && ids() == boxes;
  });
  EXPECT_TRUE(waits) << "no " << program << " waits, or there is no end to what comes and goes";
  return boxes;
}

bool rest(const std::function<std::vector<pid_t>()>& processes, const std::string& program) {
  constexpr std::uint64_t kMostSwitches = 4;  // what looks at them may wake one
  std::vector<pid_t> waiting = processes();
  const auto used = used_by(waiting);
  const auto switched = switches_of(waiting);
  std::this_thread::sleep_for(1s);
  const auto more = switches_of(waiting) - switched;
  const bool is_still = used_by(waiting) - used <= 20ms && more <= kMostSwitches;
  return is_any(waiting, program) && processes() == waiting && is_still;
}

}  // namespace lazaret::test
