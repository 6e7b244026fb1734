#include "core/garbage.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/environment.hpp"
#include "core/package_store.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using backend::Fate;
using backend::Finding;

const char* verb_of(Fate fate) {
  switch (fate) {
    case Fate::removed: return "removed ";
    case Fate::found: return "would remove ";
    case Fate::left: return "left ";
    case Fate::failed: return "could not remove ";
    case Fate::pending: return "still waiting for ";
  }
  return "";
}

Finding judge_staging(const fs::path& path, backend::Act act) {
  Finding found;
  found.kind = "directory";
  found.name = path.string();
  found.fate = act == backend::Act::look ? Fate::found : Fate::removed;
  std::error_code error;
  if (act == backend::Act::remove) fs::remove_all(path, error);
  if (!error) return found;
  found.fate = Fate::failed;
  found.why = error.message();
  return found;
}

Finding leave_staging(const fs::path& path) {
  Finding found;
  found.kind = "directory";
  found.name = path.string();
  found.why = "others may write to " + path.parent_path().string() + ", or it is in use";
  return found;
}

// In the user's store, and where else the journal says that somebody was making packages.
std::vector<Finding> sweep_stagings(const backend::Surroundings& here, backend::Act act) {
  std::error_code ignored;
  std::set<fs::path> stores = {fs::weakly_canonical(package_places().store.folder, ignored)};
  std::set<fs::path> owed;
  for (const fs::path& staging : backend::stagings_left(here)) {
    stores.insert(staging.parent_path());
    if (fs::exists(staging, ignored)) owed.insert(staging);
  }
  std::vector<Finding> findings;
  for (const fs::path& store : stores) {
    for (const fs::path& path : abandoned_in(store, owed)) {
      findings.push_back(judge_staging(path, act));
      owed.erase(path);
    }
  }
  std::ranges::transform(owed, std::back_inserter(findings), leave_staging);
  return findings;
}

}  // namespace

std::vector<Finding> sweep(const backend::Surroundings& here,
                           const backend::SweepOptions& options, const Call& call) {
  std::vector<Finding> findings = sweep_stagings(here, options.act);
  std::ranges::move(backend::sweep(here, options, call), std::back_inserter(findings));
  return findings;
}

std::string sentence_of(const Finding& finding) {
  std::string text = verb_of(finding.fate) + finding.kind + " " + finding.name;
  if (!finding.place.empty()) text += " on " + finding.place;
  if (finding.pid != 0 && finding.fate != Fate::left)
    text += ", left by process " + std::to_string(finding.pid);
  return finding.why.empty() ? text : text + ": " + finding.why;
}

bool is_clean(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.fate == Fate::failed || finding.fate == Fate::pending;
  });
}

std::string to_json(const std::vector<Finding>& findings, int indent) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"fate", backend::name_of(finding.fate)},
                    {"kind", finding.kind},
                    {"name", finding.name},
                    {"place", finding.place},
                    {"pid", finding.pid},
                    {"why", finding.why},
                    {"hint", finding.hint}});
  }
  const Json json = {{"clean", is_clean(findings)}, {"findings", std::move(list)}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lazaret::core
