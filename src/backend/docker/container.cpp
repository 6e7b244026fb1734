#include "backend/docker/container.hpp"

#include <chrono>
#include <exception>

#include "base/try.hpp"
#include "engine/container.hpp"
#include "engine/volume.hpp"

namespace lazaret::backend::docker {
namespace {

constexpr std::chrono::seconds kRemoveBound{10};
constexpr int kAttempts = 2;

}  // namespace

Container::Container(std::shared_ptr<const engine::EngineClient> client, std::string name,
                     std::vector<std::string> volumes)
    : client_(std::move(client)), name_(std::move(name)), volumes_(std::move(volumes)) {}

Status Container::remove(const Call& call) {
  if (removed_) return {};
  using engine::container::Volumes;
  LAZARET_CHECK(engine::container::remove(*client_, name_, Volumes::remove, call));
  for (const std::string& volume : volumes_) {
    LAZARET_CHECK(engine::volume::remove(*client_, volume, call));
  }
  removed_ = true;
  return {};
}

// What is left after this carries our labels.
Container::~Container() {
  try {
    for (int count = 0; count < kAttempts; ++count) {
      if (remove(Call{}.within(kRemoveBound)).ok()) return;
    }
  } catch (const std::exception&) {
    return;  // out of memory: nothing can be done about it here
  }
}

}  // namespace lazaret::backend::docker
