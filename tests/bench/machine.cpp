#include "bench/machine.hpp"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>

#include "bench/peers.hpp"
#include "bench/sandboxes.hpp"
#include "places.hpp"

namespace lazaret::bench {
namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", ::gmtime_r(&seconds, &parts));
  return text.data();
}

// What follows the first `key` that begins a line, up to its end; proc(5).
std::string line_of(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, line.find_first_not_of(" \t:=\"", key.size()));
    return line.substr(0, line.find_last_not_of('"') + 1);
  }
  return "unknown";
}

// The first line that a program prints.
std::string said_by(const Program& program) {
  const Finished finished = run_program(program);
  return finished.status == 0 ? finished.output.substr(0, finished.output.find('\n')) : "unknown";
}

std::string version_of(const std::string& program) {
  return is_installed(program) ? said_by({{program, "--version"}}) : "not found";
}

std::string engine(const Engine& engine) {
  return engine.missing().empty() ? client_of(engine).describe() : engine.missing();
}

// Controls that a native box does not have here, or not whole: what is measured is without them.
std::string not_enforced() {
  const auto result = sandbox_on(kNative).execute(command({"true"}));
  if (!result.success()) return "no box: " + std::string(name_of(result.meta.cause));
  std::string names;
  for (const std::string& name : degraded(result.meta.evidence))
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

}  // namespace

nlohmann::ordered_json machine() {
  utsname kernel{};
  (void)::uname(&kernel);
  return {
      {"when", now()},
      {"lazaret", said_by({{test::kLazaretPath, "--version"}})},
      {"commit", said_by({{"git", "-C", test::kCheckout, "describe", "--always", "--dirty"}})},
      {"processors", ::get_nprocs()},
      {"processor", line_of("/proc/cpuinfo", "model name")},
      {"memory", line_of("/proc/meminfo", "MemTotal")},
      {"load_before", line_of("/proc/loadavg", "")},
      {"kernel", std::string(kernel.sysname) + " " + kernel.release},
      {"system", line_of("/etc/os-release", "PRETTY_NAME")},
      {"not_enforced", not_enforced()},
      {"python", said_by({{"/usr/bin/python3", "--version"}})},
      {"docker", engine(docker_engine())},
      {"podman", engine(podman_engine())},
      {"runc", version_of("runc")},
      {"bubblewrap", version_of("bwrap")},
      {"nsjail", is_installed("nsjail") ? "found" : "not found"},
      {"isolate", version_of("isolate")}};
}

}  // namespace lazaret::bench
