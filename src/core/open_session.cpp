#include <algorithm>
#include <array>
#include <utility>

#include "base/try.hpp"
#include "core/bounds.hpp"
#include "core/cause.hpp"
#include "core/languages.hpp"
#include "core/service.hpp"
#include "core/way_out.hpp"
#include "policy/limit_table.hpp"
#include "policy/resolve.hpp"

// How a session's box is had, and what its runs may still ask for.
namespace lazaret::core {
namespace {

constexpr std::chrono::seconds kLongest{24 * 3600};
constexpr std::array<std::string_view, 8> kOfARun = {
    "timeout", "grace", "compile_timeout", "cpu_time", "stdout", "stderr", "output", "value"};

bool is_of_a_run(const policy::LimitRow& row) {
  return std::ranges::find(kOfARun, row.key) != kOfARun.end();
}

// They are of the session's language, and no command's.
bool sees_packages(const ExecutionRequest& run, const SessionRequest& session) {
  return run.command.empty() && std::ranges::any_of(languages(), [&](const auto& language) {
           return language.is_called(session.language) && language.is_called(run.language);
         });
}

// What is the session's is taken from it, whatever the other request says of it.
void take_from_session(ExecutionRequest& run, const SessionRequest& session) {
  run.subprocess = session.subprocess;
  run.profile = session.profile;
  run.loopback = session.loopback;
  run.hosts = session.hosts;
  run.mounts = session.mounts;
  if (sees_packages(run, session)) run.packages = session.packages;
  run.image = session.image;
  run.required_controls = session.required_controls;
  for (const policy::LimitRow& row : policy::limit_rows()) {
    const auto amount = row.asked(session.limits);
    if (amount && !is_of_a_run(row)) row.ask(run.limits, *amount);
  }
}

Error of_the_session(std::string_view what) {
  return Error(Errc::invalid_argument,
               std::string(what) + " is the session's, and cannot be another for one of its runs")
      .with_hint("ask for it when the session is made");
}

Status check_run(const ExecutionRequest& run) {
  if (run.subprocess) return of_the_session("subprocess");
  if (run.profile) return of_the_session("profile");
  if (run.loopback) return of_the_session("loopback");
  if (!run.hosts.empty()) return of_the_session("hosts");
  if (!run.mounts.empty()) return of_the_session("mounts");
  if (!run.packages.empty()) return of_the_session("packages");
  if (run.image) return of_the_session("image");
  if (run.required_controls) return of_the_session("required_controls");
  for (const policy::LimitRow& row : policy::limit_rows()) {
    if (row.asked(run.limits) && !is_of_a_run(row)) return of_the_session(row.key);
  }
  return {};
}

Status check_session(const SessionRequest& session) {
  for (const policy::LimitRow& row : policy::limit_rows()) {
    if (row.asked(session.limits) && is_of_a_run(row))
      return Error(Errc::invalid_argument, std::string(row.key) + " is a run's, not the session's");
  }
  for (const auto time : {session.lifetime, session.idle}) {
    if (time < std::chrono::seconds(1) || time > kLongest)
      return Error(Errc::invalid_argument, "a session's times are from 1 s to 24 h");
  }
  return {};
}

// As any run of it would be, but for what it runs, which is never started.
ExecutionRequest first_of(const SessionRequest& session) {
  ExecutionRequest first;
  first.language = session.language;
  first.code = "0";
  first.stop = session.stop;
  take_from_session(first, session);
  return first;
}

}  // namespace

Result<Session::Parts> Service::open_on(std::shared_ptr<backend::Backend> backend,
                                        const SessionRequest& request) const {
  policy::Facts facts = facts_for(*backend);
  facts.keeps_box = true;
  const ExecutionRequest first = first_of(request);
  LAZARET_TRY(policy::Spec spec, policy::resolve(first, config_, facts));
  spec.keeps_box = true;
  LAZARET_TRY(std::vector<Package> packages, add_packages(spec, first, *backend));
  const auto bound = spec.packages.empty() ? kOpenBound : kOpenWithPackagesBound;
  auto box = backend->open(spec, Call{Deadline::after(bound), request.stop});
  if (!box.ok()) return as_ours(box.error());
  LAZARET_TRY(auto way_out, way_out_of(**box, spec));
  const auto resolve = [request, facts, config = config_,
                        image = spec.image](ExecutionRequest& run) -> Result<policy::Spec> {
    LAZARET_CHECK(check_run(run));
    take_from_session(run, request);
    LAZARET_TRY(policy::Spec resolved, policy::resolve(run, config, facts));
    resolved.keeps_box = true;
    resolved.image = image;
    return resolved;
  };
  return Session::Parts{.backend = std::move(backend),
                        .box = std::move(box).value(),
                        .spec = std::move(spec),
                        .packages = std::move(packages),
                        .way_out = std::move(way_out),
                        .resolve = resolve,
                        .lifetime = request.lifetime,
                        .idle = request.idle,
                        .fallback = std::nullopt};
}

Result<std::unique_ptr<Session>> Service::open_session(const SessionRequest& request) {
  LAZARET_CHECK(check_session(request));
  LAZARET_CHECK(check(first_of(request)));
  std::string reasons;
  const std::vector<backend::BackendKind> kinds = chain();
  for (std::size_t index = 0;; ++index) {
    const Call call{Deadline::after(kOpenBound), request.stop};
    const Choice choice = backend_of(kinds[index], call);
    auto parts = choice.backend ? open_on(choice.backend, request)
                                : Result<Session::Parts>(as_unavailable(choice.error));
    if (parts.ok()) {
      parts->fallback = fallback_for(reasons);
      return std::make_unique<Session>(std::move(parts).value());
    }
    const Cause cause = cause_of_error(parts.error().code());
    const auto lost = choice.backend ? loss_of(kinds[index], cause, request.stop) : std::nullopt;
    const Error why = lost ? as_unavailable(*lost) : parts.error();
    const auto reached = choice.backend && !lost ? Reached::backend : Reached::nobody;
    if (index + 1 == kinds.size() || !goes_on_after(reached, cause_of_error(why.code())))
      return why;
    add_reason(reasons, kinds[index], why.message());
  }
}

}  // namespace lazaret::core
