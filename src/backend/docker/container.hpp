#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/leases.hpp"
#include "base/call.hpp"
#include "base/guarded.hpp"
#include "engine/client.hpp"

namespace lazaret::backend::docker {

/// What a box consists of on its engine.
struct BoxNames {
  std::string container;
  std::vector<std::string> volumes;
  /// An engine goes on with what nobody waits for any more: what is not there yet may still come,
  /// until a while after it has answered again.
  bool may_come = false;
  Deadline comes_by = Deadline::never();
};

/// What could not be removed when its turn came, because the engine was away: kept, up to a bound,
/// for a better time. Thread-safe.
class Remains {
 public:
  explicit Remains(std::shared_ptr<const Leases> leases) : leases_(std::move(leases)) {}

  /// The box's container and volumes, and then their leases, if nothing more may come.
  [[nodiscard]] Status remove(const engine::EngineClient& client, const BoxNames& names,
                              const Call& call) const;
  void keep(BoxNames names);
  /// Tries again; what fails is kept.
  void clear_away(const engine::EngineClient& client, const Call& call);

 private:
  [[nodiscard]] bool is_gone(const engine::EngineClient& client, BoxNames& names,
                             const Call& call) const;

  std::shared_ptr<const Leases> leases_;
  Guarded<std::vector<BoxNames>> names_;
};

/// The name of a container that may exist, and of the volumes that live as long as it. Made before
/// either is asked for, so that a lost answer leaves nothing behind; the destructor removes them on
/// connections of their own and within a bound of its own, or leaves them to the remains.
class Container {
 public:
  /// WHY shared, both: a box may outlive the backend that made it.
  Container(std::shared_ptr<const engine::EngineClient> client, std::shared_ptr<Remains> remains,
            BoxNames names);
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  /// Removes the container and its volumes; those that are gone already are a success.
  [[nodiscard]] Status remove(const Call& call);
  /// Something of it was asked for, and no answer came.
  void expect_late() noexcept { names_.may_come = true; }

  [[nodiscard]] const engine::EngineClient& client() const noexcept { return *client_; }
  [[nodiscard]] const std::string& name() const noexcept { return names_.container; }

 private:
  std::shared_ptr<const engine::EngineClient> client_;
  std::shared_ptr<Remains> remains_;
  BoxNames names_;
  bool removed_ = false;
};

}  // namespace lazaret::backend::docker
