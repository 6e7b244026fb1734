#include "backend/linux/observe.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <tuple>

#include "backend/report.hpp"
#include "base/file.hpp"
#include "base/number.hpp"
#include "base/split.hpp"

namespace lazaret::backend::native {
namespace {

constexpr const char* kFromOutside = "/proc from outside";

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

Reading read_namespace(const NamespaceRow& row, const std::string& theirs,
                       const std::string& ours) {
  const bool apart = !theirs.empty() && !ours.empty() && theirs != ours;
  return {row.control, apart ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          std::string(apart ? "own " : "no own ") + row.name + " namespace", kFromOutside};
}

SelfReport status_from_outside(pid_t pid) {
  return parse_status(text_of_file("/proc/" + std::to_string(pid) + "/status"));
}

Reading read_field(const SelfReport& report, Control control, const std::string& field,
                   const std::string& wanted) {
  const auto found = report.status.find(field);
  const bool holds = found != report.status.end() && found->second == wanted;
  return {control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          holds ? "" : field + " is not " + wanted, kFromOutside};
}

// WHY from outside: inside, an id that is not mapped looks like the box's own (user_namespaces(7),
// overflowuid), and that could be root's.
Reading read_id(const SelfReport& report, const std::string& field, std::uint32_t wanted) {
  const auto found = report.status.find(field);
  const std::string seen = found == report.status.end() ? "unknown" : found->second;
  const bool holds = words_of(seen) == std::vector<std::string>(4, std::to_string(wanted));
  return {Control::privileges, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
          holds ? "" : field + " on the host is " + seen, kFromOutside};
}

// Without privilege the kernel keeps the caller's groups; no file of theirs is in the box.
Reading read_groups(const SelfReport& report, OutsideIdentity::Groups allowed) {
  const auto found = report.status.find("Groups");
  const std::string groups = found == report.status.end() ? "unknown" : found->second;
  if (allowed == OutsideIdentity::Groups::none && !words_of(groups).empty())
    return {Control::privileges, EvidenceStatus::not_enforced, "still in groups " + groups,
            kFromOutside};
  return {Control::privileges, EvidenceStatus::enforced,
          groups.empty() ? "" : "supplementary groups " + groups + " kept by the kernel",
          kFromOutside};
}

std::vector<Reading> read_identity(const SelfReport& report, const OutsideIdentity& expected) {
  const bool is_caller = expected.user == ::geteuid();
  Reading who{
      Control::privileges, EvidenceStatus::enforced,
      (is_caller ? "outside the caller, user " : "outside user ") + std::to_string(expected.user),
      kFromOutside};
  return {std::move(who), read_id(report, "Uid", expected.user),
          read_id(report, "Gid", expected.group), read_groups(report, expected.groups)};
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

Namespaces namespaces_of(pid_t pid) {
  Namespaces all;
  for (std::size_t index = 0; index < all.size(); ++index)
    all[index] = namespace_of(pid, kNamespaces[index].name).value_or("");
  return all;
}

std::vector<Reading> read_proc(pid_t pid, const OutsideIdentity& expected, const Namespaces& ours) {
  std::vector<Reading> readings;
  const Namespaces theirs = namespaces_of(pid);
  for (std::size_t index = 0; index < theirs.size(); ++index)
    readings.push_back(read_namespace(kNamespaces[index], theirs[index], ours[index]));
  const SelfReport report = status_from_outside(pid);
  readings.push_back(read_field(report, Control::syscalls, "Seccomp", "2"));
  readings.push_back(read_field(report, Control::privileges, "NoNewPrivs", "1"));
  for (const char* const set : {"CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"}) {
    readings.push_back(read_field(report, Control::privileges, set, "0000000000000000"));
  }
  for (Reading& reading : read_identity(report, expected)) readings.push_back(std::move(reading));
  return readings;
}

std::vector<Reading> read_limits(pid_t pid, const Limits& limits) {
  const std::tuple<Control, std::string_view, std::uint64_t> rows[] = {
      {Control::open_files, "Max open files ", limits.open_files},
      {Control::file_size, "Max file size ", limits.file_bytes},
      {Control::core_dumps, "Max core file size ", 0}};
  const std::string text = text_of_file("/proc/" + std::to_string(pid) + "/limits");
  std::vector<Reading> readings;
  for (const auto& [control, name, most] : rows) {
    const auto hard = hard_limit(text, name);
    const bool holds = hard && *hard <= most;
    readings.push_back({control, holds ? EvidenceStatus::enforced : EvidenceStatus::not_enforced,
                        holds ? "" : std::string(name) + "is more", kFromOutside});
  }
  return readings;
}

std::optional<std::string> namespace_of(pid_t pid, const char* name) {
  std::array<char, 64> target{};
  const std::string path = "/proc/" + std::to_string(pid) + "/ns/" + name;
  if (::readlink(path.c_str(), target.data(), target.size() - 1) <= 0) return std::nullopt;
  return std::string(target.data());
}

std::uint32_t processes_in(const std::string& pid_namespace) {
  std::uint32_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = parse_number(entry.path().filename().string());
    if (!pid || namespace_of(static_cast<pid_t>(*pid), "pid") != pid_namespace) continue;
    const SelfReport report = status_from_outside(static_cast<pid_t>(*pid));
    const auto state = report.status.find("State");
    if (state != report.status.end() && state->second.rfind('Z', 0) != 0) ++count;
  }
  return count;
}

}  // namespace lazaret::backend::native
