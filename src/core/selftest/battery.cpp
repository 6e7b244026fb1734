#include "core/selftest/battery.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/condition.hpp"
#include "base/try.hpp"
#include "core/selftest/host.hpp"
#include "os/pipe.hpp"

namespace lazaret::core::selftest {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Group = std::vector<std::size_t>;  // of indices of findings

constexpr std::size_t kMostOfAGroup = 80;
constexpr std::chrono::seconds kSheetBound{60};
constexpr std::chrono::seconds kGoneBound{1};
constexpr std::chrono::milliseconds kBetweenLooks{20};

// Everything that the steps of one battery share; each step writes findings of its own only.
struct Ground {
  const Battery& battery;
  const Call& call;
  json scene = json::object();
  bool has_scene = false;
  bool sees_processes = false;
  Report report = {};
};

ExecutionRequest request_for(const Ground& ground) {
  ExecutionRequest request;
  request.profile = Profile::standard;  // whose promises are tested
  request.subprocess = Subprocess::allow;
  request.loopback = Loopback::down;
  request.stop = ground.call.stop;
  return request;
}

json given_to(const Ground& ground, const Group& group, const std::string& marker, int round) {
  json probes = json::array();
  for (const std::size_t index : group) {
    const Probe& probe = ground.report.findings[index].probe;
    probes.push_back({probe.id, probe.code});
  }
  return {{"scene", ground.scene}, {"marker", marker}, {"round", round}, {"probes", probes}};
}

// Whom boxes with a way out may reach: nobody, and this machine, which the proxy refuses to who is
// let in by a request alone.
std::vector<std::string> hosts_of(const Ground& ground) {
  std::vector<std::string> hosts = {"allowed.invalid"};
  const auto port = ground.scene.find("tcp4");
  if (port != ground.scene.end() && port->is_number_unsigned())
    hosts.push_back("127.0.0.1:" + port->dump());
  return hosts;
}

struct Answers {
  json by_id = json::object();
  Meta meta;
  std::string trouble;  // why some are missing
  bool no_way_out = false;
};

std::string trouble_of(const ExecutionResult& result) {
  std::string text = "the box ended by " + std::string(name_of(result.meta.cause));
  if (result.error) text += ": " + result.error->message.substr(0, 300);
  return text;
}

// Natively there is a way out unless the configuration denies it; what else keeps such a box from
// being made has broken.
bool has_no_way_out(const Ground& ground, const ExecutionResult& result) {
  const bool is_native = ground.report.backend == "native";
  return result.meta.cause == Cause::policy_denied ||
         (!is_native && result.meta.cause == Cause::backend_unavailable);
}

Answers answers_from(const Ground& ground, json given, bool way_out) {
  ExecutionRequest request = request_for(ground);
  given["way_out"] = way_out;
  request.code = sheet_program();
  request.arguments = {"box", given.dump()};
  request.limits.timeout = kSheetBound;
  if (way_out) {
    request.hosts = hosts_of(ground);
    request.loopback.reset();
  }
  const ExecutionResult result = ground.battery.execute(request);
  if (way_out && has_no_way_out(ground, result)) {
    Answers answers = answers_from(ground, std::move(given), false);
    answers.no_way_out = true;
    return answers;
  }
  Answers answers{.meta = result.meta, .trouble = trouble_of(result)};
  json value = json::parse(result.value.value_or(""), nullptr, false);
  if (value.is_object()) answers.by_id = std::move(value);
  return answers;
}

// Two boxes for attempts that leave something for the next one.
Answers answers_in_box(const Ground& ground, const Group& group) {
  const Probe& first = ground.report.findings[group.front()].probe;
  const std::string marker = new_marker();
  if (first.twice)
    (void)answers_from(ground, given_to(ground, group, marker, 1), first.way_out);
  return answers_from(ground, given_to(ground, group, marker, first.twice ? 2 : 0),
                      first.way_out);
}

void judge_halves(Ground& ground, const Group& group);

void judge_group(Ground& ground, const Group& group) {
  const Answers answers = answers_in_box(ground, group);
  if (ground.call.stop.stop_requested()) return;  // what was cut short says nothing
  Group unanswered;
  for (const std::size_t index : group) {
    Finding& finding = ground.report.findings[index];
    if (answers.by_id.contains(finding.probe.id)) {
      finding.inside = judge_attempt(finding.probe, answers.by_id[finding.probe.id], answers.meta);
      if (answers.no_way_out) finding.inside.detail += ", without a way out";
    } else if (group.size() > 1) {
      unanswered.push_back(index);
    } else {
      finding.inside = {Verdict::failed, answers.trouble};
    }
  }
  judge_halves(ground, unanswered);
}

// One of them has taken the others with it: it is looked for, and they are asked again.
void judge_halves(Ground& ground, const Group& group) {
  if (group.empty()) return;
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>((group.size() + 1) / 2);
  judge_group(ground, {group.begin(), middle});
  if (middle != group.end()) judge_group(ground, {middle, group.end()});
}

Result<json> bare_answers(const Ground& ground, const Group& group) {
  const bool twice = ground.report.findings[group.front()].probe.twice;
  const std::string marker = new_marker();
  if (twice) {
    LAZARET_TRY(const std::string first,
                attempts_bare(given_to(ground, group, marker, 1).dump(), ground.call));
  }
  LAZARET_TRY(const std::string text,
              attempts_bare(given_to(ground, group, marker, twice ? 2 : 0).dump(), ground.call));
  return json::parse(text, nullptr, false);
}

void compare_group(Ground& ground, const Group& group) {
  const auto answers = bare_answers(ground, group);
  for (const std::size_t index : group) {
    Finding& finding = ground.report.findings[index];
    const std::string& id = finding.probe.id;
    if (!answers.ok()) {
      finding.bare = {Proof::not_run, answers.error().message()};
    } else {
      finding.bare = compare_attempt(
          finding.probe, answers->is_object() && answers->contains(id) ? (*answers)[id] : json());
    }
  }
}

std::function<std::string(std::stop_token)> input_of(std::uint64_t bytes) {
  return [left = bytes](const std::stop_token& stop) mutable {
    constexpr std::uint64_t kPiece = 65536;
    if (stop.stop_requested()) return std::string();
    const std::uint64_t now = std::min(left, kPiece);
    left -= now;
    return std::string(now, 'x');
  };
}

// Those of a run are gone when it has ended; a second is granted to what is on its way out.
std::optional<std::size_t> survivors(const Ground& ground, const std::string& marker) {
  if (!ground.sees_processes) return std::nullopt;
  const auto until = Clock::now() + kGoneBound;
  std::size_t count = processes_with(marker);
  while (count > 0 && Clock::now() < until) {
    (void)os::wait_ready({}, Call{}.within(kBetweenLooks)).ok();
    count = processes_with(marker);
  }
  return count;
}

void judge_alone(Ground& ground, std::size_t index) {
  Finding& finding = ground.report.findings[index];
  const Probe& probe = finding.probe;
  const std::string marker = new_marker();
  ExecutionRequest request = request_for(ground);
  request.language = probe.language;
  request.code = probe.code;
  request.arguments = {marker};
  request.environment = probe.environment;
  request.image = probe.image;
  request.limits = probe.limits;
  request.return_artifacts = probe.expectation.contents.has_value();
  if (probe.input_bytes > 0) request.stdin_source = input_of(probe.input_bytes);
  Seen seen{ground.battery.execute(request), std::nullopt};
  if (ground.call.stop.stop_requested()) return;
  if (probe.expectation.no_survivors) seen.survivors = survivors(ground, marker);
  finding.inside = judge_program(probe, seen);
}

void compare_alone(Ground& ground, std::size_t index) {
  Finding& finding = ground.report.findings[index];
  const auto seen = program_bare(finding.probe.code, ground.call);
  finding.bare = seen.ok() ? compare_program(finding.probe, json::parse(*seen, nullptr, false))
                           : Comparison{Proof::not_run, seen.error().message()};
}

// Input that ends when somebody says so.
class HeldInput {
 public:
  void release() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  std::string wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return released_; });
    return {};
  }

 private:
  std::mutex mutex_;
  Condition changed_;
  bool released_ = false;
};

// A first box: says whose it is, and whether its processes can be seen from here.
Status look(Ground& ground) {
  const std::string marker = new_marker();
  HeldInput input;
  ExecutionRequest request = request_for(ground);
  request.code = "import sys\nprint('up', flush=True)\nsys.stdin.read()";
  request.arguments = {marker};
  request.on_output = [&ground, &marker, &input](Stream, std::string_view) {
    ground.sees_processes = processes_with(marker) > 0;
    input.release();
  };
  request.stdin_source = [&input](const std::stop_token& stop) { return input.wait(stop); };
  const ExecutionResult result = ground.battery.execute(request);
  ground.report.backend = result.meta.backend;
  ground.report.runtime = result.meta.runtime;
  ground.report.version = result.meta.version;
  ground.report.evidence = result.meta.evidence;
  if (result.success() || ground.call.stop.stop_requested()) return {};
  return Error(Errc::backend_unavailable, trouble_of(result))
      .with_hint(result.error && result.error->hint ? *result.error->hint : "");
}

using Step = std::function<void(Ground& ground)>;

// Attempts of one kind share a box, up to a number that an argument can hold.
template <typename Chosen, typename Use>
void add_groups(std::vector<Step>& steps, const std::vector<Finding>& findings, Chosen chosen,
                Use use) {
  Group group;
  for (std::size_t index = 0; index < findings.size(); ++index) {
    if (chosen(findings[index].probe)) group.push_back(index);
    if (group.empty()) continue;
    if (group.size() < kMostOfAGroup && index + 1 < findings.size()) continue;
    steps.emplace_back([group, use](Ground& ground) { use(ground, group); });
    group.clear();
  }
}

bool is_attempt(const Probe& probe) { return probe.kind == Kind::attempt; }

void add_boxes(std::vector<Step>& steps, const Ground& ground) {
  const auto& findings = ground.report.findings;
  const auto here = [&ground](const Probe& probe) {
    return is_attempt(probe) && (ground.has_scene || !probe.needs_scene);
  };
  for (const bool twice : {false, true}) {
    for (const bool way_out : {false, true}) {
      add_groups(
          steps, findings,
          [&here, twice, way_out](const Probe& probe) {
            return here(probe) && probe.twice == twice && probe.way_out == way_out;
          },
          judge_group);
    }
  }
  for (std::size_t index = 0; index < findings.size(); ++index) {
    if (is_attempt(findings[index].probe)) continue;
    steps.emplace_back([index](Ground& at) { judge_alone(at, index); });
  }
}

void add_control(std::vector<Step>& steps, const Ground& ground) {
  const auto& findings = ground.report.findings;
  for (const bool twice : {false, true}) {
    add_groups(
        steps, findings,
        [twice](const Probe& probe) {
          return is_attempt(probe) && probe.no_control.empty() && probe.twice == twice;
        },
        compare_group);
  }
  for (std::size_t index = 0; index < findings.size(); ++index) {
    const Probe& probe = findings[index].probe;
    if (is_attempt(probe) || !probe.no_control.empty()) continue;
    steps.emplace_back([index](Ground& at) { compare_alone(at, index); });
  }
}

std::vector<Step> steps_of(const Ground& ground) {
  std::vector<Step> steps;
  add_boxes(steps, ground);
  if (ground.battery.control == ControlRuns::made && ground.has_scene) add_control(steps, ground);
  return steps;
}

void take_steps(Ground& ground, const std::vector<Step>& steps) {
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&ground, &steps, &next, &telling, &done] {
    for (;;) {
      const std::size_t index = next++;
      if (index >= steps.size() || ground.call.stop.stop_requested()) return;
      steps[index](ground);
      const std::scoped_lock one(telling);
      ++done;
      if (ground.battery.progress) ground.battery.progress(done, steps.size());
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned count = 0; count < std::max(1U, ground.battery.workers); ++count) {
    workers.emplace_back(work);
  }
  workers.clear();
  ground.report.complete = done == steps.size() && !ground.call.stop.stop_requested();
}

void begin(Ground& ground) {
  for (const Probe& probe : ground.battery.probes) {
    Finding finding{probe, {Verdict::not_run, "interrupted"}, {Proof::not_run, probe.no_control}};
    ground.report.findings.push_back(std::move(finding));
  }
}

bool needs_host(const Battery& battery) {
  return battery.control == ControlRuns::made ||
         std::any_of(battery.probes.begin(), battery.probes.end(),
                     [](const Probe& probe) { return probe.needs_scene; });
}

// Without one, what is to be reached there cannot be missed either.
void explain(Ground& ground, const Error& no_scene) {
  for (Finding& finding : ground.report.findings) {
    if (finding.probe.needs_scene) {
      finding.inside.detail = "nothing to reach could be set up: " + no_scene.message();
    }
    if (finding.bare.detail.empty()) finding.bare.detail = no_scene.message();
  }
}

std::optional<Scene> set_scene(Ground& ground) {
  if (!needs_host(ground.battery)) return std::nullopt;
  auto scene = Scene::play(ground.call);
  if (!scene.ok()) {
    explain(ground, scene.error());
    return std::nullopt;
  }
  ground.scene = json::parse(scene->facts(), nullptr, false);
  ground.has_scene = true;
  return std::move(scene).value();
}

}  // namespace

Result<Report> run_battery(const Battery& battery, const Call& call) {
  const auto began = Clock::now();
  Ground ground{.battery = battery, .call = call};
  begin(ground);
  const std::optional<Scene> scene = set_scene(ground);
  LAZARET_CHECK(look(ground).within("making a box"));
  take_steps(ground, steps_of(ground));
  ground.report.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return std::move(ground.report);
}

}  // namespace lazaret::core::selftest
