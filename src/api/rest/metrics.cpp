#include "api/rest/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <cstdint>
#include <utility>

namespace lazaret::rest {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

struct Metrics::Body {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      BuildCounter().Name("lazaret_requests_total").Help("Requests answered").Register(registry);
  prometheus::Family<prometheus::Counter>& runs =
      BuildCounter().Name("lazaret_runs_total").Help("Runs that have ended").Register(registry);
  prometheus::Family<prometheus::Gauge>& states =
      BuildGauge().Name("lazaret_runs").Help("Runs that have not ended").Register(registry);
  prometheus::Counter& turned_away = BuildCounter()
                                         .Name("lazaret_connections_turned_away_total")
                                         .Help("Connections that had no place")
                                         .Register(registry)
                                         .Add({});
  prometheus::Gauge& sessions = BuildGauge()
                                    .Name("lazaret_sessions")
                                    .Help("Sessions that are ready")
                                    .Register(registry)
                                    .Add({});
  prometheus::Family<prometheus::Gauge>& pool_boxes =
      BuildGauge()
          .Name("lazaret_pool_boxes")
          .Help("Boxes made ahead: ready, being made, or used and leaving")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& pool_memory = BuildGauge()
                                                           .Name("lazaret_pool_memory_bytes")
                                                           .Help("Memory of boxes that wait")
                                                           .Register(registry);
  prometheus::Family<prometheus::Counter>& pool_events =
      BuildCounter()
          .Name("lazaret_pool_events_total")
          .Help("What became of boxes and demands since the start")
          .Register(registry);
  prometheus::Histogram& seconds = BuildHistogram()
                                       .Name("lazaret_run_seconds")
                                       .Help("Time that programs ran")
                                       .Register(registry)
                                       .Add({}, prometheus::Histogram::BucketBoundaries{
                                                    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                    0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300});
};

namespace {

void show(prometheus::Family<prometheus::Gauge>& family, const prometheus::Labels& labels,
          std::uint64_t value) {
  family.Add(labels).Set(static_cast<double>(value));
}

// Another engine's backend has counted nothing yet: the counter begins anew, as after a restart.
void show(prometheus::Family<prometheus::Counter>& family, const prometheus::Labels& labels,
          std::uint64_t value) {
  const auto now = static_cast<double>(value);
  if (prometheus::Counter& old = family.Add(labels); old.Value() > now) family.Remove(&old);
  prometheus::Counter& counter = family.Add(labels);
  counter.Increment(now - counter.Value());
}

}  // namespace

Metrics::Metrics() : body_(std::make_unique<Body>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(std::string_view route, unsigned status) {
  const std::string name(route.empty() ? "none" : route);
  body_->requests.Add({{"route", name}, {"status", std::to_string(status)}}).Increment();
}

void Metrics::count_run(std::string_view cause, double seconds) {
  body_->runs.Add({{"cause", std::string(cause)}}).Increment();
  body_->seconds.Observe(seconds);
}

void Metrics::count_turned_away() { body_->turned_away.Increment(); }

void Metrics::show_pool(const core::PoolState& pool) {
  const pool::Counts& counts = pool.counts;
  std::uint64_t coming = 0, memory_bytes = 0;
  for (const pool::Stand& stand : pool.stands)
    coming += stand.coming, memory_bytes += stand.memory_bytes;
  for (const auto& [state, count] : {std::pair{"ready", std::uint64_t{counts.waiting}},
                                     {"making", coming},
                                     {"leaving", std::uint64_t{counts.leaving}}})
    show(body_->pool_boxes, {{"backend", pool.backend}, {"state", state}}, count);
  show(body_->pool_memory, {{"backend", pool.backend}}, memory_bytes);
  for (const auto& [event, count] : {std::pair{"made", counts.made},
                                     {"used", counts.handed},
                                     {"missed", counts.missed},
                                     {"unfit", counts.unfit},
                                     {"failed", counts.failed}})
    show(body_->pool_events, {{"backend", pool.backend}, {"event", event}}, count);
}

std::string Metrics::text(const Now& now) {
  body_->states.Add({{"state", "queued"}}).Set(static_cast<double>(now.queued));
  body_->states.Add({{"state", "running"}}).Set(static_cast<double>(now.running));
  body_->sessions.Set(static_cast<double>(now.sessions));
  for (const core::PoolState& pool : now.pools) show_pool(pool);
  return prometheus::TextSerializer().Serialize(body_->registry.Collect());
}

}  // namespace lazaret::rest
