#include "core/selftest/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lazaret::core::selftest {

std::size_t Report::count(Verdict verdict, char section) const {
  const auto is_it = [verdict, section](const Finding& finding) {
    return finding.inside.verdict == verdict &&
           (section == 0 || finding.probe.section() == section);
  };
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), is_it));
}

std::size_t Report::count(Proof proof, char section) const {
  const auto is_it = [proof, section](const Finding& finding) {
    return finding.bare.proof == proof && (section == 0 || finding.probe.section() == section);
  };
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), is_it));
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json document = {{"backend", report.backend},
                                     {"runtime", report.runtime},
                                     {"version", report.version},
                                     {"seconds", report.seconds},
                                     {"complete", report.complete},
                                     {"counts", nlohmann::ordered_json::object()},
                                     {"probes", nlohmann::ordered_json::array()}};
  for (const Verdict verdict :
       {Verdict::blocked, Verdict::works, Verdict::by_design, Verdict::failed, Verdict::not_run}) {
    document["counts"][std::string(name_of(verdict))] = report.count(verdict);
  }
  document["counts"]["proves"] = report.count(Proof::proves);
  for (const Finding& finding : report.findings) {
    document["probes"].push_back(
        {{"id", finding.probe.id},
         {"row", finding.probe.row},
         {"section", std::string(1, finding.probe.section())},
         {"title", finding.probe.title},
         {"verdict", name_of(finding.inside.verdict)},
         {"detail", finding.inside.detail},
         {"control", {{"verdict", name_of(finding.bare.proof)}, {"detail", finding.bare.detail}}}});
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lazaret::core::selftest
