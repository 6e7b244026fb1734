#include "integration/id_tables.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "integration/support.hpp"

namespace lazaret::test {
namespace {

// Where the files are until they stand in the places of others.
constexpr const char* kAside = "/mnt";

bool cover(const std::string& path, const std::string& text) {
  const std::string file = kAside + ("/" + std::filesystem::path(path).filename().string());
  std::ofstream(file) << text;
  return ::mount(file.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

}  // namespace

std::string missing_for_id_tables() {
  for (const char* const path : {"/usr/bin/newuidmap", "/etc/subuid", "/etc/subgid"}) {
    if (!std::filesystem::exists(path)) return std::string(path) + " is missing";
  }
  return "";
}

bool take_id_tables(const IdTables& tables) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", kAside, "tmpfs", 0, "mode=755,size=1m") == 0 &&
         cover("/etc/passwd", file_text("/etc/passwd") + tables.user) &&
         cover("/etc/subuid", tables.users) && cover("/etc/subgid", tables.groups) &&
         ::umount2(kAside, MNT_DETACH) == 0;
}

}  // namespace lazaret::test
