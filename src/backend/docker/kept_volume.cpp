#include "backend/docker/kept_volume.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "backend/docker/harden.hpp"
#include "base/try.hpp"
#include "base/undo.hpp"
#include "engine/archive.hpp"
#include "engine/container.hpp"
#include "engine/json.hpp"
#include "engine/volume.hpp"
#include "engine/wait.hpp"
#include "os/pipe.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kVolumeBound{10};
constexpr int kTurns = 8;  // of everybody together
constexpr std::chrono::milliseconds kBetweenLooks{20};
constexpr int kAttempts = 2;

// Whether what was asked for may have been done all the same.
bool is_lost(Errc code) {
  return code == Errc::connection_lost || code == Errc::timed_out || code == Errc::protocol ||
         code == Errc::too_large;
}

// As when another process has taken us for dead. Once: a disk that is full stays so.
bool is_worth_another(const Error& error) {
  return error.code() == Errc::engine || error.code() == Errc::not_found;
}

nlohmann::json helper_body(const std::string& image, const VolumeContent& content,
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
                                     {"Source", content.name},
                                     {"Target", content.place},
                                     {"VolumeOptions", {{"NoCopy", true}}}}})}}}};
}

}  // namespace

KeptVolume::KeptVolume(const engine::EngineClient& client, const Leases& leases,
                       VolumeContent content)
    : client_(client), leases_(leases), content_(std::move(content)) {}

Status KeptVolume::prepare(const Call& call) {
  if (known_) return {};
  // It stays, whatever becomes of us: only that it may be on its way is written down.
  (void)leases_.intend(journal::Kind::volume, name()).ok();
  const auto made = engine::volume::create(client_, name(), content_.labels, call);
  leases_.settle(journal::Kind::volume, name());
  if (made.ok()) return {};
  // Podman fails for the second of two that make it at the same time.
  if (engine::volume::inspect(client_, name(), call).ok()) return {};
  return made.error();
}

Status KeptVolume::require(const std::string& container, const std::string& image,
                           const Call& call) {
  const Deadline end = Deadline::after(kTurns * content_.bound);
  int failed = 0;
  for (bool ours = false; !known_;) {
    LAZARET_TRY(const bool found, ready(container, call));
    known_ = found;
    if (found) break;
    if (ours) return Error(Errc::engine, "volume " + name() + " was filled and is empty");
    const auto filled = fill(image, call);
    ours = filled.ok() && !*filled;
    if (ours) continue;
    if (!filled.ok() && is_worth_another(filled.error()) && ++failed < kAttempts) continue;
    if (!filled.ok()) return Error(filled.error()).within("filling volume " + name());
    if (end.passed()) return Error(**filled).within("filling volume " + name());
    LAZARET_CHECK(wait_for_other(call));
  }
  return {};
}

Result<bool> KeptVolume::ready(const std::string& container, const Call& call) const {
  const auto stat =
      engine::archive::stat(client_, container, content_.place + "/" + content_.marker, call);
  if (stat.ok()) return true;
  if (stat.error().code() == Errc::not_found) return false;
  return stat.error();
}

// When the helper exists it is another process's turn. Podman says no more of that than that
// something went wrong.
Result<std::optional<Error>> KeptVolume::fill(const std::string& image, const Call& call) const {
  const auto labels = labels_of(leases_.owner(), content_.helper);
  LAZARET_CHECK(call.check());
  // Trouble with it was told of the container that wants the volume.
  (void)leases_.intend(journal::Kind::container, content_.helper).ok();
  // Not cut short: a helper that appears after we have left would keep everybody waiting.
  const auto helper =
      engine::container::create(client_, content_.helper, helper_body(image, content_, labels),
                                Call{}.within(content_.bound));
  if (!helper.ok() && !is_lost(helper.error().code())) {
    leases_.settle(journal::Kind::container, content_.helper);  // it was refused: nothing was made
    const Errc code = helper.error().code();
    if (code == Errc::conflict || code == Errc::engine) return std::optional(helper.error());
    return helper.error();
  }
  Undo undo;
  undo.add([this] { dismiss(); });
  if (!helper.ok()) return helper.error();
  LAZARET_CHECK(upload(helper->id, call));
  return std::optional<Error>();
}

// WHY a look first: the name is everybody's, and whoever has it now may be another process.
void KeptVolume::dismiss() const {
  for (int count = 0; count < kAttempts; ++count) {
    if (!is_gone(Call{}.within(kVolumeBound))) continue;
    leases_.settle(journal::Kind::container, content_.helper);
    return;
  }
}

bool KeptVolume::is_gone(const Call& call) const {
  using engine::container::Volumes;
  const auto seen = engine::container::inspect(client_, content_.helper, call);
  if (!seen.ok()) return seen.error().code() == Errc::not_found;
  const auto labels = engine::labels_at(engine::member(*seen, "Config"), "Labels");
  const auto owner = labels.find(kInstanceLabel);
  if (owner == labels.end() || owner->second != leases_.owner().id) return true;
  return engine::container::remove(client_, content_.helper, Volumes::remove, call).ok();
}

Status KeptVolume::wait_for_other(const Call& call) const {
  using engine::container::Until;
  const Call bound = call.within(content_.bound);
  const auto seen = engine::container::inspect(client_, content_.helper, bound);
  // By its id: the name may be somebody else's by the time that this one is taken for dead.
  const std::string id = seen.ok() ? engine::text_at(*seen, "Id") : content_.helper;
  const auto gone = engine::container::wait(client_, id, Until::removed, bound);
  if (gone.ok()) return {};
  LAZARET_CHECK(call.check());
  if (gone.error().code() == Errc::not_found) {
    // WHY a pause: a name is taken a little before its container can be waited for, and the engine
    // has nothing else to wait on.
    (void)os::wait_ready({}, call.within(kBetweenLooks)).ok();
    return call.check();
  }
  if (gone.error().code() != Errc::timed_out) return gone.error();
  return engine::container::remove(client_, id, engine::container::Volumes::remove, call);
}

Status KeptVolume::upload(const std::string& helper, const Call& call) const {
  LAZARET_TRY(const bool done, ready(helper, call));
  if (done) return {};
  LAZARET_TRY(const http::BodySource tar, content_.tar());
  return engine::archive::put(client_, helper, content_.place, tar, call);
}

}  // namespace lazaret::backend::docker
