#include "backend/docker/sweep.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "backend/docker/seccomp_file.hpp"
#include "base/try.hpp"
#include "engine/container.hpp"
#include "engine/failure.hpp"
#include "engine/volume.hpp"

namespace lazaret::backend::docker {
namespace {

using journal::Kind;
using journal::Lease;
using journal::Standing;

// Seconds. An engine goes on with what a dead client has asked for: that is waited for, and looked
// for once more for as long as a disk that is too busy may have kept it.
constexpr std::int64_t kOnItsWay = 10, kMayCome = 300;

// Something of ours on an engine, and how it goes; what stays does not.
struct Piece {
  Kind kind;
  std::string name;
  Instance owner;
  std::function<Status()> remove;
  bool in_the_making = false;  // or may be, a container that has not begun
};

Finding judge_piece(const Piece& piece, const std::string& place, const Leases& leases, Act act) {
  const Standing standing = leases.standing_of(piece.owner);
  Finding finding{std::string(name_of(piece.kind)), place, engine::one_line(piece.name),
                  piece.owner.pid};
  if (standing != Standing::dead) {
    finding.why = reason_of(standing, piece.owner);
    return finding;
  }
  finding.fate = Fate::found;
  if (act == Act::look) return finding;
  const Status removed = piece.remove();
  finding.fate = removed.ok() ? Fate::removed : Fate::failed;
  if (!removed.ok()) {
    finding.why = removed.error().message();
    finding.hint = "remove it with the engine's own tools, or run lazaret gc again";
  }
  return finding;
}

// Docker's words for it and Podman's; it may have none yet.
bool is_in_the_making(const std::string& state) {
  return state.empty() || state == "created" || state == "initialized" || state == "removing";
}

std::string plain_name(const engine::container::Summary& summary) {
  if (summary.names.empty()) return summary.id;
  const std::string& name = summary.names.front();
  return name.starts_with('/') ? name.substr(1) : name;
}

Status add_containers(std::vector<Piece>& pieces, const engine::EngineClient& client,
                      const Call& call) {
  using engine::container::Volumes;
  const std::string label = std::string(kOwnerLabel) + "=" + kOwner;
  LAZARET_TRY(const auto containers, engine::container::list(client, {{label}}, call));
  // WHY by id: another process may have taken the name since.
  for (const auto& container : containers) {
    pieces.push_back({Kind::container, plain_name(container), instance_in(container.labels),
                      [&client, &call, id = container.id] {
                        // Podman would ask it to stop first, and wait for ten seconds.
                        (void)engine::container::kill(client, id, "SIGKILL", call).ok();
                        return engine::container::remove(client, id, Volumes::remove, call);
                      },
                      is_in_the_making(container.state)});
  }
  return {};
}

// What stays is not one process's: the runner's volume, and those with packages.
Status add_volumes(std::vector<Piece>& pieces, const engine::EngineClient& client,
                   const Call& call) {
  const std::string label = std::string(kOwnerLabel) + "=" + kOwner;
  LAZARET_TRY(const auto volumes, engine::volume::list(client, {label}, call));
  for (const auto& volume : volumes) {
    const bool stays =
        volume.labels.contains(kRunnerLabel) || volume.labels.contains(kPackagesLabel);
    const auto remove = [&client, &call, name = volume.name] {
      return engine::volume::remove(client, name, call);
    };
    pieces.push_back({Kind::volume, volume.name, instance_in(volume.labels),
                      stays ? std::function<Status()>() : remove});
  }
  return {};
}

// Containers first: they use the volumes.
Result<std::vector<Piece>> pieces_of(const engine::EngineClient& client, const Call& call) {
  std::vector<Piece> pieces;
  LAZARET_CHECK(add_containers(pieces, client, call));
  LAZARET_CHECK(add_volumes(pieces, client, call));
  return pieces;
}

// The leases of dead processes on this engine: what was not found there is gone, was never made or
// may still come; what stays is there. What was removed while the engine was making it may come as
// well: it is listed once more.
void settle_leases(std::vector<Finding>& findings, const std::string& place, const Leases& leases,
                   Act act, const std::set<std::string>& in_the_making,
                   const std::set<std::string>& staying) {
  std::set<std::string> there, removed = staying;
  for (const Finding& finding : findings)
    (finding.fate == Fate::removed ? removed : there).insert(finding.name);
  for (const Lease& lease : leases.left()) {
    const std::string& name = lease.thing.name;
    if (lease.thing.place != place || there.contains(name)) continue;
    const bool is_new = is_younger(lease, kOnItsWay);
    const bool was_there = removed.contains(name) && !(is_new && in_the_making.contains(name));
    if (!was_there && is_new) {
      findings.push_back({std::string(name_of(lease.thing.kind)), place, name, lease.owner.pid,
                          Fate::pending, "the engine may still make it", "run lazaret gc again"});
    } else if (act == Act::remove && (was_there || !is_younger(lease, kMayCome))) {
      (void)leases.journal()->settle(lease.thing, lease.owner.id).ok();
    }
  }
}

// By their names, where they lie, and by the journal, wherever they are.
std::map<std::filesystem::path, Instance> directories_of(const Leases& leases) {
  std::map<std::filesystem::path, Instance> directories;
  for (const Lease& lease : leases.all()) {
    if (lease.thing.kind != Kind::directory) continue;
    if (const auto found = seccomp_directory(lease.thing.name)) {
      directories[found->path] = lease.owner;
      directories[found->path].user = found->owner.user;
    }
  }
  std::error_code error;
  for (SeccompDirectory& found : seccomp_directories(std::filesystem::temp_directory_path(error))) {
    found.owner.boot = leases.owner().boot;  // its name does not tell: it lies on this machine
    directories.emplace(std::move(found.path), std::move(found.owner));
  }
  return directories;
}

void settle_directories(const Leases& leases) {
  for (const Lease& lease : leases.left()) {
    if (lease.thing.kind != Kind::directory) continue;
    if (!seccomp_directory(lease.thing.name))
      (void)leases.journal()->settle(lease.thing, lease.owner.id).ok();
  }
}

bool is_alive(const Instance& owner, const Leases& leases) {
  return leases.standing_of(owner) == Standing::alive;
}

}  // namespace

bool has_left_something(const Leases& leases) {
  return std::ranges::any_of(leases.all(), [&leases](const Lease& lease) {
    const bool is_meant =
        lease.thing.kind == Kind::directory ||
        (lease.thing.kind != Kind::unknown && lease.thing.place == leases.place());
    return is_meant && leases.standing_of(lease.owner) == Standing::dead;
  });
}

std::vector<Finding> sweep_engine(const engine::EngineClient& client, const Leases& leases, Act act,
                                  const Call& call) {
  const std::string place = client.endpoint();
  const auto pieces = pieces_of(client, call);
  if (!pieces.ok())
    return {{"engine", place, client.describe(), 0, Fate::failed, pieces.error().message(),
             "run lazaret gc again once it answers"}};
  std::vector<Finding> findings;
  std::set<std::string> in_the_making, staying;
  for (const Piece& piece : *pieces) {
    if (!piece.remove) {
      staying.insert(piece.name);
      continue;
    }
    if (is_alive(piece.owner, leases)) continue;
    findings.push_back(judge_piece(piece, place, leases, act));
    if (piece.in_the_making) in_the_making.insert(findings.back().name);
  }
  settle_leases(findings, place, leases, act, in_the_making, staying);
  return findings;
}

std::vector<Finding> sweep_directories(const Leases& leases, Act act) {
  std::vector<Finding> findings;
  for (const auto& [path, owner] : directories_of(leases)) {
    if (is_alive(owner, leases)) continue;
    const Piece piece{Kind::directory, path.string(), owner,
                      [&path = path] { return remove_seccomp_directory(path); }};
    findings.push_back(judge_piece(piece, "", leases, act));
  }
  if (act == Act::remove) settle_directories(leases);
  return findings;
}

}  // namespace lazaret::backend::docker
