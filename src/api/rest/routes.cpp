#include "api/rest/routes.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/rest/aside.hpp"
#include "api/rest/bounds.hpp"
#include "api/rest/order.hpp"
#include "api/rest/run_routes.hpp"
#include "api/rest/session_routes.hpp"
#include "api/rest/watch_route.hpp"
#include "core/environment.hpp"
#include "core/images.hpp"
#include "core/pool_state.hpp"
#include "core/report_json.hpp"

namespace lazaret::embedded {
extern const std::string_view openapi;
}

namespace lazaret::rest {
namespace {

using nlohmann::ordered_json;

constexpr std::chrono::seconds kEngineBound{30};

// The command line asks for its very own twin, so that it does not matter where a run goes on.
void open_stream(Desk& desk, const VisitorPointer& visitor) {
  const Request& request = visitor->request();
  if (!request.version.empty() && request.version != LAZARET_VERSION)
    return visitor->refuse({409, "other_version", "this daemon is of version " LAZARET_VERSION});
  if (!request.configuration.empty() &&
      std::ranges::find(desk.fingerprints, request.configuration) == desk.fingerprints.end())
    return visitor->refuse({409, "other_configuration", "this daemon is configured otherwise"});
  visitor->upgrade();
}

void tell_health(Desk&, const VisitorPointer& visitor) {
  const ordered_json json = {{"status", "ok"}, {"version", LAZARET_VERSION}};
  visitor->answer({.body = json.dump()});
}

void describe(Desk&, const VisitorPointer& visitor) {
  visitor->answer({.body = std::string(embedded::openapi)});
}

void tell_metrics(Desk& desk, const VisitorPointer& visitor) {
  const Metrics::Now now{desk.runs.count(RunState::queued), desk.runs.count(RunState::running),
                         desk.sessions.ready(), desk.service.pools()};
  visitor->answer({.type = "text/plain; version=0.0.4", .body = desk.metrics.text(now)});
}

void tell_pools(Desk& desk, const VisitorPointer& visitor) {
  visitor->answer({.body = core::to_json(desk.service.pools())});
}

void tell_readiness(Desk& desk, const VisitorPointer& visitor) {
  if (desk.draining) return visitor->refuse(draining());
  desk.readiness.ask([visitor](const Readiness::Verdict& missing) {
    if (missing) return visitor->refuse(*missing);
    visitor->answer({.body = R"({"status":"ready"})"});
  });
}

// An answer in JSON that blocks while it is made.
template <typename Work>
void answer_aside(Desk& desk, const VisitorPointer& visitor, Work work) {
  do_aside(desk, visitor, by(desk.chores), work, [](const VisitorPointer& to, std::string text) {
    to->answer({.body = std::move(text)});
  });
}

void diagnose(Desk& desk, const VisitorPointer& visitor) {
  answer_aside(desk, visitor, [&service = desk.service](const Call& call) -> Result<std::string> {
    const auto here = core::surroundings(service.config());
    const core::BackendFinder finder = [&here](backend::BackendKind kind, const Call& bound) {
      return backend::find(kind, here, bound);
    };
    return core::to_json(core::diagnose(service.config(), {}, finder, call));
  });
}

void list_images(Desk& desk, const VisitorPointer& visitor) {
  answer_aside(desk, visitor, [&service = desk.service](const Call& call) -> Result<std::string> {
    const auto images =
        core::list_images(core::surroundings(service.config()), call.within(kEngineBound));
    if (!images.ok()) return images.error();
    return core::to_json(*images);
  });
}

// What queries may name.
constexpr std::array<std::string_view, 1> kOfRun = {"wait"};
constexpr std::array<std::string_view, 3> kOfOutput = {"stream", "offset", "wait"};
constexpr std::array<std::string_view, 2> kOfPutting = {"append", "path"};
constexpr std::array<std::string_view, 6> kOfGetting = {"path",   "content", "offset",
                                                        "length", "format",  "stat"};
constexpr std::array<std::string_view, 1> kOfRemoving = {"path"};
constexpr std::array<std::string_view, 1> kOfWatching = {"path"};

constexpr std::array kRoutes = {
    Route{"POST", "/v1/runs", Access::admitted, start_run},
    Route{"GET", "/v1/runs", Access::admitted, list_runs},
    Route{"GET", "/v1/runs/{id}", Access::admitted, show_run, kOfRun},
    Route{"GET", "/v1/runs/{id}/output", Access::admitted, show_output, kOfOutput},
    Route{"POST", "/v1/runs/{id}/signal", Access::admitted, signal_run},
    Route{"DELETE", "/v1/runs/{id}", Access::admitted, cancel_run},
    Route{"POST", "/v1/sessions", Access::admitted, open_session},
    Route{"GET", "/v1/sessions", Access::admitted, list_sessions},
    Route{"GET", "/v1/sessions/{id}", Access::admitted, show_session},
    Route{"DELETE", "/v1/sessions/{id}", Access::admitted, close_session},
    Route{"PUT", "/v1/sessions/{id}/files", Access::admitted, put_files, kOfPutting, kTarType},
    Route{"GET", "/v1/sessions/{id}/files", Access::admitted, get_files, kOfGetting},
    Route{"POST", "/v1/sessions/{id}/files", Access::admitted, change_files},
    Route{"DELETE", "/v1/sessions/{id}/files", Access::admitted, remove_files, kOfRemoving},
    Route{"GET", "/v1/sessions/{id}/watch", Access::admitted, watch_files, kOfWatching},
    Route{"GET", "/v1/sessions/{id}/contexts", Access::admitted, list_contexts},
    Route{"DELETE", "/v1/sessions/{id}/contexts/{name}", Access::admitted, end_context},
    Route{"GET", "/v1/stream", Access::admitted, open_stream},
    Route{"GET", "/v1/health", Access::anyone, tell_health},
    Route{"GET", "/v1/ready", Access::admitted, tell_readiness},
    Route{"GET", "/v1/doctor", Access::admitted, diagnose},
    Route{"GET", "/v1/images", Access::admitted, list_images},
    Route{"GET", "/v1/pool", Access::admitted, tell_pools},
    Route{"GET", "/v1/metrics", Access::admitted, tell_metrics},
    Route{"GET", "/v1/openapi.json", Access::admitted, describe},
};

// What stands before the next '/', which is taken away as well.
std::string_view take_segment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

bool matches(std::string_view pattern, std::string_view path,
             std::map<std::string, std::string>& parameters) {
  parameters.clear();
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (wanted.starts_with('{'))
      parameters.emplace(wanted.substr(1, wanted.size() - 2), given);
    else if (wanted != given)
      return false;
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

const Route* route_of(Request& request, Problem& problem) {
  problem = {404, "not_found", "there is nothing here", "GET /v1/openapi.json describes all"};
  const std::string_view method =
      request.method == "HEAD" ? "GET" : std::string_view(request.method);
  for (const Route& route : kRoutes) {
    if (!matches(route.path, request.path, request.parameters)) continue;
    if (route.method == method) return &route;
    problem.status = 405;
    problem.code = "method_not_allowed";
    problem.detail = "this is not done here";
    problem.allow += (problem.allow.empty() ? "" : ", ") + std::string(route.method) +
                     (route.method == "GET" ? ", HEAD" : "");
  }
  return nullptr;
}

}  // namespace lazaret::rest
