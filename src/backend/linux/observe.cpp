#include "backend/linux/observe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <tuple>
#include <utility>

#include "backend/report.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "os/linux/system_file.hpp"

namespace lazaret::backend::native {
namespace {

struct NamespaceRow {
  Control control;
  const char* name;
};

constexpr std::array kNamespaces = {
    NamespaceRow{Control::network, "net"},     NamespaceRow{Control::filesystem, "mnt"},
    NamespaceRow{Control::privileges, "user"}, NamespaceRow{Control::processes, "pid"},
    NamespaceRow{Control::processes, "time"},  NamespaceRow{Control::ipc, "ipc"},
    NamespaceRow{Control::hostname, "uts"},    NamespaceRow{Control::cgroup_view, "cgroup"},
};

static_assert(std::tuple_size_v<Namespaces> == kNamespaces.size());

Reading read_namespace(const NamespaceRow& row, const std::string& theirs, const std::string& ours,
                       const std::string& makers) {
  const bool are_known = !theirs.empty() && !ours.empty() && !makers.empty();
  const bool apart = are_known && theirs != ours && theirs != makers;
  return {row.control, apart ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          std::string(apart ? "own " : "no own ") + row.name + " namespace", kFromOutside};
}

SelfReport status_from_outside(const os::Handle& folder) {
  return parse_status(os::text_of_system_file(folder.get(), "status"));
}

std::string target_of(const os::Handle& folder, const std::string& link) {
  std::array<char, 64> target{};
  (void)::readlinkat(folder.get(), link.c_str(), target.data(), target.size() - 1);
  return target.data();
}

os::Handle folder_at(const char* path) {
  return os::Handle(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Reading read_field(const SelfReport& report, Control control, const std::string& field,
                   std::string_view wanted) {
  const bool holds = report.status.find(field) == wanted;
  return {control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          holds ? "" : field + " is not " + std::string(wanted), kFromOutside};
}

// WHY from outside: inside, an id that is not mapped looks like the box's own (user_namespaces(7),
// overflowuid), and that could be root's.
Reading read_id(const SelfReport& report, const std::string& field, std::uint32_t wanted) {
  const std::string seen(report.status.find(field).value_or("unknown"));
  const bool holds = words_of(seen) == std::vector<std::string>(4, std::to_string(wanted));
  return {Control::privileges, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          holds ? "" : field + " on the host is " + seen, kFromOutside};
}

// Those beside its own, which opens nothing that the box could not open without.
std::string other_groups(const SelfReport& report, std::uint32_t own) {
  std::string all;
  for (const std::string& group : words_of(report.status.find("Groups").value_or("unknown"))) {
    if (group != std::to_string(own)) all += " " + group;
  }
  return all;
}

// Without privilege the kernel keeps the caller's. Whoever can give them up and still has some has
// been lied to.
Reading read_groups(const SelfReport& report, const OutsideIdentity& expected) {
  const std::string others = other_groups(report, expected.group);
  if (others.empty()) return {Control::groups, EvidenceStatus::enforced, "", kFromOutside};
  if (expected.groups == OutsideIdentity::Groups::none)
    return {Control::privileges, EvidenceStatus::not_enforced, "still in groups" + others,
            kFromOutside};
  return {Control::groups, EvidenceStatus::not_enforced,
          "in the caller's groups" + others + ", which the kernel keeps", kFromOutside};
}

std::vector<Reading> read_identity(const SelfReport& report, const OutsideIdentity& expected) {
  const bool is_caller = expected.user == ::geteuid();
  Reading who{
      Control::privileges, EvidenceStatus::enforced,
      (is_caller ? "outside the caller, user " : "outside user ") + std::to_string(expected.user),
      kFromOutside};
  return {std::move(who), read_id(report, "Uid", expected.user),
          read_id(report, "Gid", expected.group), read_groups(report, expected)};
}

// "Max open files            256                  256                  files"
std::optional<std::uint64_t> hard_limit(std::string_view limits, std::string_view name) {
  for (const std::string_view line : split(limits, '\n')) {
    if (!line.starts_with(name)) continue;
    const std::vector<std::string> words = words_of(line.substr(name.size()));
    return words.size() < 2 ? std::nullopt : parse_number(words[1]);
  }
  return std::nullopt;
}

}  // namespace

os::Handle folder_of(pid_t pid) { return folder_at(("/proc/" + std::to_string(pid)).c_str()); }

os::Handle folder_of_thread() { return folder_at("/proc/thread-self"); }

Namespaces namespaces_of(const os::Handle& folder) {
  Namespaces all;
  for (std::size_t index = 0; index < all.size(); ++index)
    all[index] = target_of(folder, std::string("ns/") + kNamespaces[index].name);
  return all;
}

std::string seen_from_outside(const os::Handle& folder) {
  std::string text;
  for (const auto& [key, name] : {std::pair{"net=", "net/dev"}, {"mount=", "mountinfo"}}) {
    const std::string seen = os::text_of_system_file(folder.get(), name);
    for (const std::string_view line : split(seen, '\n')) text.append(key).append(line) += '\n';
  }
  return text;
}

std::vector<Reading> read_namespaces(const Namespaces& theirs, const Namespaces& ours,
                                     const Namespaces& makers) {
  std::vector<Reading> readings;
  for (std::size_t index = 0; index < theirs.size(); ++index) {
    const NamespaceRow& row = kNamespaces[index];
    const bool was_makers = row.control == Control::network;  // each, before it was a box's
    readings.push_back(read_namespace(row, theirs[index], ours[index],
                                      was_makers ? ours[index] : makers[index]));
  }
  return readings;
}

std::vector<Reading> read_proc(const os::Handle& folder, const OutsideIdentity& expected) {
  std::vector<Reading> readings;
  const SelfReport report = status_from_outside(folder);
  readings.push_back(read_field(report, Control::syscalls, "Seccomp", "2"));
  readings.push_back(read_field(report, Control::privileges, "NoNewPrivs", "1"));
  for (const char* const set : {"CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"}) {
    readings.push_back(read_field(report, Control::privileges, set, "0000000000000000"));
  }
  for (Reading& reading : read_identity(report, expected)) readings.push_back(std::move(reading));
  return readings;
}

std::vector<Reading> read_limits(const os::Handle& folder, const policy::Spec& spec, HeldBy held) {
  const Limits& limits = spec.limits;
  std::vector<std::tuple<Control, std::string_view, std::uint64_t>> rows = {
      {Control::open_files, "Max open files ", limits.open_files},
      {Control::file_size, "Max file size ", limits.file_bytes},
      {Control::core_dumps, "Max core file size ", 0}};
  if (held == HeldBy::limits) {
    rows.emplace_back(Control::pids, "Max processes ", limits.pids);
    if (const MemoryBound* const memory = memory_bound_of(spec))
      rows.emplace_back(Control::memory, memory->in_limits, limits.memory_bytes);
  }
  const std::string text = os::text_of_system_file(folder.get(), "limits");
  std::vector<Reading> readings;
  for (const auto& [control, name, most] : rows) {
    const auto hard = hard_limit(text, name);
    const bool holds = hard && *hard <= most;
    readings.push_back({control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
                        holds ? "" : std::string(name) + "is more", kFromOutside});
  }
  return readings;
}

// The table of its addresses, which is empty until an interface is up. Nothing is said by a kernel
// that has no such table.
std::optional<Reading> read_silence(const os::Handle& folder) {
  const os::Handle table(::openat(folder.get(), "net/fib_trie", O_RDONLY | O_CLOEXEC));
  if (!table.valid() && errno == ENOENT) return std::nullopt;
  char first = 0;
  const ssize_t count = ::read(table.get(), &first, 1);
  if (count == 0)
    return Reading{Control::network, EvidenceStatus::enforced, "lo down", kFromOutside};
  return Reading{Control::network, EvidenceStatus::not_enforced,
                 count > 0 ? "lo is up, which was to be down" : "whether lo is up cannot be read",
                 kFromOutside};
}

std::optional<std::string> namespace_of(pid_t pid, const char* name) {
  std::string target = target_of(folder_of(pid), std::string("ns/") + name);
  return target.empty() ? std::nullopt : std::optional(std::move(target));
}

std::string pid_namespace_of(const Namespaces& all) {
  const auto found = std::ranges::find_if(
      all, [](const std::string& target) { return target.starts_with("pid:"); });
  return found == all.end() ? "" : *found;
}

std::uint32_t processes_in(const std::string& pid_namespace) {
  std::uint32_t count = 0;
  if (pid_namespace.empty()) return count;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = parse_number(entry.path().filename().string());
    const os::Handle folder = pid ? folder_of(static_cast<pid_t>(*pid)) : os::Handle();
    if (target_of(folder, "ns/pid") != pid_namespace) continue;
    const SelfReport report = status_from_outside(folder);
    const auto state = report.status.find("State");
    if (state && !state->starts_with('Z')) ++count;
  }
  return count;
}

}  // namespace lazaret::backend::native
