#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "engine/client.hpp"

namespace lazaret::backend::docker {

/// The name of a container that may exist, and of the volumes that live as long as it. Made before
/// either is asked for, so that a lost answer leaves nothing behind; the destructor removes them on
/// connections of their own and within a bound of its own.
class Container {
 public:
  /// WHY shared: a box may outlive the backend that made it.
  Container(std::shared_ptr<const engine::EngineClient> client, std::string name,
            std::vector<std::string> volumes);
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  /// Removes the container and its volumes; those that are gone already are a success.
  [[nodiscard]] Status remove(const Call& call);

  [[nodiscard]] const engine::EngineClient& client() const noexcept { return *client_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::shared_ptr<const engine::EngineClient> client_;
  std::string name_;
  std::vector<std::string> volumes_;
  bool removed_ = false;
};

}  // namespace lazaret::backend::docker
