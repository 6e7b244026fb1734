#include "backend/docker/docker_backend.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "backend/docker/compare.hpp"
#include "backend/docker/differences.hpp"
#include "backend/docker/engine_facts.hpp"
#include "backend/docker/harden.hpp"
#include "backend/docker/image_variables.hpp"
#include "backend/docker/inside.hpp"
#include "backend/docker/layers.hpp"
#include "backend/docker/runner_volume.hpp"
#include "backend/docker/scratch.hpp"
#include "backend/docker/seccomp_file.hpp"
#include "backend/docker/seccomp_json.hpp"
#include "backend/report.hpp"
#include "base/try.hpp"
#include "engine/archive.hpp"
#include "engine/container.hpp"
#include "engine/image.hpp"
#include "engine/json.hpp"
#include "engine/volume.hpp"
#include "runner/client.hpp"
#include "runner/image.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kGreetBound{20};
constexpr std::chrono::seconds kInfoBound{15};
constexpr std::chrono::seconds kClearBound{2};  // what earlier boxes may cost this one
// WHY: what is being made is waited for although the call may have ended. An engine goes on with a
// create whose client has left, and what appears after we have removed it by name stays for ever.
constexpr std::chrono::seconds kMakeBound{10};
constexpr std::chrono::seconds kPrepareBound{30};

void append(std::vector<Reading>& readings, std::vector<Reading> more) {
  readings.insert(readings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

// Whether the engine may have heard what it has not answered.
bool is_unanswered(const Error& error) {
  return error.code() == Errc::timed_out || error.code() == Errc::connection_lost;
}

std::vector<std::string> names_of(const std::vector<ScratchVolume>& volumes) {
  std::vector<std::string> names;
  for (const ScratchVolume& volume : volumes) names.push_back(volume.name);
  return names;
}

Status make_volume(const engine::EngineClient& client, const ScratchVolume& volume,
                   const std::map<std::string, std::string>& labels) {
  LAZARET_TRY(std::string text, engine::json_text({{"Name", volume.name},
                                                   {"Driver", "local"},
                                                   {"DriverOpts", volume.options},
                                                   {"Labels", labels}}));
  const auto made = client.transact({.doing = "creating a scratch volume",
                                     .method = "POST",
                                     .target = engine::Target("volumes").word("create"),
                                     .body = std::move(text),
                                     .content_type = "application/json"},
                                    Call{}.within(kMakeBound));
  return made.ok() ? Status() : Status(made.error());
}

Error image_missing(Error error, engine::Kind kind, const std::string& image) {
  constexpr std::string_view kOurs = "lazaret/";
  const std::string pull = std::string(engine::name_of(kind)) + " pull " + image;
  if (image.rfind(kOurs, 0) != 0) return std::move(error).with_hint("pull it first: " + pull);
  const std::string name = image.substr(kOurs.size(), image.find(':') - kOurs.size());
  return std::move(error).with_hint("make it with: lazaret images build " + name);
}

// What only native boxes have is refused, not left out.
Status require_known(const policy::Spec& spec) {
  const auto refused = [](const std::string& what) {
    return Error(Errc::unsupported, what)
        .with_hint("run it natively (--type local), or without it");
  };
  if (!spec.mounts.empty())
    return refused("containers are shown no directory of the host's (--mount)");
  if (!spec.egress.hosts.empty())
    return refused("containers have no way out to hosts (--allow-host)");
  if (spec.profile != Profile::standard)
    return refused("containers have no profile " + std::string(name_of(spec.profile)));
  return {};
}

std::uint64_t pid_in(const nlohmann::json& seen) {
  const auto pid = engine::number_at(engine::member(seen, "State"), "Pid");
  return pid && *pid > 0 ? static_cast<std::uint64_t>(*pid) : 0;
}

// An engine that answers its ping may do nothing else as it should.
Error advised(Error error) {
  constexpr std::array kOfEngine = {Errc::engine, Errc::protocol, Errc::connection_lost,
                                    Errc::timed_out};
  const bool is_engines = std::ranges::find(kOfEngine, error.code()) != kOfEngine.end();
  if (!is_engines || !error.hint().empty()) return error;
  return std::move(error).with_hint(
      "the program has not run: look at what the engine logs, and try again");
}

// What the runner has said on standard error, where it did not get as far as its greeting.
Error without_greeting(Error error, engine::AttachStream& stream) {
  const std::string said = stream.standard_error().text;
  error = std::move(error).within("greeting the runner");
  if (said.empty()) return error;
  return std::move(error).with_hint("the container said: " + said.substr(0, 200));
}

}  // namespace

// One box on its way.
struct DockerBackend::Draft {
  const policy::Spec& spec;
  std::vector<Reading> readings;
  DockerBox::Parts parts;

  [[nodiscard]] const std::string& name() const { return parts.container->name(); }
};

DockerBackend::DockerBackend(engine::EngineClient client, std::shared_ptr<const Leases> leases)
    : client_(std::make_shared<const engine::EngineClient>(std::move(client))),
      leases_(std::move(leases)),
      remains_(std::make_shared<Remains>(leases_)),
      images_(std::make_shared<ImageWatch>(client_)),
      seccomp_(seccomp_json(seccomp::standard_profile(), runner::kArchitecture)),
      runner_(*client_, *leases_, runner_content()) {}

// What has come late, or could not be removed: nobody else will come by before the next sweep.
DockerBackend::~DockerBackend() {
  if (owner_ == os::process_id()) remains_->clear_away(*client_, Call{}.within(kClearBound));
}

Result<std::unique_ptr<Backend>> DockerBackend::create(engine::EngineClient client,
                                                       std::shared_ptr<const Leases> leases) {
  if (client.identity().os == "windows") {
    return Error(Errc::unsupported, client.describe() + " runs Windows containers")
        .with_hint("switch the engine to Linux containers");
  }
  return std::unique_ptr<Backend>(new DockerBackend(std::move(client), std::move(leases)));
}

std::vector<HostFact> DockerBackend::host() const {
  const auto info = engine::system::info(*client_, Call{}.within(kInfoBound));
  if (info.ok()) return facts_of(*info);
  return {{"Engine's host", Presence::missing, info.error().message(), "ask the engine itself"}};
}

std::string DockerBackend::name() const { return std::string(engine::name_of(client_->kind())); }

void DockerBackend::keep_watch() {
  if (differences_of(client_->kind()).tells_of_images_at_once) images_->listen();
}

Result<std::string> DockerBackend::interpreter(const policy::Spec& spec, const Call& call) const {
  const auto seen = engine::image::inspect(*client_, spec.image, call);
  const std::string id = seen.ok() ? engine::text_at(*seen, "Id") : "";
  if (!id.empty()) return "image " + id;
  if (seen.ok()) return Error(Errc::protocol, "the engine does not say which image that is");
  if (seen.error().code() != Errc::image_missing) return seen.error();
  return image_missing(seen.error(), client_->kind(), spec.image);
}

std::string DockerBackend::next_name() {
  return "lazaret-" + leases_->owner().id + "-" + std::to_string(made_++);
}

// A container that does not start may miss the runner, because somebody has removed the volume that
// this process knows to be filled: that is worth a second look, once.
Result<std::unique_ptr<Box>> DockerBackend::open(const policy::Spec& spec, const Call& call) {
  LAZARET_CHECK(require_known(spec));
  remains_->clear_away(*client_, call.within(kClearBound));
  const bool known = runner_.is_known();
  auto box = open_once(spec, call);
  const bool forgotten = known && !runner_.is_known();
  if (!box.ok() && forgotten && call.check().ok()) box = open_once(spec, call);
  if (!box.ok()) return advised(std::move(box).error());
  return box;
}

Result<std::unique_ptr<Box>> DockerBackend::open_once(const policy::Spec& spec, const Call& call) {
  Draft draft{spec, {}, {}};
  // From here on everything that goes wrong takes the container with it.
  LAZARET_CHECK(make(draft, call));
  // WHY not only where start() itself fails: Podman's attach already makes the process.
  const Status started = start(draft, call);
  if (!started.ok()) {
    runner_.forget();
    return started.error();
  }
  LAZARET_CHECK(verify(draft, call).within("verifying the container"));
  return std::unique_ptr<Box>(std::make_unique<DockerBox>(std::move(draft.parts)));
}

// The one that most boxes have is made once.
std::string DockerBackend::filter_of(const policy::Spec& spec) const {
  if (spec.loopback == Loopback::down) return seccomp_;
  return seccomp_json(seccomp::profile_of(Profile::standard, spec.loopback),
                      runner::kArchitecture);
}

// Before it is asked for. A box without its line in the journal is told of: what a killed Lazaret
// leaves is then found by its labels alone, and only when somebody looks.
void DockerBackend::note(Draft& draft, journal::Kind kind, const std::string& name) const {
  const Status noted = leases_->intend(kind, name);
  if (noted.ok() || !draft.parts.warnings.empty()) return;
  draft.parts.warnings.push_back(warning_of_no_row(noted.error()));
}

// WHY looked for each time: an engine makes an empty one in the place of one that is gone.
Result<std::unique_ptr<KeptVolume>> DockerBackend::layer_of(const policy::Spec& spec,
                                                            const Call& call) const {
  if (spec.packages.empty()) return std::unique_ptr<KeptVolume>();
  const Instance& maker = leases_->owner();
  auto layer =
      std::make_unique<KeptVolume>(*client_, *leases_, layer_content(spec.packages, maker));
  if (engine::volume::inspect(*client_, layer->name(), call).ok()) return layer;
  forget_layers(*client_, spec.packages, maker, call);
  LAZARET_CHECK(layer->prepare(call));
  return layer;
}

Status DockerBackend::make(Draft& draft, const Call& call) {
  const Differences& differences = differences_of(client_->kind());
  Hardening hardening{draft.spec, leases_->owner(), next_name(), runner_.name(),
                      filter_of(draft.spec)};
  std::vector<ScratchVolume> volumes;
  if (differences.scratch_by_volume) {
    volumes = scratch_volumes(hardening.name, draft.spec.limits);
  }
  draft.parts.images = images_;
  draft.parts.edition = images_->edition();
  // The first that is asked of an engine that has answered no more than a ping, perhaps.
  LAZARET_CHECK(runner_.prepare(call.within(kPrepareBound)));
  LAZARET_TRY(const auto layer, layer_of(draft.spec, call));
  draft.parts.container =
      std::make_unique<Container>(client_, remains_, BoxNames{hardening.name, names_of(volumes)});
  if (layer) hardening.packages_volume = layer->name();
  for (const ScratchVolume& volume : volumes) {
    LAZARET_CHECK(call.check());
    note(draft, journal::Kind::volume, volume.name);
    const Status made =
        make_volume(*client_, volume, labels_of(leases_->owner(), hardening.name));
    if (!made.ok() && is_unanswered(made.error())) draft.parts.container->expect_late();
    LAZARET_CHECK(made);
  }
  std::optional<SeccompFile> file;
  if (differences.seccomp_by_path) {
    LAZARET_TRY(SeccompFile written, SeccompFile::write(hardening.seccomp, leases_));
    hardening.seccomp = file.emplace(std::move(written)).path();
  }
  note(draft, journal::Kind::container, hardening.name);
  const Status created = create_verified(draft, hardening, call);
  if (!created.ok()) {
    if (created.error().code() == Errc::image_missing) {
      return image_missing(created.error(), client_->kind(), draft.spec.image);
    }
    // Podman says no more of a filter that it cannot read than that something went wrong.
    const bool unread = file && created.error().code() == Errc::engine;
    return unread ? Error(created.error()).with_hint("the engine must see " + file->path())
                  : created;
  }
  LAZARET_CHECK(require_plain_image(draft, call));
  LAZARET_CHECK(runner_.require(draft.name(), draft.spec.image, call));
  return layer ? layer->require(draft.name(), draft.spec.image, call) : Status();
}

// An image with volumes of its own takes a second turn, in which they are covered: only what has
// been made shows them.
Status DockerBackend::create_verified(Draft& draft, Hardening& hardening, const Call& call) {
  const Differences& differences = differences_of(client_->kind());
  nlohmann::json body = differences.body(hardening);
  LAZARET_CHECK(create_container(draft, body, call));
  LAZARET_TRY(nlohmann::json seen, differences.inspect(*client_, draft.name(), call));
  if (differences.makes_image_volumes) {
    hardening.image_volumes = declared_volumes({client_->kind(), body, seen});
  }
  if (!hardening.image_volumes.empty()) {
    using engine::container::Volumes;
    LAZARET_CHECK(engine::container::remove(*client_, draft.name(), Volumes::remove, call));
    body = differences.body(hardening);
    LAZARET_CHECK(create_container(draft, body, call));
    LAZARET_TRY(nlohmann::json shown, differences.inspect(*client_, draft.name(), call));
    seen = std::move(shown);
  }
  draft.parts.image = draft.spec.image;
  draft.parts.image_id = image_id_at(seen, "Image");
  draft.parts.variables = variables_of_image(seen);
  append(draft.readings, compare({client_->kind(), body, seen}));
  return require_so_far(draft.readings, draft.spec).within("inspecting the container");
}

Status DockerBackend::create_container(Draft& draft, const nlohmann::json& body, const Call& call) {
  LAZARET_CHECK(call.check());
  auto made = differences_of(client_->kind())
                  .create(*client_, draft.name(), body, Call{}.within(kMakeBound));
  if (!made.ok() && is_unanswered(made.error())) draft.parts.container->expect_late();
  if (!made.ok()) return std::move(made).error();
  LAZARET_CHECK(call.check());
  auto& warnings = made->warnings;
  append(draft.readings, read_warnings(warnings));
  std::move(warnings.begin(), warnings.end(), std::back_inserter(draft.parts.warnings));
  return require_so_far(draft.readings, draft.spec);
}

// Threat 29: what is made in /dev before the box has its own would be made on the host. Podman
// follows links itself and says where they lead; one to nowhere in the image is not told from
// nothing, nor from a container that is gone.
Status DockerBackend::require_plain_image(const Draft& draft, const Call& call) {
  constexpr const char* kDevices = "/dev";
  const std::string& image = draft.parts.image_id;
  const Differences& differences = differences_of(client_->kind());
  if (!differences.follows_links_of_images) return {};
  if (plain_.with([&image](const auto& seen) { return seen.contains(image); })) return {};
  const auto found = engine::archive::stat(*client_, draft.name(), kDevices, call);
  if (!found.ok() && found.error().code() != Errc::not_found) return found.error();
  if (!found.ok()) LAZARET_CHECK(differences.inspect(*client_, draft.name(), call));
  if (!found.ok() || found->link_target != kDevices)
    return Error(Errc::enforcement_mismatch,
                 "the image has no directory /dev, or a link there, by which the engine could "
                 "write to the host")
        .with_hint("an image of your own has one by WORKDIR /dev in its Dockerfile");
  if (!image.empty()) plain_.with([&image](auto& seen) { seen.insert(image); });
  return {};
}

// Attached and waited for before it starts: nothing it says and no end of it is missed (P-19).
Status DockerBackend::start(Draft& draft, const Call& call) {
  using engine::container::Until;
  using engine::container::Wait;
  LAZARET_TRY(draft.parts.stream, engine::attach(*client_, draft.name(), {}, call));
  LAZARET_TRY(Wait exit, Wait::open(*client_, draft.name(), Until::next_exit, call));
  draft.parts.exit.emplace(std::move(exit));
  return engine::container::start(*client_, draft.name(), call);
}

Status DockerBackend::verify(Draft& draft, const Call& call) {
  engine::AttachStream& stream = *draft.parts.stream;
  runner::Client client(stream);
  auto greeting = client.greet(call.within(kGreetBound));
  if (!greeting.ok()) return without_greeting(std::move(greeting).error(), stream);
  const SelfReport report = parse_report(greeting->report);
  draft.parts.resting_bytes = report.resident_bytes();
  append(draft.readings, read_report(report, draft.spec));
  if (auto variables = read_variables(draft.parts.variables, draft.spec))
    draft.readings.push_back(*std::move(variables));
  append(draft.readings, read_cgroup(report, draft.spec));
  LAZARET_TRY(const nlohmann::json seen,
              differences_of(client_->kind()).inspect(*client_, draft.name(), call));
  draft.readings.push_back(read_networks(seen));
  draft.parts.local = LocalView::of(pid_in(seen), report);
  if (draft.parts.local) append(draft.readings, draft.parts.local->readings());
  draft.readings.push_back(
      read_masks(report, [here = draft.parts.local.has_value()](const std::string& path) {
        std::error_code error;
        return here ? std::filesystem::exists(path, error) : path == "/proc/sys";
      }));
  LAZARET_TRY(Reading timeout, timeout_reading(draft, call));
  draft.readings.push_back(std::move(timeout));
  draft.parts.evidence = judge(draft.readings, draft.spec);
  return require(draft.parts.evidence, draft.spec);
}

// The kernel keeps signals from a namespace's init that it does not catch, so SIGCONT only shows
// that the call by which the box is going to be ended reaches it.
Result<Reading> DockerBackend::timeout_reading(const Draft& draft, const Call& call) {
  if (!kill_answers_) {
    LAZARET_CHECK(engine::container::kill(*client_, draft.name(), "SIGCONT", call));
    kill_answers_ = true;
  }
  return Reading{Control::timeout, EvidenceStatus::enforced,
                 "SIGKILL by the engine after that and the grace", "engine kill answers"};
}

}  // namespace lazaret::backend::docker
