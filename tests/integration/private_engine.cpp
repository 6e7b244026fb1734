#include "integration/private_engine.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "integration/support.hpp"
#include "places.hpp"

namespace lazaret::test {
namespace {

constexpr std::chrono::seconds kSignalBound{20};

// Each of its threads, by itself: a signal reaches them one after the other, and what a process has
// open is closed with the last of them. True as well when none is left.
bool is_all(pid_t process, char state) {
  std::error_code error;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    const std::string stat = file_text(task.path().string() + "/stat");
    const std::size_t name = stat.rfind(") ");
    if (name != stat.npos && stat[name + 2] != state) return false;
  }
  return true;
}

}  // namespace

PrivateEngine::PrivateEngine(std::string kind, const std::string& endpoint)
    : kind_(std::move(kind)),
      folder_(std::filesystem::path(endpoint.substr(std::string_view("unix://").size()))
                  .parent_path()
                  .string()) {}

PrivateEngine::~PrivateEngine() {
  if (stopped_) signal(SIGCONT);
}

bool PrivateEngine::is_ours() const {
  const std::string process = "/proc/" + std::to_string(id());
  std::error_code error;
  return file_text(process + "/cmdline").find(folder_) != std::string::npos &&
         std::filesystem::equivalent("/proc/self/ns/mnt", process + "/ns/mnt", error);
}

void PrivateEngine::stop() {
  stopped_ = true;
  signal(SIGSTOP);
  (void)becomes_true(kSignalBound, [this] { return is_all(id(), 'T'); });
}

void PrivateEngine::go_on() {
  signal(SIGCONT);
  stopped_ = false;
}

bool PrivateEngine::kill() const {
  signal(SIGKILL);
  return becomes_true(kSignalBound, [this] { return is_all(id(), 'Z'); });
}

bool PrivateEngine::restart() const {
  const std::string tool = in_checkout("tests/tools/engines.sh");
  return run_program({.argv = {tool, "restart", folder_, kind_},
                      .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}})
             .status == 0;
}

void PrivateEngine::set_live_restore(bool wanted) const {
  const std::string path = folder_ + "/docker/daemon.json";
  Json config = Json::parse(file_text(path));
  config["live-restore"] = wanted;
  std::ofstream(path) << config;
}

pid_t PrivateEngine::id() const {
  const std::string daemon = kind_ == "docker" ? "dockerd" : "podman";
  const std::string text = file_text(folder_ + "/" + kind_ + "/" + daemon + ".pid");
  return text.empty() ? 0 : static_cast<pid_t>(std::stol(text));
}

void PrivateEngine::signal(int number) const {
  if (is_ours()) ::kill(id(), number);
}

}  // namespace lazaret::test
