#include <algorithm>
#include <array>
#include <utility>

#include "lazaret/confinement.hpp"
#include "lazaret/control.hpp"
#include "lazaret/error.hpp"
#include "lazaret/execution_result.hpp"

namespace lazaret {
namespace {

using namespace std::string_view_literals;

constexpr std::array kControlNames = {
    std::pair{Control::network, "network"sv},
    std::pair{Control::filesystem, "filesystem"sv},
    std::pair{Control::privileges, "privileges"sv},
    std::pair{Control::groups, "groups"sv},
    std::pair{Control::timeout, "timeout"sv},
    std::pair{Control::syscalls, "syscalls"sv},
    std::pair{Control::landlock, "landlock"sv},
    std::pair{Control::processes, "processes"sv},
    std::pair{Control::ipc, "ipc"sv},
    std::pair{Control::hostname, "hostname"sv},
    std::pair{Control::cgroup_view, "cgroup_view"sv},
    std::pair{Control::memory, "memory"sv},
    std::pair{Control::swap, "swap"sv},
    std::pair{Control::cpu, "cpu"sv},
    std::pair{Control::pids, "pids"sv},
    std::pair{Control::open_files, "open_files"sv},
    std::pair{Control::file_size, "file_size"sv},
    std::pair{Control::core_dumps, "core_dumps"sv},
    std::pair{Control::disk, "disk"sv},
    std::pair{Control::environment, "environment"sv},
    std::pair{Control::subprocess, "subprocess"sv},
};

}  // namespace

const std::vector<Control>& all_controls() {
  static const std::vector<Control> controls = [] {
    std::vector<Control> list;
    for (const auto& [control, name] : kControlNames) list.push_back(control);
    return list;
  }();
  return controls;
}

std::string_view name_of(Control control) noexcept {
  return kControlNames[static_cast<std::size_t>(control)].second;
}

std::optional<Control> control_named(std::string_view name) noexcept {
  for (const auto& [control, spelling] : kControlNames) {
    if (spelling == name) return control;
  }
  return std::nullopt;
}

std::vector<std::string> degraded(const std::vector<Evidence>& evidence) {
  std::vector<std::string> names;
  for (const Evidence& piece : evidence) {
    if (piece.status == EvidenceStatus::enforced) continue;
    names.emplace_back(name_of(piece.control));
    if (piece.status == EvidenceStatus::partial) names.back() += " (partly)";
  }
  return names;
}

const std::set<Control>& default_required_controls() {
  static const std::set<Control> controls = {Control::network, Control::filesystem,
                                             Control::privileges, Control::timeout};
  return controls;
}

std::string_view name_of(EvidenceStatus status) noexcept {
  switch (status) {
    case EvidenceStatus::enforced: return "enforced";
    case EvidenceStatus::partial: return "partial";
    case EvidenceStatus::not_enforced: return "not_enforced";
  }
  return "";
}

std::string_view name_of(Isolation isolation) noexcept {
  switch (isolation) {
    case Isolation::full: return "full";
    case Isolation::partial: return "partial";
    case Isolation::none: return "none";
  }
  return "";
}

std::string_view name_of(Artifact::Kind kind) noexcept {
  switch (kind) {
    case Artifact::Kind::file: return "file";
    case Artifact::Kind::directory: return "directory";
    case Artifact::Kind::link: return "link";
    case Artifact::Kind::other: return "other";
  }
  return "";
}

std::string_view name_of(RichResult::Source source) noexcept {
  return source == RichResult::Source::value ? "value" : "display";
}

std::string_view name_of(Connection::Outcome outcome) noexcept {
  switch (outcome) {
    case Connection::Outcome::made: return "made";
    case Connection::Outcome::denied: return "denied";
    case Connection::Outcome::failed: return "failed";
  }
  return "";
}

std::string_view name_of(Subprocess subprocess) noexcept {
  switch (subprocess) {
    case Subprocess::allow: return "allow";
    case Subprocess::deny: return "deny";
  }
  return "";
}

std::string_view name_of(Profile profile) noexcept {
  switch (profile) {
    case Profile::dev: return "dev";
    case Profile::standard: return "standard";
    case Profile::strict: return "strict";
  }
  return "";
}

std::string_view name_of(Loopback loopback) noexcept {
  switch (loopback) {
    case Loopback::down: return "down";
    case Loopback::up: return "up";
  }
  return "";
}

std::optional<Profile> profile_named(std::string_view name) noexcept {
  for (const Profile each : {Profile::dev, Profile::standard, Profile::strict}) {
    if (name == name_of(each)) return each;
  }
  return std::nullopt;
}

std::optional<Loopback> loopback_named(std::string_view name) noexcept {
  for (const Loopback each : {Loopback::down, Loopback::up}) {
    if (name == name_of(each)) return each;
  }
  return std::nullopt;
}

std::optional<Subprocess> subprocess_named(std::string_view name) noexcept {
  for (const Subprocess each : {Subprocess::allow, Subprocess::deny}) {
    if (name == name_of(each)) return each;
  }
  return std::nullopt;
}

std::string_view name_of(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument: return "invalid_argument";
    case Errc::not_found: return "not_found";
    case Errc::permission_denied: return "permission_denied";
    case Errc::unsupported: return "unsupported";
    case Errc::timed_out: return "timed_out";
    case Errc::cancelled: return "cancelled";
    case Errc::connection_refused: return "connection_refused";
    case Errc::connection_lost: return "connection_lost";
    case Errc::protocol: return "protocol";
    case Errc::too_large: return "too_large";
    case Errc::conflict: return "conflict";
    case Errc::engine: return "engine";
    case Errc::image_missing: return "image_missing";
    case Errc::enforcement_mismatch: return "enforcement_mismatch";
    case Errc::backend_unavailable: return "backend_unavailable";
    case Errc::start_failed: return "start_failed";
    case Errc::system: return "system";
  }
  return "";
}

std::string_view name_of(Cause cause) noexcept {
  switch (cause) {
    case Cause::exited: return "exited";
    case Cause::nonzero_exit: return "nonzero_exit";
    case Cause::signalled: return "signalled";
    case Cause::timeout: return "timeout";
    case Cause::cpu_limit: return "cpu_limit";
    case Cause::memory_limit: return "memory_limit";
    case Cause::pids_limit: return "pids_limit";
    case Cause::output_limit: return "output_limit";
    case Cause::file_size_limit: return "file_size_limit";
    case Cause::disk_limit: return "disk_limit";
    case Cause::policy_denied: return "policy_denied";
    case Cause::approval_denied: return "approval_denied";
    case Cause::cancelled: return "cancelled";
    case Cause::compile_failed: return "compile_failed";
    case Cause::start_failed: return "start_failed";
    case Cause::image_missing: return "image_missing";
    case Cause::enforcement_mismatch: return "enforcement_mismatch";
    case Cause::backend_unavailable: return "backend_unavailable";
    case Cause::infrastructure_lost: return "infrastructure_lost";
  }
  return "";
}

std::string_view name_of(ErrorType type) noexcept {
  switch (type) {
    case ErrorType::SyntaxError: return "SyntaxError";
    case ErrorType::RuntimeError: return "RuntimeError";
    case ErrorType::TimeoutError: return "TimeoutError";
    case ErrorType::MemoryError: return "MemoryError";
    case ErrorType::PermissionDenied: return "PermissionDenied";
    case ErrorType::OutputLimitError: return "OutputLimitError";
    case ErrorType::SerializationError: return "SerializationError";
    case ErrorType::PolicyDenied: return "PolicyDenied";
    case ErrorType::BackendError: return "BackendError";
  }
  return "";
}

}  // namespace lazaret
