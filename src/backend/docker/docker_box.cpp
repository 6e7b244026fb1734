#include "backend/docker/docker_box.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "backend/docker/differences.hpp"
#include "base/try.hpp"
#include "engine/container.hpp"
#include "engine/image.hpp"
#include "engine/json.hpp"

namespace lazaret::backend::docker {
namespace {

using engine::member;
using engine::number_at;

constexpr std::chrono::milliseconds kAutopsyBound{5000};
constexpr std::chrono::milliseconds kFirstKillBound{3000};
// How long a box may still be seen to end whose kill was refused: it may have ended before.
constexpr std::chrono::milliseconds kRefusedBound{500};
// What a runner that has been taken over can cost us by staying.
constexpr std::chrono::milliseconds kLeaveBound{500};

void add_number(std::optional<std::uint64_t>& to, std::optional<std::int64_t> from,
                std::int64_t divisor) {
  if (from && *from > 0) to = static_cast<std::uint64_t>(*from / divisor);
}

void add_stats(Usage& usage, const nlohmann::json& stats) {
  constexpr std::int64_t kNanosOfMilli = 1'000'000;
  const nlohmann::json& cpu = member(member(stats, "cpu_stats"), "cpu_usage");
  add_number(usage.cpu_ms, number_at(cpu, "total_usage"), kNanosOfMilli);
  add_number(usage.peak_memory_bytes, number_at(member(stats, "memory_stats"), "max_usage"), 1);
  usage.source = "engine stats";
}

}  // namespace

// Counters last only as long as the cgroup, which goes with the container.
void DockerBox::remember_counters() {
  Autopsy seen;
  if (!counters_ && parts_.local && parts_.local->examine(seen)) counters_ = seen;
}

// WHY twice: a call that was lost on its way must not let the program run on.
Status DockerBox::kill(const Call& call) {
  if (ended_) return {};
  remember_counters();
  Status ended = kill_once(call.within(kFirstKillBound));
  if (!ended.ok() && call.check().ok()) ended = kill_once(call);
  ended_ = ended.ok();
  return ended;
}

Status DockerBox::kill_once(const Call& call) {
  const Container& container = *parts_.container;
  const Status killed =
      engine::container::kill(container.client(), container.name(), "SIGKILL", call);
  // WHY: engines have different errors for "it is not running" (409, 500, 404); whether it has
  // ended is asked in any case, and that answer counts.
  const Status ended = wait_end(killed.ok() ? call : call.within(kRefusedBound));
  return ended.ok() || killed.ok() ? ended : killed;
}

Status DockerBox::wait_end(const Call& call) {
  if (parts_.local) return parts_.local->wait_end(call);
  auto exit = std::exchange(parts_.exit, std::nullopt);
  if (exit && exit->finish(call).ok()) return {};
  // The waiting connection may have been lost, not the container.
  const auto again = engine::container::wait(parts_.container->client(), parts_.container->name(),
                                             engine::container::Until::not_running, call);
  return again.ok() || again.error().code() == Errc::not_found ? Status() : Status(again.error());
}

Status DockerBox::dispose(const Call& call) {
  if (!ended_) let_it_leave(call.within(kLeaveBound));
  return parts_.container->remove(call);
}

// A runner whose wire is closed ends by itself. Removing by force, which comes next, makes sure of
// it in any case.
void DockerBox::let_it_leave(const Call& call) {
  const Differences& differences = differences_of(parts_.container->client().kind());
  if (!differences.ends_sooner_than_killed || !parts_.exit || !parts_.stream->close_write().ok())
    return;
  auto exit = std::exchange(parts_.exit, std::nullopt);
  (void)exit->finish(call).ok();
}

void DockerBox::ask_engine(Autopsy& autopsy, const Call& call) const {
  const Container& container = *parts_.container;
  const auto seen = engine::container::inspect(container.client(), container.name(), call);
  if (!seen.ok()) return;
  const nlohmann::json& state = member(*seen, "State");
  if (engine::flag_at(state, "OOMKilled").value_or(false) && autopsy.usage.memory_kills == 0)
    autopsy.usage.memory_kills = 1;
  const bool running = engine::flag_at(state, "Running").value_or(false);
  if (counters_ || !running) return;
  const auto stats = engine::container::stats(container.client(), container.name(), call);
  if (stats.ok()) add_stats(autopsy.usage, *stats);
}

Autopsy DockerBox::autopsy(const Call& call) {
  remember_counters();
  const Call bound = call.within(kAutopsyBound);
  Autopsy autopsy = counters_.value_or(Autopsy{});
  if (!counters_) ask_engine(autopsy, bound);
  if (parts_.local) {
    autopsy.survivors = parts_.local->survivors();
    return autopsy;
  }
  if (ended_) return autopsy;  // the engine saw its first process end, and the kernel the others
  const auto top = engine::container::top(parts_.container->client(), parts_.container->name(),
                                          "-eo pid", bound);
  if (top.ok() && !top->processes.empty()) {
    autopsy.survivors = static_cast<std::uint32_t>(top->processes.size() - 1);
  }
  return autopsy;
}

std::optional<Autopsy> DockerBox::counters() {
  Autopsy seen;
  if (!parts_.local || !parts_.local->examine(seen)) return std::nullopt;
  return seen;
}

std::optional<std::uint32_t> DockerBox::others() {
  if (!parts_.local || !parts_.local->sees_all()) return std::nullopt;
  return parts_.local->survivors();
}

// An engine hands on the end of a container's streams some time after the container's own; one that
// does not answer, or not to the question, has said nothing of the image.
Currency DockerBox::currency(const Call& call) const {
  if (parts_.image_id.empty()) return Currency::outdated;
  const Call now = Call{}.within(std::chrono::milliseconds(0));
  if (parts_.local && parts_.local->wait_end(now).ok()) return Currency::outdated;
  if (parts_.edition && parts_.images->edition() == parts_.edition) return Currency::current;
  const auto shown = engine::image::inspect(parts_.container->client(), parts_.image, call);
  if (!shown.ok())
    return shown.error().code() == Errc::image_missing ? Currency::outdated : Currency::unknown;
  const bool is_same = image_id_at(*shown, "Id") == parts_.image_id;
  return is_same ? Currency::current : Currency::outdated;
}

// Podman's own interface leaves the algorithm out, its Docker interface does not.
std::string image_id_at(const nlohmann::json& shown, const char* name) {
  constexpr std::string_view kAlgorithm = "sha256:";
  std::string id = engine::text_at(shown, name);
  return id.starts_with(kAlgorithm) ? id.substr(kAlgorithm.size()) : id;
}

}  // namespace lazaret::backend::docker
