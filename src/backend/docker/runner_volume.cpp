#include "backend/docker/runner_volume.hpp"

#include <chrono>
#include <map>

#include <nlohmann/json.hpp>

#include "backend/docker/harden.hpp"
#include "base/try.hpp"
#include "base/undo.hpp"
#include "engine/archive.hpp"
#include "engine/container.hpp"
#include "engine/json.hpp"
#include "engine/tar.hpp"
#include "engine/volume.hpp"
#include "engine/wait.hpp"
#include "os/pipe.hpp"
#include "runner/image.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kFillBound{8};  // of one turn; who takes longer is taken for dead
constexpr std::chrono::seconds kVolumeBound{10};
constexpr std::chrono::seconds kReadyBound{60};  // of everybody's turns together
constexpr std::chrono::milliseconds kPause{20};
constexpr int kAttempts = 2;
constexpr std::size_t kDigestDigits = 16;

// Whether what was asked for may have been done all the same.
bool is_lost(Errc code) {
  return code == Errc::connection_lost || code == Errc::timed_out || code == Errc::protocol ||
         code == Errc::too_large;
}

std::string digest() { return runner::runner_digest().substr(0, kDigestDigits); }

nlohmann::json helper_body(const std::string& image, const std::string& volume,
                           const std::map<std::string, std::string>& labels) {
  using nlohmann::json;
  return {{"Image", image},
          {"Entrypoint", {"/never-started"}},
          {"Cmd", json::array()},
          {"Labels", labels},
          {"NetworkDisabled", true},
          {"HostConfig",
           {{"NetworkMode", "none"},
            {"LogConfig", {{"Type", "none"}}},
            {"Mounts", json::array({{{"Type", "volume"},
                                     {"Source", volume},
                                     {"Target", kRunnerDirectory},
                                     {"VolumeOptions", {{"NoCopy", true}}}}})}}}};
}

}  // namespace

RunnerVolume::RunnerVolume(const engine::EngineClient& client, const Leases& leases)
    : client_(client),
      leases_(leases),
      name_("lazaret-runner-" + digest()),
      helper_("lazaret-fill-" + digest()) {}

Status RunnerVolume::prepare(const Call& call) {
  if (known_) return {};
  const std::map<std::string, std::string> labels = {{kOwnerLabel, kOwner},
                                                     {kRunnerLabel, runner::runner_digest()}};
  const auto made = engine::volume::create(client_, name_, labels, call);
  if (made.ok()) return {};
  // Podman fails for the second of two that make it at the same time.
  if (engine::volume::inspect(client_, name_, call).ok()) return {};
  return made.error();
}

Status RunnerVolume::require(const std::string& container, const std::string& image,
                             const Call& call) {
  const Deadline end = Deadline::after(kReadyBound);
  for (bool ours = false; !known_;) {
    LAZARET_TRY(const bool found, ready(container, call));
    if (found) {
      known_ = true;
      break;
    }
    if (ours) return Error(Errc::engine, "volume " + name_ + " was filled and is empty");
    Status filled = fill(image, call);
    const bool taken = !filled.ok() && (filled.error().code() == Errc::conflict ||
                                        filled.error().code() == Errc::engine);
    ours = filled.ok();
    if (taken && !end.passed()) filled = wait_for_other(call);
    if (!filled.ok()) return std::move(filled).within("filling volume " + name_);
  }
  return {};
}

Result<bool> RunnerVolume::ready(const std::string& container, const Call& call) const {
  const auto stat =
      engine::archive::stat(client_, container, std::string(kRunnerDirectory) + "/ready", call);
  if (stat.ok()) return true;
  if (stat.error().code() == Errc::not_found) return false;
  return stat.error();
}

// Fails when the helper exists: then it is another process's turn.
Status RunnerVolume::fill(const std::string& image, const Call& call) const {
  const auto labels = labels_of(leases_.instance(), helper_);
  LAZARET_CHECK(call.check());
  // Trouble with it was told of the container that wants the volume.
  (void)leases_.intend(journal::Kind::container, helper_).ok();
  // Not cut short: a helper that appears after we have left would keep everybody waiting.
  const auto helper = engine::container::create(client_, helper_, helper_body(image, name_, labels),
                                                Call{}.within(kFillBound));
  if (!helper.ok() && !is_lost(helper.error().code())) {
    leases_.settle(journal::Kind::container, helper_);  // it was refused: nothing was made
    return helper.error();
  }
  Undo undo;
  undo.add([this] { dismiss(); });
  if (!helper.ok()) return helper.error();
  return upload(helper->id, call);
}

// WHY a look first: the name is everybody's, and whoever has it now may be another process.
void RunnerVolume::dismiss() const {
  for (int count = 0; count < kAttempts; ++count) {
    if (!is_gone(Call{}.within(kVolumeBound))) continue;
    leases_.settle(journal::Kind::container, helper_);
    return;
  }
}

bool RunnerVolume::is_gone(const Call& call) const {
  using engine::container::Volumes;
  const auto seen = engine::container::inspect(client_, helper_, call);
  if (!seen.ok()) return seen.error().code() == Errc::not_found;
  const auto labels = engine::labels_at(engine::member(*seen, "Config"), "Labels");
  const auto owner = labels.find(kInstanceLabel);
  if (owner == labels.end() || owner->second != leases_.instance().id) return true;
  return engine::container::remove(client_, helper_, Volumes::remove, call).ok();
}

Status RunnerVolume::wait_for_other(const Call& call) const {
  using engine::container::Until;
  const Call bound = call.within(kFillBound);
  const auto gone = engine::container::wait(client_, helper_, Until::removed, bound);
  if (gone.ok()) return {};
  LAZARET_CHECK(call.check());
  if (gone.error().code() == Errc::not_found) {
    // WHY a pause: a name is taken a little before its container can be waited for, and the engine
    // has nothing else to wait on.
    (void)os::wait_ready({}, call.within(kPause)).ok();
    return call.check();
  }
  if (gone.error().code() != Errc::timed_out) return gone.error();
  return engine::container::remove(client_, helper_, engine::container::Volumes::remove, call);
}

// The marker goes in last: where it is, the runner is whole.
Status RunnerVolume::upload(const std::string& helper, const Call& call) const {
  constexpr std::uint32_t kProgram = 0755, kPlain = 0644;
  LAZARET_TRY(const bool done, ready(helper, call));
  if (done) return {};
  const std::string_view image = text_of(runner::runner_image());
  LAZARET_TRY(const std::string program,
              engine::write_tar({{"runner", kProgram, std::string(image)}}));
  LAZARET_CHECK(engine::archive::put(client_, helper, kRunnerDirectory, bytes_of(program), call));
  LAZARET_TRY(const std::string marker, engine::write_tar({{"ready", kPlain, ""}}));
  return engine::archive::put(client_, helper, kRunnerDirectory, bytes_of(marker), call);
}

}  // namespace lazaret::backend::docker
