#include "backend/docker/instance.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <string_view>

#include "backend/report.hpp"
#include "base/bytes.hpp"
#include "base/sha256.hpp"
#include "os/init.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::size_t kBootDigits = 16;

std::string line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string random_id() {
  std::random_device device;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", device(), device());
  return text.data();
}

// The boot id names the machine's run and is nobody else's business: only its hash leaves here.
std::string boot_hash() {
  const std::string boot = line_of("/proc/sys/kernel/random/boot_id");
  return boot.empty() ? "unknown" : to_hex(sha256(bytes_of(boot))).substr(0, kBootDigits);
}

// Field 22 of proc(5)'s stat; the name in field 2 may hold anything, so it is counted from its end.
std::string start_ticks() {
  constexpr std::size_t kAfterName = 19;
  const std::string stat = line_of("/proc/self/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return "0";
  const auto fields = words_of(std::string_view(stat).substr(name_end + 1));
  return fields.size() > kAfterName ? fields[kAfterName] : "0";
}

}  // namespace

Instance this_process() { return {random_id(), os::process_id(), start_ticks(), boot_hash()}; }

std::map<std::string, std::string> labels_of(const Instance& instance, const std::string& run) {
  return {{kOwnerLabel, kOwner},
          {"dev.lazaret.instance", instance.id},
          {"dev.lazaret.run", run},
          {"dev.lazaret.pid", std::to_string(instance.pid)},
          {"dev.lazaret.started", instance.started},
          {"dev.lazaret.boot", instance.boot}};
}

}  // namespace lazaret::backend::docker
