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
constexpr int kAttempts = 2;
constexpr std::size_t kMostRemains = 4096;  // the rest is known by its labels

}  // namespace

Status Remains::remove(const engine::EngineClient& client, const BoxNames& names,
                       const Call& call) const {
  using engine::container::Volumes;
  LAZARET_CHECK(engine::container::remove(client, names.container, Volumes::remove, call));
  leases_->settle(journal::Kind::container, names.container);
  for (const std::string& volume : names.volumes) {
    LAZARET_CHECK(engine::volume::remove(client, volume, call));
    leases_->settle(journal::Kind::volume, volume);
  }
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
    if (!remove(client, names, call).ok()) keep(std::move(names));
  }
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
      if (remove(Call{}.within(kRemoveBound)).ok()) return;
    }
    remains_->keep(std::move(names_));
  } catch (const std::exception&) {
    return;  // out of memory: nothing can be done about it here
  }
}

}  // namespace lazaret::backend::docker
