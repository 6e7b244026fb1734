#include "core/garbage.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/environment.hpp"
#include "core/package_store.hpp"

namespace lazaret::core {
namespace {

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

}  // namespace

std::vector<Finding> sweep(const backend::Surroundings& here,
                           const backend::SweepOptions& options, const Call& call) {
  std::vector<Finding> findings = backend::sweep(here, options, call);
  for (const auto& path : abandoned_in(package_places().store)) {
    Finding& found = findings.emplace_back();
    found.kind = "directory";
    found.name = path.string();
    found.fate = options.act == backend::Act::look ? Fate::found : Fate::removed;
    std::error_code error;
    if (options.act == backend::Act::remove) std::filesystem::remove_all(path, error);
    if (!error) continue;
    found.fate = Fate::failed;
    found.why = error.message();
  }
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
