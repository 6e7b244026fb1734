#include "backend/docker/container.hpp"

#include <chrono>
#include <exception>
#include <functional>

#include "engine/container.hpp"
#include "engine/volume.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kRemoveBound{10};
constexpr int kAttempts = 2;

void attempt(const std::function<Status(const Call&)>& remove) {
  for (int count = 0; count < kAttempts; ++count) {
    if (remove(Call{}.within(kRemoveBound)).ok()) return;
  }
}

}  // namespace

Container::Container(std::shared_ptr<const engine::EngineClient> client, std::string name,
                     std::vector<std::string> volumes)
    : client_(std::move(client)), name_(std::move(name)), volumes_(std::move(volumes)) {}

// What is left after this carries our labels and is found by the collector of garbage.
Container::~Container() {
  try {
    attempt([this](const Call& call) {
      return engine::container::remove(*client_, name_, engine::container::Volumes::remove, call);
    });
    for (const std::string& volume : volumes_) {
      attempt([&](const Call& call) { return engine::volume::remove(*client_, volume, call); });
    }
  } catch (const std::exception&) {
    return;  // out of memory: nothing can be done about it here
  }
}

}  // namespace lazaret::backend::docker
