#include "core/selftest/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.hpp"
#include "core/selftest/sheet.hpp"
#include "policy/quantity.hpp"

namespace lazaret::embedded {
extern const std::string_view probes_files, probes_kernel_files, probes_information,
    probes_privilege, probes_namespaces, probes_processes, probes_endings, probes_network,
    probes_sockets, probes_way_out, probes_kernel, probes_resources, probes_channels,
    probes_results, probes_artifacts, probes_works;
}  // namespace lazaret::embedded

namespace lazaret::core::selftest {
namespace {

bool is_meant(const Probe& probe, std::string_view name) {
  return probe.id == name || probe.id.starts_with(std::string(name) + "-");
}

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> list = {
      {'A', "file system"},
      {'B', "environment and information"},
      {'C', "privilege"},
      {'D', "namespaces and mounts"},
      {'E', "processes and endings"},
      {'F', "network"},
      {'G', "kernel surface"},
      {'H', "resources"},
      {'I', "results and requests"},
      {'W', "works: ordinary programs"},
  };
  return list;
}

Result<std::vector<Probe>> all_probes() {
  using namespace embedded;
  std::vector<Probe> all;
  for (const std::string_view sheet :
       {probes_files, probes_kernel_files, probes_information, probes_privilege, probes_namespaces,
        probes_processes, probes_endings, probes_network, probes_sockets, probes_way_out,
        probes_kernel, probes_resources, probes_channels, probes_results, probes_artifacts,
        probes_works}) {
    LAZARET_TRY(auto probes, parse_sheet(sheet));
    std::move(probes.begin(), probes.end(), std::back_inserter(all));
  }
  return all;
}

Result<std::vector<Probe>> chosen_probes(const std::vector<std::string>& names) {
  LAZARET_TRY(std::vector<Probe> all, all_probes());
  if (names.empty()) return all;
  for (const std::string& name : names) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&name](const Probe& each) { return is_meant(each, name); });
    if (known) continue;
    return Error(Errc::not_found, "no probe is called " + policy::in_quotes(name))
        .with_hint("lazaret selftest --list shows them all");
  }
  std::erase_if(all, [&names](const Probe& probe) {
    return std::none_of(names.begin(), names.end(),
                        [&probe](const std::string& name) { return is_meant(probe, name); });
  });
  return all;
}

}  // namespace lazaret::core::selftest
