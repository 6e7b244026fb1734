#include "engine/system.hpp"

#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/try.hpp"
#include "engine/json.hpp"

namespace lazaret::engine::system {
namespace {

// "name=seccomp,profile=default": the value of `key`, or nothing.
std::optional<std::string_view> option_value(std::string_view option, std::string_view key) {
  while (!option.empty()) {
    const std::string_view part = option.substr(0, option.find(','));
    const std::size_t equals = part.find('=');
    if (equals != part.npos && part.substr(0, equals) == key) return part.substr(equals + 1);
    option.remove_prefix(std::min(option.size(), part.size() + 1));
  }
  return std::nullopt;
}

void read_security(Info& info) {
  for (const std::string& option : info.security_options) {
    const std::string_view name = option_value(option, "name").value_or(option);
    info.rootless = info.rootless || name == "rootless";
    info.user_namespaces = info.user_namespaces || name == "userns";
    if (name != "seccomp") continue;
    info.seccomp = true;
    info.seccomp_profile = option_value(option, "profile").value_or("");
  }
}

void read_platform(Info& info, const nlohmann::json& answer) {
  info.name = text_at(answer, "Name");
  info.server_version = text_at(answer, "ServerVersion");
  info.operating_system = text_at(answer, "OperatingSystem");
  info.os_type = text_at(answer, "OSType");
  info.architecture = text_at(answer, "Architecture");
  info.kernel_version = text_at(answer, "KernelVersion");
  info.storage_driver = text_at(answer, "Driver");
  info.default_runtime = text_at(answer, "DefaultRuntime");
  info.init_binary = text_at(answer, "InitBinary");
  const nlohmann::json& runtimes = member(answer, "Runtimes");
  if (!runtimes.is_object()) return;
  for (const auto& [name, runtime] : runtimes.items()) info.runtimes.push_back(name);
}

void read_limits(Info& info, const nlohmann::json& answer) {
  info.cgroup_version = text_at(answer, "CgroupVersion");
  info.cgroup_driver = text_at(answer, "CgroupDriver");
  info.memory_limit = flag_at(answer, "MemoryLimit").value_or(false);
  info.swap_limit = flag_at(answer, "SwapLimit").value_or(false);
  info.pids_limit = flag_at(answer, "PidsLimit").value_or(false);
  // Docker spells it CpuCfsQuota, Podman CPUCfsQuota in some versions.
  info.cpu_cfs_quota = flag_at(answer, "CpuCfsQuota").value_or(false) ||
                       flag_at(answer, "CPUCfsQuota").value_or(false);
}

}  // namespace

Status ping(const EngineClient& client, const Call& call) {
  const auto response = client.transact(
      {.doing = "pinging the engine", .method = "GET", .target = Target("_ping")}, call);
  return response.ok() ? Status() : Status(response.error());
}

Result<Info> info(const EngineClient& client, const Call& call) {
  const Operation operation{
      .doing = "asking the engine about itself", .method = "GET", .target = Target("info")};
  LAZARET_TRY(const http::Response response, client.transact(operation, call));
  LAZARET_TRY(const nlohmann::json answer, parse_object(response.body).within(operation.doing));
  Info info;
  read_platform(info, answer);
  read_limits(info, answer);
  info.security_options = texts_at(answer, "SecurityOptions");
  info.warnings = texts_at(answer, "Warnings");
  read_security(info);
  return info;
}

Status events(const EngineClient& client, const EventsOptions& options, const JsonSink& sink,
              const Call& call) {
  LAZARET_TRY(const std::string filters, filters_of(options.filters));
  const Operation operation{.doing = "listening to the engine's events",
                            .method = "GET",
                            .target = Target("events")
                                          .query_if("filters", filters)
                                          .query_if("since", options.since)
                                          .query_if("until", options.until),
                            .patience = Patience::as_called};
  JsonLines lines(sink);
  LAZARET_TRY(http::Exchange exchange, client.open(operation, call));
  LAZARET_TRY(const http::ResponseHead head, accepted_head(exchange, operation, call));
  if (options.begun) options.begun();
  const auto feed = [&lines](Bytes piece) { return lines.feed(piece); };
  LAZARET_CHECK(exchange.body(feed, call).within(operation.doing));
  return lines.finish().within(operation.doing);
}

}  // namespace lazaret::engine::system
