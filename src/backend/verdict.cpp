#include "backend/verdict.hpp"

#include <algorithm>

namespace lazaret::backend {
namespace {

std::string limit_text(std::uint64_t number, std::string_view unit) {
  return std::to_string(number) + " " + std::string(unit);
}

void join(std::string& text, const std::string& more) {
  if (more.empty() || text.find(more) != std::string::npos) return;
  text += (text.empty() ? "" : "; ") + more;
}

Evidence judged(Control control, const std::vector<Reading>& readings, const policy::Spec& spec) {
  Evidence evidence{control, EvidenceStatus::enforced, requested(control, spec), "", ""};
  bool read = false;
  for (const Reading& reading : readings) {
    if (reading.control != control) continue;
    read = true;
    evidence.status = std::max(evidence.status, reading.status);
    join(evidence.applied, reading.applied);
    join(evidence.verified_by, reading.source);
  }
  if (read) return evidence;
  return {control, EvidenceStatus::not_enforced, evidence.requested, "not verified here",
          "nothing"};
}

std::string files_asked(const policy::Spec& spec) {
  std::string text = "read-only root, no host path writable";
  if (spec.profile == Profile::strict) text += ", strict";
  for (const Mount& mount : spec.mounts) {
    const bool writes = mount.access == MountAccess::read_write;
    text += (writes ? ", but writable " : ", read-only ") + mount.target;
  }
  return text;
}

std::string network_asked(const policy::Spec& spec) {
  std::string text = spec.loopback == Loopback::up ? "loopback" : "none";
  for (const policy::HostRule& rule : spec.egress.hosts)
    text += (rule == spec.egress.hosts.front() ? ", by proxy to " : ", ") + text_of(rule);
  return text;
}

}  // namespace

std::string requested(Control control, const policy::Spec& spec) {
  const Limits& limits = spec.limits;
  switch (control) {
    case Control::network: return network_asked(spec);
    case Control::filesystem: return files_asked(spec);
    case Control::privileges: return "uid and gid 65534, no capability, no new privileges";
    case Control::groups: return "none";
    case Control::timeout:
      return limit_text(static_cast<std::uint64_t>(limits.timeout.count()), "ms");
    case Control::syscalls: return "allow-list, " + std::string(name_of(spec.profile));
    case Control::landlock: return "read-only but for scratch and devices, scoped";
    case Control::processes: return "own pid namespace";
    case Control::ipc: return "own ipc namespace";
    case Control::hostname: return "own uts namespace";
    case Control::cgroup_view: return "own cgroup namespace";
    case Control::memory: return limit_text(limits.memory_bytes, "bytes");
    case Control::swap: return "none";
    case Control::cpu: return std::to_string(limits.cpus) + " processors";
    case Control::pids: return limit_text(limits.pids, "tasks");
    case Control::open_files: return limit_text(limits.open_files, "descriptors");
    case Control::file_size: return limit_text(limits.file_bytes, "bytes");
    case Control::core_dumps: return "none";
    case Control::disk:
      return limit_text(limits.disk_bytes, "bytes") + ", " +
             limit_text(limits.disk_files, "inodes");
    case Control::environment:
      return limit_text(spec.environment.size(), "variables, nothing inherited");
    case Control::subprocess: return spec.subprocess == Subprocess::deny ? "denied" : "allowed";
  }
  return "";
}

std::vector<Evidence> judge(const std::vector<Reading>& readings, const policy::Spec& spec) {
  std::vector<Evidence> evidence;
  for (const Control control : all_controls()) evidence.push_back(judged(control, readings, spec));
  return evidence;
}

Status require(const std::vector<Evidence>& evidence, const policy::Spec& spec) {
  std::string missing;
  for (const Evidence& piece : evidence) {
    if (piece.status == EvidenceStatus::enforced || !spec.required.contains(piece.control))
      continue;
    join(missing, std::string(name_of(piece.control)) + " (" + piece.applied + ")");
  }
  if (missing.empty()) return {};
  return Error(Errc::enforcement_mismatch, "required but not enforced: " + missing)
      .with_hint(
          "the code was not run; see `lazaret doctor` for what is missing here, or allow less "
          "with --require LIST or --best-effort");
}

bool is_enforced(const std::vector<Evidence>& evidence, Control control) {
  return std::any_of(evidence.begin(), evidence.end(), [control](const Evidence& piece) {
    return piece.control == control && piece.status == EvidenceStatus::enforced;
  });
}

Isolation isolation_of(const std::vector<Evidence>& evidence) {
  const auto enforced = [](const Evidence& piece) {
    return piece.status == EvidenceStatus::enforced;
  };
  if (std::all_of(evidence.begin(), evidence.end(), enforced)) return Isolation::full;
  const auto basic = [&enforced](const Evidence& piece) {
    return enforced(piece) && default_required_controls().contains(piece.control);
  };
  return std::any_of(evidence.begin(), evidence.end(), basic) ? Isolation::partial
                                                              : Isolation::none;
}

}  // namespace lazaret::backend
