#include "journal/owner.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/sha256.hpp"
#include "os/init.hpp"
#include "os/random.hpp"
#include "os/user.hpp"

namespace lazaret::journal {
namespace {

std::string first_word(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// What names a machine or its run is nobody else's business: only a hash leaves here.
std::string short_hash(const std::string& text) {
  constexpr std::size_t kDigits = 16;
  return to_hex(sha256(bytes_of(text))).substr(0, kDigits);
}

std::string boot_hash() {
  const std::string boot = first_word("/proc/sys/kernel/random/boot_id");
  return boot.empty() ? "" : short_hash(boot);
}

// WHY the name too: machines that were copied from one another share their machine-id.
std::string machine_hash() {
  const std::string id = first_word("/etc/machine-id");
  return id.empty() ? "" : short_hash(id + "\n" + first_word("/proc/sys/kernel/hostname"));
}

// The number in the "pid:[4026531836]" of namespaces(7); empty where there is none.
std::string number_of_namespace(const char* name) {
  std::error_code none;
  const auto link = std::filesystem::read_symlink(std::string("/proc/self/ns/") + name, none);
  const std::string text = link.string();
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == text.npos || close == text.npos) return {};
  return text.substr(open + 1, close - open - 1);
}

bool is_whole(const Owner& owner) {
  return owner.pid != 0 && !owner.started.empty() && !owner.boot.empty() &&
         !owner.namespaces.empty();
}

}  // namespace

Owner this_process() {
  const std::uint32_t pid = os::process_id();
  return {os::random_hex(16),
          pid,
          own_start(),
          boot_hash(),
          own_namespaces(),
          machine_hash(),
          os::user_id().value_or(0)};
}

// The name in field 2 may hold anything, so fields are counted from its end. Where the first thread
// has ended and others go on, the state is that of a zombie, too.
std::optional<std::string> started_in(const std::string& stat) {
  constexpr std::size_t kState = 0, kThreads = 17, kStarted = 19;
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return std::nullopt;
  std::istringstream text(stat.substr(name_end + 1));
  std::vector<std::string> fields;
  for (std::string field; text >> field;) fields.push_back(field);
  if (fields.size() <= kStarted) return std::nullopt;
  const bool ended = fields[kState] == "Z" || fields[kState] == "X";
  const bool alone = fields[kThreads] == "0" || fields[kThreads] == "1";
  if (ended && alone) return std::nullopt;
  return fields[kStarted];
}

std::optional<std::string> start_of(std::uint32_t pid) {
  return started_in(text_of_file("/proc/" + std::to_string(pid) + "/stat"));
}

std::string own_start() {
  const std::string stat = text_of_file("/proc/self/stat");
  const bool ours = stat.starts_with(std::to_string(os::process_id()) + " ");
  return ours ? started_in(stat).value_or("") : "";
}

// A kernel without time namespaces has one time.
std::string own_namespaces() {
  const std::string pids = number_of_namespace("pid"), times = number_of_namespace("time");
  return pids.empty() ? "" : pids + "." + (times.empty() ? "0" : times);
}

std::string reason_of(Standing standing, const Owner& owner) {
  switch (standing) {
    case Standing::alive: return "process " + std::to_string(owner.pid) + " is alive";
    case Standing::dead: return "";
    case Standing::other_user:
      return "it belongs to user " + std::to_string(owner.user) + ", who can run lazaret gc";
    case Standing::other_machine: return "it was made from another machine: run lazaret gc there";
    case Standing::other_namespace:
      return "it was made in another container or pid namespace: run lazaret gc there";
    case Standing::unknown: return "its labels do not say enough of the process that made it";
  }
  return "";
}

Standing standing_of(const Owner& owner, const Owner& here, const StartOf& start) {
  if (!is_whole(owner) || !is_whole(here)) return Standing::unknown;
  const bool this_boot = owner.boot == here.boot;
  const bool this_machine = !owner.machine.empty() && owner.machine == here.machine;
  if (!this_boot && !this_machine) return Standing::other_machine;
  if (owner.user != here.user) return Standing::other_user;
  if (!this_boot) return Standing::dead;
  if (owner.namespaces != here.namespaces) return Standing::other_namespace;
  return start(owner.pid) == owner.started ? Standing::alive : Standing::dead;
}

}  // namespace lazaret::journal
