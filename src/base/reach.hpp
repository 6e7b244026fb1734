#pragma once

#include <memory>
#include <utility>

#include "base/guarded.hpp"

namespace lazaret {

/// Lets functions that others keep reach something as long as this exists, and do nothing later.
template <typename T>
class Reach {
 public:
  explicit Reach(T& target) {
    known_->with([&target](T*& known) { known = &target; });
  }
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;
  ~Reach() {
    known_->with([](T*& known) { known = nullptr; });
  }

  /// A function for others: use(target, arguments…), which must be bounded, for it is called under
  /// a lock so that the target outlives it.
  template <typename Use>
  [[nodiscard]] auto by(Use use) const {
    return [known = known_, use = std::move(use)](auto... arguments) {
      known->with([&](T* target) {
        if (target != nullptr) use(*target, arguments...);
      });
    };
  }

 private:
  // Shared with the functions that others keep.
  std::shared_ptr<Guarded<T*>> known_ = std::make_shared<Guarded<T*>>(nullptr);
};

}  // namespace lazaret
