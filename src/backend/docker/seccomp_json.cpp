#include "backend/docker/seccomp_json.hpp"

#include <map>

#include <nlohmann/json.hpp>

namespace lazaret::backend::docker {
namespace {

using nlohmann::json;

const char* architecture_name(std::string_view architecture) {
  if (architecture == "arm64" || architecture == "aarch64") return "SCMP_ARCH_AARCH64";
  return "SCMP_ARCH_X86_64";
}

// seccomp_rule_add(3): for a masked comparison the first datum is the mask, the second the value.
json arguments_of(const std::vector<seccomp::Condition>& conditions) {
  json list = json::array();
  for (const seccomp::Condition& condition : conditions) {
    list.push_back({{"index", condition.argument},
                    {"value", condition.mask},
                    {"valueTwo", condition.value},
                    {"op", "SCMP_CMP_MASKED_EQ"}});
  }
  return list;
}

}  // namespace

std::string seccomp_json(const seccomp::Profile& profile, std::string_view architecture) {
  json calls = json::array();
  json always = json::array();
  for (const seccomp::Allowed& allowed : profile.allowed) {
    if (allowed.conditions.empty()) {
      always.push_back(allowed.call);
      continue;
    }
    calls.push_back({{"names", {allowed.call}},
                     {"action", "SCMP_ACT_ALLOW"},
                     {"args", arguments_of(allowed.conditions)}});
  }
  calls.push_back({{"names", always}, {"action", "SCMP_ACT_ALLOW"}});
  std::map<int, json> refused;
  for (const seccomp::Refused& call : profile.refused) {
    if (call.conditions.empty()) {
      refused[call.error_number].push_back(call.call);
      continue;
    }
    calls.push_back({{"names", {call.call}},
                     {"action", "SCMP_ACT_ERRNO"},
                     {"errnoRet", call.error_number},
                     {"args", arguments_of(call.conditions)}});
  }
  for (const auto& [error_number, names] : refused) {
    calls.push_back({{"names", names}, {"action", "SCMP_ACT_ERRNO"}, {"errnoRet", error_number}});
  }
  calls.push_back({{"names", profile.deadly}, {"action", "SCMP_ACT_KILL_PROCESS"}});
  return json{{"defaultAction", "SCMP_ACT_ERRNO"},
              {"defaultErrnoRet", seccomp::kUnknownError},
              {"architectures", {architecture_name(architecture)}},
              {"syscalls", calls}}
      .dump();
}

}  // namespace lazaret::backend::docker
