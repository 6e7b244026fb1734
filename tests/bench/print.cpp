#include <memory>
#include <nlohmann/json.hpp>

#include "bench/daemon.hpp"
#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"
#include "places.hpp"

// Python's print(1), from the request to the complete result in the caller's hands.
namespace lazaret::bench {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kCode = "print(1)";
constexpr const char* kOutput = "1\n";
const Words kPython = {"/usr/bin/python3", "-I", "-c", kCode};
constexpr const char* kBare = "python3 -I, bare";

void must_have_printed(const std::string& result) {
  const auto json = nlohmann::json::parse(result, nullptr, false);
  if (json.is_object() && json.value("stdout", "") == kOutput) return;
  throw Failure("a run has failed: " + result);
}

// A backend by its three doors: the daemon's socket, the command line at the daemon, and alone.
class Doors {
 public:
  Doors(std::string name, const Engine& engine)
      : name_(std::move(name)),
        configuration_(configuration(engine.type, engine.endpoint)),
        missing_(engine.missing()) {
    if (missing_.empty()) daemon_ = std::make_unique<Daemon>(configuration_);
  }

  [[nodiscard]] std::string warm() const { return name_ + ", warm, over the daemon"; }
  [[nodiscard]] std::string command_line() const { return name_ + ", lazaret run, by the daemon"; }
  [[nodiscard]] std::string cold() const { return name_ + ", lazaret run, cold"; }

  [[nodiscard]] std::vector<Candidate> candidates() const {
    if (!missing_.empty()) return {{warm(), Who::ours, {}, [] {}, missing_}};
    const auto answer = std::make_shared<std::string>();
    const auto ask = [this, answer] { *answer = daemon_->run(kPrintOne); };
    const auto look = [answer] { must_have_printed(*answer); };
    const Words run = {test::kLazaretPath, "run", "--quiet", "-c", kCode};
    Words alone = run;
    alone.emplace_back("--no-daemon");
    return {{warm(), Who::ours, ask, look},
            {command_line(), Who::ours, running({run, daemon_->environment()}, kOutput)},
            {cold(), Who::ours, running({alone, configuration_}, kOutput)}};
  }

 private:
  std::string name_;
  std::vector<std::string> configuration_;
  std::string missing_;
  std::unique_ptr<Daemon> daemon_;
};

// What an engine's own program does: run, and exec in a container that stays.
class EngineProgram {
 public:
  explicit EngineProgram(const Engine& engine) : engine_(engine), missing_(engine.missing()) {
    if (missing_.empty() && !is_installed(engine_.type))
      missing_ = "not found: " + engine_.type + " is not installed";
    if (missing_.empty()) standing_ = std::make_unique<StandingContainer>(engine_);
  }

  [[nodiscard]] std::string run() const { return engine_.type + " run"; }
  [[nodiscard]] std::string exec() const { return engine_.type + " exec"; }

  [[nodiscard]] std::vector<Candidate> candidates() const {
    if (!missing_.empty()) return {{run(), Who::engine, {}, [] {}, missing_}};
    const Words python = {"python3", "-I", "-c", kCode};
    Words in_it = {"exec", standing_->id()};
    in_it.insert(in_it.end(), python.begin(), python.end());
    return {{exec(), Who::engine, running(engine_.command(in_it), kOutput)},
            {run(), Who::engine, running(engine_.run(kPythonImage, python), kOutput)}};
  }

 private:
  Engine engine_;
  std::string missing_;
  std::unique_ptr<StandingContainer> standing_;
};

Candidate library() {
  const auto sandbox = std::make_shared<CodeSandbox>(sandbox_on(kNative));  // the work's own
  return {"native, warm, in the library", Who::ours,
          [sandbox] { must_succeed(*sandbox, python(kCode)); }};
}

void append(std::vector<Candidate>& all, std::vector<Candidate> more) {
  for (Candidate& candidate : more) all.push_back(std::move(candidate));
}

}  // namespace

Group print_group(int rounds) {
  const Doors native("native", kNative), docker("Docker", docker_engine()),
      podman("Podman", podman_engine());
  const EngineProgram dockers(docker_engine()), podmans(podman_engine());
  std::vector<Candidate> all = {{kBare, Who::bare, running({kPython}, kOutput)}, library()};
  append(all, native.candidates());
  append(all, {bubblewrap(kPython, kOutput), nsjail(kPython, kOutput), isolate(kPython, kOutput)});
  append(all, docker.candidates());
  append(all, dockers.candidates());
  append(all, podman.candidates());
  append(all, podmans.candidates());
  Group group{.title = "python: print(1)", .timings = in_turns(rounds, all)};
  group.add_quantile(docker.warm(), 0.5, at_most(3));
  group.add_quantile(docker.warm(), 0.99, at_most(15));
  group.add_ratio(dockers.run(), docker.warm(), at_least(60));
  group.add_ratio(dockers.exec(), docker.warm(), at_least(15));
  group.add_quantile(docker.command_line(), 0.5, at_most(9));
  group.add_quantile(native.warm(), 0.5, at_most(2));
  group.add_ratio(kBare, native.warm(), at_least(1));
  group.add_ratio(kBubblewrap, native.warm());
  group.add_ratio(podmans.run(), podman.warm());
  group.add_ratio(podmans.exec(), podman.warm());
  return group;
}

}  // namespace lazaret::bench
