#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/one_run.hpp"
#include "lazaret/session.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// What a session knows of its contexts. For who uses the session.
class Contexts {
 public:
  /// Makes the spec's cell the next one of its context, where it has one. Errors: conflict, for one
  /// that is begun otherwise or too many; backend_unavailable, once, for one that was lost.
  [[nodiscard]] Status enter(policy::Spec& spec);
  /// What became of that run, in its result too.
  void note(const policy::Spec& spec, OneRun& run);
  [[nodiscard]] std::vector<ContextState> list() const;
  [[nodiscard]] bool has_living() const;
  /// Whether it was there.
  bool forget(const std::string& name) { return all_.erase(name) > 0; }

 private:
  [[nodiscard]] std::size_t count_lost() const;
  struct Known {
    std::uint32_t cells = 0;
    bool lost = false;  // and nobody has been told
    std::string language;
    std::size_t conditions = 0;  // a hash of what holds for all of its cells
  };

  std::map<std::string, Known> all_;
};

}  // namespace lazaret::core
