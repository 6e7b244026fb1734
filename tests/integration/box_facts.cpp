#include "integration/box_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "backend/linux/foundation.hpp"

namespace lazaret::test {
namespace {

constexpr const char* kEnd = "that was all";

using Words = std::vector<std::string>;

Words words_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

Words lines_in(const std::string& text) {
  Words lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

// What follows "==> NAME <==" in the output, as head(1) writes it.
Words section(const std::string& output, const std::string& name) {
  const std::string title = "==> " + name + " <==\n";
  const std::size_t at = output.find(title);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + title.size();
  return lines_in(output.substr(begin, output.find("==> ", begin) - begin));
}

bool blank(const Words& lines) {
  return std::ranges::all_of(lines, [](const std::string& line) { return words_in(line).empty(); });
}

// The words after "KEY" at the beginning of a line.
Words after(const Words& lines, const std::string& key) {
  for (const std::string& line : lines) {
    if (line.starts_with(key)) return words_in(line.substr(key.size()));
  }
  return {"nothing"};
}

bool has_option(const std::string& list, const std::string& option) {
  return ("," + list + ",").find("," + option + ",") != std::string::npos;
}

struct Mount {
  std::string target, options, type, settings;
};

std::vector<Mount> mounts_in(const std::string& output) {
  std::vector<Mount> mounts;
  for (const std::string& line : section(output, "/proc/self/mountinfo")) {
    const Words words = words_in(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 7 || words.end() - dash < 4) continue;
    mounts.push_back({words[4], words[5], dash[1], dash[3]});
  }
  return mounts;
}

struct Seen {
  std::string output;
  Words status, outside, limits;
  std::vector<Mount> mounts;
  Json limits_asked, files, network;  // what the evidence says of those
  std::string privileges;
  Caller caller;

  [[nodiscard]] std::uint64_t asked(const char* name) const {
    return limits_asked[name].get<std::uint64_t>();
  }
  // Hard limit below what was asked for.
  [[nodiscard]] bool limited(const std::string& name, std::uint64_t most) const {
    const Words values = after(limits, name);
    return values.size() >= 2 && values[1] != "unlimited" && values[1] != "nothing" &&
           std::stoull(values[1]) <= most;
  }
  // The program was not to start another, and has seen everything by itself.
  [[nodiscard]] bool is_alone() const { return output.find("==> alone <==") != std::string::npos; }
  [[nodiscard]] bool is_strict() const {
    return files.value("requested", "").find(", strict") != std::string::npos;
  }
  [[nodiscard]] bool apart(const std::string& name) const {
    const std::string ours =
        std::filesystem::read_symlink("/proc/self/ns/" + name, ignored()).string();
    return output.find(" " + name + " -> " + name + ":[") != std::string::npos &&
           output.find(" " + name + " -> " + ours) == std::string::npos;
  }
  static std::error_code& ignored() {
    static thread_local std::error_code code;
    return code;
  }
};

// Who has further ids may go without; then it is said.
std::uint32_t expected_id(const Seen& seen) {
  constexpr std::uint32_t kNobody = 65534, kLastOfRange = 265535;
  if (seen.caller == Caller::root) return kNobody;
  const bool is_caller = seen.privileges.find("outside the caller, ") != std::string::npos;
  if (seen.caller == Caller::user_with_ids && !is_caller) return kLastOfRange;
  return ::geteuid() == 0 ? kOrdinaryUser : ::geteuid();
}

bool is_network(const Seen& seen) {
  const Words lines = section(seen.output, "/proc/net/dev");
  const auto interfaces = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(':') != std::string::npos;
  });
  const bool said_down = seen.network.value("applied", "").find("lo down") != std::string::npos;
  const bool is_silent = blank(section(seen.output, "/proc/net/fib_trie"));
  return seen.apart("net") && interfaces == 1 && (is_silent || !said_down);
}

// Of the runner there is no trace.
bool hides_the_runner(const Seen& seen) {
  const auto top = std::find_if(seen.mounts.rbegin(), seen.mounts.rend(),
                                [](const Mount& mount) { return mount.target == "/proc"; });
  return top != seen.mounts.rend() && has_option(top->settings, "hidepid=ptraceable");
}

bool is_scratch(const Mount& mount, const Seen& seen) {
  const bool ours = mount.target == "/work" || mount.target == "/tmp" || mount.target == "/dev/shm";
  if (seen.is_strict() && mount.target == "/tmp") return false;
  if ((seen.is_strict() || mount.target == "/dev/shm") && !has_option(mount.options, "noexec"))
    return false;
  return ours && mount.type == "tmpfs" && has_option(mount.options, "nosuid") &&
         has_option(mount.options, "nodev") &&
         has_option(mount.settings,
                    "size=" + std::to_string(seen.asked("disk_bytes") / 1024) + "k") &&
         has_option(mount.settings, "nr_inodes=" + std::to_string(seen.asked("disk_files")));
}

// Of the box's own terminals, which a program that has asked for one gets.
bool is_terminals(const Mount& mount) {
  return mount.target == "/dev/pts" && mount.type == "devpts" &&
         has_option(mount.options, "nosuid") && has_option(mount.options, "noexec");
}

// Root's own by its mode, and the box is not root: there is nothing to cover.
bool is_only_roots(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && facts.st_uid == 0 && (facts.st_mode & 0007) == 0;
}

// What is shown of the host's: everything that is said to be, and no more.
bool shows_what_is_said(const Seen& seen) {
  const std::string said = seen.files.value("applied", "");
  const auto shown = std::ranges::count_if(
      seen.mounts, [](const Mount& mount) { return mount.target.starts_with("/mnt/"); });
  const bool is_said = said.find("; /mnt/shared is ") != std::string::npos;
  return shown == (is_said ? 1 : 0);
}

bool hides_accounts(const Seen& seen) {
  const Words lines = section(seen.output, "accounts");
  return lines.size() == 1 && lines.front().ends_with("No such file or directory");
}

bool is_filesystem(const Seen& seen) {
  if (!shows_what_is_said(seen) || (seen.is_strict() && !hides_accounts(seen))) return false;
  std::set<std::string> closed;
  for (const Mount& mount : seen.mounts) {
    const bool read_only = has_option(mount.options, "ro");
    if (!read_only && !is_scratch(mount, seen) && !is_terminals(mount)) return false;
    const bool device = mount.target.starts_with("/dev/");
    if (!has_option(mount.options, "nosuid")) return false;
    if (!device && !has_option(mount.options, "nodev") && !mount.target.starts_with("/proc/"))
      return false;
    if (read_only) closed.insert(mount.target);
  }
  const auto& masked = backend::native::masked_proc_paths();
  return closed.contains("/") && closed.contains("/proc") && seen.apart("mnt") &&
         hides_the_runner(seen) &&
         std::all_of(masked.begin(), masked.end(), [&closed](std::string_view path) {
           const std::string name(path);
           return closed.contains(name) || !std::filesystem::exists(name) || is_only_roots(name);
         });
}

bool is_privileges(const Seen& seen) {
  const std::string outside = std::to_string(expected_id(seen));
  for (const char* const key : {"Uid:", "Gid:"}) {
    if (after(seen.status, key) != Words(4, "65534")) return false;
    if (after(seen.outside, key) != Words(4, outside)) return false;
  }
  for (const char* const key : {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"}) {
    if (after(seen.status, key) != Words{"0000000000000000"}) return false;
  }
  return after(seen.status, "NoNewPrivs:") == Words{"1"} && seen.apart("user");
}
// The caller's own is the box's as well, and often listed again.
bool is_groups(const Seen& seen) {
  const std::string own = std::to_string(expected_id(seen));
  return std::ranges::all_of(after(seen.outside, "Groups:"),
                             [&own](const std::string& group) { return group == own; });
}

bool is_syscalls(const Seen& seen) { return after(seen.status, "Seccomp:") == Words{"2"}; }
// Each attempt to start one was refused with EPERM.
bool is_subprocess(const Seen& seen) {
  return !seen.is_alone() || section(seen.output, "alone") == Words(3, "1");
}
bool is_landlock(const Seen& seen) {
  return seen.output.find("block: Permission denied") != std::string::npos;
}
// Its shell is the first that the runner has started.
bool is_processes(const Seen& seen) {
  const char* const parent = seen.is_alone() ? "1" : "2";
  return after(seen.status, "PPid:") == Words{parent} && seen.apart("pid") && seen.apart("time");
}
bool is_ipc(const Seen& seen) { return seen.apart("ipc"); }
bool is_hostname(const Seen& seen) {
  return seen.apart("uts") &&
         after(section(seen.output, "/proc/sys/kernel/hostname"), "") == Words{"lazaret"};
}
bool is_cgroup_view(const Seen& seen) { return seen.apart("cgroup"); }
bool is_open_files(const Seen& seen) {
  return seen.limited("Max open files", seen.asked("open_files"));
}
bool is_file_size(const Seen& seen) {
  return seen.limited("Max file size", seen.asked("file_bytes"));
}
bool is_core_dumps(const Seen& seen) { return seen.limited("Max core file size", 0); }
bool is_pids(const Seen& seen) { return seen.limited("Max processes", seen.asked("pids") + 1); }
bool is_disk(const Seen& seen) {
  return std::count_if(seen.mounts.begin(), seen.mounts.end(),
                       [&seen](const Mount& mount) { return is_scratch(mount, seen); }) ==
         (seen.is_strict() ? 2 : 3);
}
// Of the caller's own there is none; the shell adds its own three.
bool is_environment(const Seen& seen) {
  const Words lines = section(seen.output, "environment");
  return !lines.empty() && std::none_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("LAZARET_TEST_SECRET");
  });
}
// Only where there is no cgroup to say it.
bool is_memory(const Seen& seen) {
  return seen.limited("Max address space", seen.asked("memory_bytes"));
}
bool is_cpu(const Seen& seen) {
  const Words mask = after(seen.status, "Cpus_allowed:");
  std::size_t processors = 0;
  for (const char digit : mask.front()) {
    if (digit != ',')
      processors += std::bitset<4>(std::stoul(std::string(1, digit), nullptr, 16)).count();
  }
  return static_cast<double>(processors) <= seen.limits_asked["cpus"].get<double>();
}

constexpr std::pair<const char*, bool (*)(const Seen&)> kClaims[] = {
    {"network", is_network},
    {"filesystem", is_filesystem},
    {"privileges", is_privileges},
    {"groups", is_groups},
    {"syscalls", is_syscalls},
    {"subprocess", is_subprocess},
    {"landlock", is_landlock},
    {"processes", is_processes},
    {"ipc", is_ipc},
    {"hostname", is_hostname},
    {"cgroup_view", is_cgroup_view},
    {"open_files", is_open_files},
    {"file_size", is_file_size},
    {"core_dumps", is_core_dumps},
    {"pids", is_pids},
    {"disk", is_disk},
    {"environment", is_environment},
    {"memory", is_memory},
    {"cpu", is_cpu},
};

bool is_claimed(const Json& piece) {
  if (piece["verified_by"] == "cgroup files") return false;
  return piece["status"] == "enforced" || piece["status"] == "partial";
}

// Not of the evidence's rows, and promised of every box all the same.
void add_promises(const Seen& seen, std::vector<std::string>& lies) {
  if (after(section(seen.output, "/proc/sys/user/max_user_namespaces"), "") != Words{"0"})
    lies.push_back("user namespaces below the box");
  // 0 to 3 are the program's, 4 is the directory that ls(1) reads.
  for (const std::string& line : section(seen.output, "links")) {
    const Words words = words_in(line);
    if (words.size() > 9 && words[8].find_first_not_of("0123456789") == std::string::npos &&
        std::stoul(words[8]) > 4)
      lies.push_back("an open descriptor: " + line);
  }
  // A session of its own, and the terminal of nobody else.
  const Words session = section(seen.output, "session");
  const Words ids = session.size() < 2 ? Words{} : words_in(session[1]);
  const bool has_terminal = seen.output.find(" -> /dev/pts/") != std::string::npos;
  const bool is_own = ids.size() == 3 && session[0] == "0022" && ids[0] == ids[1];
  if (!is_own || (ids[2] != "0") != has_terminal)
    lies.push_back("umask, session and terminal: " + Json(session).dump());
  // SIGPIPE and SIGXFSZ are python's own doing.
  const std::string ignored = seen.is_alone() ? "0000000001001000" : "0000000000000000";
  for (const auto& [key, mask] :
       {std::pair{"SigBlk:", std::string(16, '0')}, std::pair{"SigIgn:", ignored}}) {
    if (after(seen.status, key) != Words{mask})
      lies.push_back(std::string("inherited signals: ") + key + after(seen.status, key).front());
  }
}

}  // namespace

ExecutionRequest ask_the_box(const std::string& marker, Subprocess subprocess) {
  ExecutionRequest request =
      subprocess == Subprocess::deny
          ? command({"/usr/bin/python3", "-I", "-S", "-c", guest("box_facts.py"), marker})
          : command({"/bin/sh", "-c", guest("box_facts.sh"), marker});
  request.subprocess = subprocess;
  request.limits.timeout = std::chrono::seconds(4);
  request.limits.grace = std::chrono::milliseconds(100);
  return request;
}

bool has_answered(const std::string& output) { return output.find(kEnd) != std::string::npos; }

std::vector<std::string> false_claims(const Json& result, const std::string& outside,
                                      Caller caller) {
  const std::string output = result.value("stdout", "");
  const Seen seen{output,
                  section(output, "/proc/self/status"),
                  lines_in(outside),
                  section(output, "/proc/self/limits"),
                  mounts_in(output),
                  result["meta"]["limits"],
                  evidence_of(result, "filesystem"),
                  evidence_of(result, "network"),
                  evidence_of(result, "privileges").value("applied", ""),
                  caller};
  std::vector<std::string> lies;
  for (const auto& [control, holds] : kClaims) {
    for (const Json& piece : result["meta"]["evidence"]) {
      if (piece["control"] == control && is_claimed(piece) && !holds(seen))
        lies.push_back(piece.dump());
    }
  }
  add_promises(seen, lies);
  return lies;
}

}  // namespace lazaret::test
