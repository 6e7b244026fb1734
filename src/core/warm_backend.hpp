#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "base/guarded.hpp"
#include "base/turn.hpp"
#include "pool/pool.hpp"

namespace lazaret::core {

/// Boxes that wait, and those that are going; with what went wrong unseen. Thread-safe.
class Stock {
 public:
  explicit Stock(const pool::Bounds& bounds) : pool(bounds) {}

  /// Told to whoever listens; else kept for the next user's warnings, up to a bound.
  void complain(std::string what);
  /// What was complained of since they were last asked for.
  [[nodiscard]] std::vector<std::string> complaints();
  /// Set before others use this; called by any thread.
  std::function<void(const std::string& what)> listener;

 private:
  Guarded<std::vector<std::string>> complaints_;

 public:
  pool::Pool pool;  // last: what it destroys may still complain
};

/// What is to be known of a box that was made ahead.
struct MadeAhead {
  std::uint64_t own_cpu_ms = 0;  ///< nobody's: of its making, and of an interpreter's start
  bool has_interpreter = false;
};

/// A backend whose boxes were made ahead where they could be: verified like any other, waiting for
/// a job, never used before. Where none waits it makes one as the backend inside does, so many at a
/// time: whoever has to wait for that looks once more for one that was made ahead. All of them
/// but those that are kept are ended and removed in the background, once the run is answered for;
/// what fails there is a warning of a later run, unless somebody listens.
class WarmBackend final : public backend::Backend {
 public:
  WarmBackend(std::shared_ptr<backend::Backend> inside, pool::Bounds bounds,
              unsigned most_opening = 8);

  [[nodiscard]] std::string name() const override { return inside_->name(); }
  [[nodiscard]] std::string runtime() const override { return inside_->runtime(); }
  [[nodiscard]] std::vector<backend::HostFact> host() const override { return inside_->host(); }
  [[nodiscard]] Result<std::unique_ptr<backend::Box>> open(const policy::Spec& spec,
                                                           const Call& call) override;
  [[nodiscard]] std::chrono::milliseconds default_grace() const override {
    return inside_->default_grace();
  }
  [[nodiscard]] bool has_images() const override { return inside_->has_images(); }
  [[nodiscard]] Result<std::string> interpreter(const policy::Spec& spec,
                                                const Call& call) const override {
    return inside_->interpreter(spec, call);
  }
  /// Has so many boxes wait for runs as this one, whether any have come or not.
  void keep(const policy::Spec& spec, std::size_t count);
  /// What goes wrong behind an answer is told to him. Before others use this.
  void tell(std::function<void(const std::string& what)> listener) {
    stock_->listener = std::move(listener);
  }
  [[nodiscard]] pool::Counts counts() const { return stock_->pool.counts(); }
  /// With kinds as they may be shown, and in that order.
  [[nodiscard]] std::vector<pool::Stand> stands() const { return stock_->pool.stands(); }

 private:
  [[nodiscard]] pool::Make maker_of(const policy::Spec& spec);
  struct Opened {
    std::unique_ptr<backend::Box> box = {};
    std::optional<MadeAhead> ahead = {};
    bool is_unsure = false;  // no box: there is one that nobody could tell to be fit
  };
  [[nodiscard]] Opened take(const std::string& kind, const Call& call, pool::Demand demand);
  [[nodiscard]] Result<Turn::Held> turn_to_open(const Call& call);
  [[nodiscard]] Result<Opened> take_or_open(const policy::Spec& spec, const Call& call);

  std::shared_ptr<backend::Backend> inside_;
  std::shared_ptr<Stock> stock_;
  Turn opening_;  // of those who make a box because they need it now
};

/// Two specs with the same kind get the same box with the same evidence: all of a spec but what is
/// handed over with the job, the program's arguments and files. Has its environment in it.
[[nodiscard]] std::string kind_of_box(const policy::Spec& spec);
/// Its language and a digest, another one in each process: what may be shown of it.
[[nodiscard]] std::string shown(const std::string& kind);

}  // namespace lazaret::core
