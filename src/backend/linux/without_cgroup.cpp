#include "backend/linux/without_cgroup.hpp"

#include <sys/utsname.h>

#include <bit>
#include <cmath>
#include <utility>

#include "backend/linux/disks.hpp"
#include "backend/linux/plan.hpp"
#include "base/number.hpp"

namespace lazaret::backend::native {
namespace {

// "3", "ff,ffffffff": a mask in hexadecimal digits (proc(5), Cpus_allowed).
std::size_t bits_in(std::string_view digits) {
  std::size_t count = 0;
  for (const char digit : digits) {
    const std::size_t value = std::string_view("0123456789abcdef").find(digit);
    if (value != std::string_view::npos) count += static_cast<std::size_t>(std::popcount(value));
  }
  return count;
}

// Memory without a cgroup: at best a bound on each process, and none on what belongs to no process.
Reading memory_without_cgroup(const policy::Spec& spec, const SelfReport& report,
                              const std::string& why) {
  const MemoryBound* const bound = memory_bound_of(spec);
  if (bound == nullptr) {
    return {Control::memory, EvidenceStatus::not_enforced,
            why + "; this runtime cannot live under RLIMIT_AS or RLIMIT_DATA",
            "absence of a cgroup"};
  }
  Reading reading =
      read_limit(report, {Control::memory, bound->reported, spec.limits.memory_bytes});
  if (reading.status == EvidenceStatus::enforced) reading.status = EvidenceStatus::partial;
  reading.applied += " bytes for each process, shared memory not counted; " + why;
  return reading;
}

// sched(7): the program counts the processors that it is bound to, but may unbind itself.
Reading cpu_without_cgroup(const policy::Spec& spec, const SelfReport& report,
                           const std::string& why) {
  const auto found = report.status.find("Cpus_allowed");
  const std::size_t bound = found ? bits_in(*found) : 0;
  if (bound == 0 || static_cast<double>(bound) > std::ceil(spec.limits.cpus))
    return {Control::cpu, EvidenceStatus::not_enforced, why, "absence of a cgroup"};
  return {Control::cpu, EvidenceStatus::partial,
          "bound to " + std::to_string(bound) + " processors, which the program may change; " + why,
          "runner report"};
}

// Of the user's processes all are counted where the kernel does not tell namespaces apart.
Reading pids_without_cgroup(const policy::Spec& spec, const SelfReport& report) {
  static const bool is_its_own = [] {
    utsname facts{};
    return ::uname(&facts) == 0 && counts_tasks_by_namespace(facts.release);
  }();
  Reading pids = read_limit(report, {Control::pids, "limit.nproc", spec.limits.pids});
  if (!is_its_own && pids.status == EvidenceStatus::enforced) pids.status = EvidenceStatus::partial;
  pids.applied += is_its_own ? " in a user namespace of its own"
                             : " of all boxes of this user together (Linux before 5.14)";
  return pids;
}

}  // namespace

bool counts_tasks_by_namespace(std::string_view release) {
  constexpr std::pair<std::uint64_t, std::uint64_t> kFirst{5, 14};
  const std::size_t dot = release.find('.');
  if (dot == release.npos) return false;
  const std::string_view rest = release.substr(dot + 1);
  const auto major = parse_number(release.substr(0, dot));
  const auto minor = parse_number(rest.substr(0, rest.find_first_not_of("0123456789")));
  return major && minor && std::pair(*major, *minor) >= kFirst;
}

std::vector<Reading> readings_without_cgroup(const policy::Spec& spec, const SelfReport& report,
                                             const std::string& why) {
  const auto no = EvidenceStatus::not_enforced;
  const std::string source = "absence of a cgroup";
  return {{Control::swap, no, why, source},
          unlimited_reading(why, source.c_str()),
          cpu_without_cgroup(spec, report, why),
          pids_without_cgroup(spec, report),
          memory_without_cgroup(spec, report, why)};
}

}  // namespace lazaret::backend::native
