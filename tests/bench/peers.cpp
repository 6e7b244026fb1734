#include "bench/peers.hpp"

#include <cstdlib>
#include <iterator>
#include <memory>
#include <sstream>

#include "engine/container.hpp"
#include "engine/discovery.hpp"

namespace lazaret::bench {
namespace {

using Words = std::vector<std::string>;
namespace container = engine::container;

constexpr std::chrono::seconds kBound{60};
constexpr int kMostOfAll = 1024;

Engine engine_of(const std::string& type, const char* variable) {
  const char* const endpoint = std::getenv(variable);
  return {type, endpoint == nullptr ? "" : endpoint};
}

// Below our own: without CAP_SYS_RESOURCE Podman cannot set what it would by itself.
nlohmann::json most(const char* limit) {
  return {{"Name", limit}, {"Soft", kMostOfAll}, {"Hard", kMostOfAll}};
}

Words words_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Candidate candidate(const std::string& name, const std::string& program, Words argv,
                    std::string output) {
  if (!is_installed(program))
    return {name, Who::peer, {}, [] {}, "not found: " + program + " is not installed"};
  return {name, Who::peer, running({std::move(argv)}, std::move(output))};
}

}  // namespace

Engine docker_engine() { return engine_of("docker", "LAZARET_TEST_DOCKER"); }
Engine podman_engine() { return engine_of("podman", "LAZARET_TEST_PODMAN"); }

std::string Engine::missing() const {
  if (!endpoint.empty() || type == kNative.type) return {};
  return "not found: no socket of " + type + " is named";
}

Program Engine::command(std::vector<std::string> words) const {
  const char* const option = type == "docker" ? "--host" : "--url";
  return {joined({type, option, endpoint}, words)};
}

Program Engine::run(const std::string& image, const std::vector<std::string>& argv) const {
  const std::string most = std::to_string(kMostOfAll);
  const Words words = {"run",      "--rm",          "--network",
                       "none",     "--ulimit",      "nofile=" + most,
                       "--ulimit", "nproc=" + most, image};
  return command(joined(words, argv));
}

engine::EngineClient client_of(const Engine& engine) {
  auto dialer = must(engine::default_dialer(engine.endpoint), engine.endpoint);
  return must(engine::EngineClient::negotiate(std::move(dialer), {}, Call{}.within(kBound)),
              engine.endpoint);
}

StandingContainer::StandingContainer(const Engine& engine) : client_(client_of(engine)) {
  const nlohmann::json body = {
      {"Image", kPythonImage},
      {"Cmd", {"sleep", "86400"}},
      {"HostConfig", {{"NetworkMode", "none"}, {"Ulimits", {most("nofile"), most("nproc")}}}}};
  const Call call = Call{}.within(kBound);
  id_ = must(container::create(client_, "", body, call), "create").id;
  must(container::start(client_, id_, call), "start");
}

StandingContainer::~StandingContainer() {
  (void)container::remove(client_, id_, container::Volumes::remove, Call{}.within(kBound)).ok();
}

// Everything that bubblewrap can take away, as its manual lists it.
Candidate bubblewrap(const std::vector<std::string>& argv, std::string output) {
  const Words words = words_of(
      "bwrap --unshare-all --die-with-parent --new-session --clearenv --ro-bind /usr /usr "
      "--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc "
      "--dev /dev --tmpfs /tmp --tmpfs /work --chdir /work --uid 65534 --gid 65534 --cap-drop ALL");
  return candidate(kBubblewrap, "bwrap", joined(words, argv), std::move(output));
}

Candidate nsjail(const std::vector<std::string>& argv, std::string output) {
  const Words words = words_of(
      "nsjail --mode o --really_quiet --bindmount_ro /usr --bindmount_ro /bin --bindmount_ro /lib "
      "--bindmount_ro /lib64 --tmpfsmount /tmp --user 65534 --group 65534 --");
  return candidate("nsjail", "nsjail", joined(words, argv), std::move(output));
}

Candidate isolate(const std::vector<std::string>& argv, std::string output) {
  Candidate made =
      candidate("isolate --run, its box made before", "isolate",
                joined({"isolate", "--silent", "--run", "--"}, argv), std::move(output));
  if (!made.missing.empty()) return made;
  if (run_program({{"isolate", "--init"}}).status != 0) {
    made.missing = "isolate --init fails here";
    return made;
  }
  const std::shared_ptr<void> box(nullptr, [](void*) {  // shared by the copies of the work
    (void)run_program({{"isolate", "--cleanup"}});
  });
  made.work = [box, work = std::move(made.work)] { work(); };
  return made;
}

}  // namespace lazaret::bench
