#include "backend/sweep.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "backend/docker/sweep.hpp"
#include "backend/leases.hpp"
#include "backend/staging_row.hpp"
#include "engine/discovery.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend {
namespace {

using journal::LeaseJournal;

constexpr std::chrono::seconds kConnectBound{2};
constexpr std::chrono::milliseconds kPause{100};

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  std::move(more.begin(), more.end(), std::back_inserter(findings));
}

// It may open, and be damaged further on.
std::optional<Error> trouble_of(const Leases& leases) {
  if (leases.journal() == nullptr) return leases.trouble();
  const auto all = leases.journal()->leases();
  return all.ok() ? std::nullopt : std::optional(all.error());
}

// A damaged one is of no use to anybody: the labels say what it said.
Finding judge_journal(const std::filesystem::path& folder, const Error& trouble, Act act) {
  Finding finding{"journal",
                  "",
                  (folder / LeaseJournal::kFile).string(),
                  0,
                  Fate::failed,
                  trouble.message(),
                  trouble.hint()};
  if (trouble.code() == Errc::unsupported) finding.fate = Fate::left;  // the labels have to do
  if (trouble.code() != Errc::protocol) return finding;
  finding.fate = act == Act::look ? Fate::found : Fate::removed;
  if (act == Act::look) return finding;
  const Status gone = LeaseJournal::discard(folder);
  if (gone.ok()) return finding;
  finding.fate = Fate::failed;
  finding.why = gone.error().message();
  return finding;
}

// Until nothing is waited for any more.
std::vector<Finding> sweep_patiently(const engine::EngineClient& client, const Leases& leases,
                                     Act act, const Call& call) {
  std::vector<Finding> removed;
  for (;;) {
    std::vector<Finding> findings = docker::sweep_engine(client, leases, act, call);
    const bool pending = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.fate == Fate::pending;
    });
    if (!pending || act == Act::look || !call.check().ok()) {
      append(removed, std::move(findings));
      return removed;
    }
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(removed),
                 [](const Finding& finding) { return finding.fate == Fate::removed; });
    (void)os::wait_ready({}, call.within(kPause)).ok();
  }
}

// Endpoints of the journal, each with the leases of dead processes.
std::map<std::string, std::vector<journal::Lease>> places_of(const Leases& leases) {
  std::map<std::string, std::vector<journal::Lease>> places;
  for (const journal::Lease& lease : leases.left()) {
    if (!lease.thing.place.empty()) places[lease.thing.place].push_back(lease);
  }
  return places;
}

Result<engine::EngineClient> engine_at(const std::string& place, const Call& call) {
  auto dialer = engine::default_dialer(place);
  if (!dialer.ok()) return std::move(dialer).error();
  return engine::EngineClient::negotiate(std::move(dialer).value(), {}, call.within(kConnectBound));
}

Finding unreachable(const std::string& place, const std::vector<journal::Lease>& left,
                    const Leases& leases, const SweepOptions& options, const Error& error) {
  Finding finding{"engine",
                  place,
                  std::to_string(left.size()) + " leases",
                  0,
                  Fate::failed,
                  error.message(),
                  "start it and run lazaret gc again, or, should it "
                  "be gone for good, lazaret gc --forget"};
  if (options.unreachable == Unreachable::keep || options.act == Act::look) return finding;
  for (const journal::Lease& lease : left)
    (void)leases.journal()->settle(lease.thing, lease.owner.id).ok();
  finding.fate = Fate::left;
  finding.hint = "it is forgotten";
  return finding;
}

std::vector<Finding> sweep_engines(const Surroundings& surroundings, const Leases& leases,
                                   const SweepOptions& options, const Call& call) {
  std::vector<Finding> findings;
  std::set<std::string> seen;
  const auto visit = [&](const engine::EngineClient& client) {
    if (seen.insert(client.endpoint()).second)
      append(findings, sweep_patiently(client, leases, options.act, call));
  };
  for (const BackendKind kind : {BackendKind::docker, BackendKind::podman}) {
    if (options.engines == Engines::owing) break;
    const auto client = find_engine(kind, surroundings, call);
    if (client.ok()) visit(*client);
  }
  for (const auto& [place, left] : places_of(leases)) {
    if (seen.contains(place)) continue;
    const auto client = engine_at(place, call);
    if (client.ok())
      visit(*client);
    else
      findings.push_back(unreachable(place, left, leases, options, client.error()));
  }
  return findings;
}

}  // namespace

std::string_view name_of(Fate fate) noexcept {
  switch (fate) {
    case Fate::removed: return "removed";
    case Fate::found: return "found";
    case Fate::left: return "left";
    case Fate::failed: return "failed";
    case Fate::pending: return "pending";
  }
  return "";
}

bool is_anything_left(const Surroundings& surroundings) {
  return !Leases(surroundings.state, "", journal::this_process()).left().empty();
}

std::vector<std::filesystem::path> stagings_left(const Surroundings& surroundings) {
  return stagings_left(Leases(surroundings.state, "", journal::this_process()));
}

std::vector<Finding> sweep(const Surroundings& surroundings, const SweepOptions& options,
                           const Call& call) {
  const Leases leases(surroundings.state, "", journal::this_process());
  std::vector<Finding> findings = sweep_native(leases, options.act, call);
  if (options.act == Act::remove) settle_stagings(leases);
  append(findings, docker::sweep_directories(leases, options.act));
  append(findings, sweep_engines(surroundings, leases, options, call));
  if (options.act == Act::remove) leases.forget_gone();
  if (const auto trouble = trouble_of(leases))
    findings.push_back(judge_journal(surroundings.state.value_or(""), *trouble, options.act));
  return findings;
}

}  // namespace lazaret::backend
