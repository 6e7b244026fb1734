#include "backend/docker/container.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "base/try.hpp"
#include "engine/container.hpp"
#include "engine/volume.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kRemoveBound{10};
constexpr std::chrono::seconds kOnItsWay{10};  // as for what the dead have asked for
constexpr int kAttempts = 2;
constexpr std::size_t kMostRemains = 4096;  // the rest is known by its labels

}  // namespace

Status Remains::remove(const engine::EngineClient& client, const BoxNames& names,
                       const Call& call) const {
  using engine::container::Volumes;
  LAZARET_CHECK(engine::container::remove(client, names.container, Volumes::remove, call));
  for (const std::string& volume : names.volumes)
    LAZARET_CHECK(engine::volume::remove(client, volume, call));
  if (names.may_come) return {};
  leases_->settle(journal::Kind::container, names.container);
  for (const std::string& volume : names.volumes) leases_->settle(journal::Kind::volume, volume);
  return {};
}

void Remains::keep(BoxNames names) {
  names_.with([&names](auto& all) {
    if (all.size() < kMostRemains) all.push_back(std::move(names));
  });
}

void Remains::clear_away(const engine::EngineClient& client, const Call& call) {
  auto all = names_.with([](auto& kept) { return std::exchange(kept, {}); });
  for (BoxNames& names : all) {
    if (!is_gone(client, names, call)) keep(std::move(names));
  }
}

bool Remains::is_gone(const engine::EngineClient& client, BoxNames& names, const Call& call) const {
  if (names.comes_by.passed()) names.may_come = false;
  if (!remove(client, names, call).ok()) return false;
  if (names.comes_by.is_never()) names.comes_by = Deadline::after(kOnItsWay);
  return !names.may_come;
}

Container::Container(std::shared_ptr<const engine::EngineClient> client,
                     std::shared_ptr<Remains> remains, BoxNames names)
    : client_(std::move(client)), remains_(std::move(remains)), names_(std::move(names)) {}

Status Container::remove(const Call& call) {
  if (removed_) return {};
  LAZARET_CHECK(remains_->remove(*client_, names_, call));
  removed_ = true;
  return {};
}

// What is left after this carries our labels, and stands in the journal.
Container::~Container() {
  try {
    for (int count = 0; count < kAttempts; ++count) {
      if (remove(Call{}.within(kRemoveBound)).ok()) break;
    }
    if (!removed_ || names_.may_come) remains_->keep(std::move(names_));
  } catch (const std::exception&) {
    return;  // out of memory: nothing can be done about it here
  }
}

}  // namespace lazaret::backend::docker
