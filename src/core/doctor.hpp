#pragma once

#include <string>
#include <vector>

#include "backend/choose.hpp"
#include "core/service.hpp"
#include "policy/config.hpp"

namespace lazaret::core {

/// One language in one backend: whether its program could be started there.
struct RuntimeFact {
  std::string language;
  bool present = false;
  std::string note;  ///< its version, or why not
  std::vector<Evidence> evidence = {};  ///< of its programs, where it is not the backend's
};

/// One backend, tried by really making a box of it.
struct BackendReport {
  std::string name;
  bool usable = false;
  std::string runtime;
  std::string endpoint;
  std::vector<std::string> attempts;  ///< endpoints that did not serve, and why
  std::string problem;                ///< when it is not usable
  std::string hint;                   ///< the command or step that fixes it
  std::vector<backend::HostFact> host;
  std::vector<Evidence> evidence;
  std::vector<RuntimeFact> languages;
  std::vector<RuntimeFact> packages;  ///< what installs them, where there are any
};

struct Diagnosis {
  std::string chosen;  ///< what the configuration asks for
  std::vector<BackendReport> backends;
  /// Whether a run with this configuration would find a backend that satisfies it.
  bool ready = false;
};

/// Looks for every backend, makes a box in each that answers, starts each language in it and
/// destroys it: a prediction, made in the place where code would run, of what a run reports that
/// asks for what `asked` does; its program and language are not looked at.
[[nodiscard]] Diagnosis diagnose(const policy::Config& config, const ExecutionRequest& asked,
                                 const BackendFinder& finder, const Call& call);

}  // namespace lazaret::core
