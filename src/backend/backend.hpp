#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "base/wire.hpp"
#include "lazaret/control.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"
#include "os/handle.hpp"
#include "policy/spec.hpp"

namespace lazaret::backend {

/// What the outside saw of a box once it was over.
struct Autopsy {
  Usage usage;
  std::uint32_t survivors = 0;  ///< processes of the box still alive
};

/// Whether a box that has waited is like one that were made now.
enum class Currency { current, outdated, unknown };

/// A verified place to run a program in, or a session's, one after another: it has never run
/// foreign code before, and is destroyed afterwards. The destructor leaves nothing behind, within a
/// bound of its own.
class Box {
 public:
  Box() = default;
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  virtual ~Box() = default;

  /// The stream to the runner, which has already said hello and has been believed.
  [[nodiscard]] virtual Wire& wire() = 0;
  [[nodiscard]] virtual const std::vector<Evidence>& evidence() const = 0;
  /// What its image sets for its programs, as "NAME=value"; nothing where there is none.
  [[nodiscard]] virtual std::span<const std::string> image_variables() const { return {}; }
  /// Things the user should know that stop nothing.
  [[nodiscard]] virtual const std::vector<std::string>& warnings() const = 0;
  /// A socket that listens within the box, on its own loopback at policy::kWayOutPort: accepting is
  /// the caller's. Of a box whose spec has hosts, once; otherwise none.
  [[nodiscard]] virtual os::Handle take_way_out() { return os::Handle(); }
  /// Ends every process of the box from outside and waits until they are gone. Idempotent.
  [[nodiscard]] virtual Status kill(const Call& call) = 0;
  /// Has the box begin to end, for whoever disposes of it later to wait less. Never waits.
  virtual void doom() noexcept {}
  /// Ends the box and removes everything of it: container, volumes, cgroup. Idempotent; what fails
  /// here is worth a warning, and is tried once more by the destructor.
  [[nodiscard]] virtual Status dispose(const Call& call) = 0;
  /// Reads the counters, usage and survivors; may end the box, if only its end can tell them.
  [[nodiscard]] virtual Autopsy autopsy(const Call& call) = 0;
  /// What the counters say of a program that has ended by itself, while the box is still there;
  /// nothing where only the box's end can tell.
  [[nodiscard]] virtual std::optional<Autopsy> counters() { return std::nullopt; }
  /// Processes of the box beside its first, as seen from outside; nothing where they cannot be.
  [[nodiscard]] virtual std::optional<std::uint32_t> others() { return std::nullopt; }
  /// Whether one made now would show the same of the host and be of the same image; unknown where
  /// that is not told within the call.
  [[nodiscard]] virtual Currency currency(const Call&) const { return Currency::current; }
  /// What its runner took when it greeted, before anything else ran in the box; 0: not known.
  [[nodiscard]] virtual std::uint64_t resting_bytes() const noexcept { return 0; }
  /// Whether it was there before it was asked for.
  [[nodiscard]] virtual bool is_made_ahead() const { return false; }
  /// Whether an interpreter waits in it, which is handed its program.
  [[nodiscard]] virtual bool has_interpreter() const { return false; }
  /// Whether somebody sees to the end of the box after its last user, so that an answer need not
  /// wait for it.
  [[nodiscard]] virtual bool ends_later() const { return false; }
};

enum class Presence { there, missing };

/// Something that boxes stand on, and what their host has of it.
struct HostFact {
  std::string name;
  Presence presence = Presence::missing;
  std::string note;  ///< where and how much, or why not
  std::string fix;   ///< the command or step that brings what is missing
};

/// A way to hold foreign code. Thread-safe.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// "native", "docker" or "podman".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string runtime() const = 0;
  /// What decides what boxes can be held by, of this host or, by its own word, of the engine's.
  [[nodiscard]] virtual std::vector<HostFact> host() const { return {}; }
  /// Makes a box, verifies it and hands it over. Errors: enforcement_mismatch when a required
  /// control is missing, image_missing, connection_lost, timed_out, cancelled, …
  [[nodiscard]] virtual Result<std::unique_ptr<Box>> open(const policy::Spec& spec,
                                                          const Call& call) = 0;
  /// What runs programs of the spec's language in its boxes, told apart from another of the same
  /// name: what is installed for one need not do for the other. Empty where there is none. Errors:
  /// image_missing, and those of an engine.
  [[nodiscard]] virtual Result<std::string> interpreter(const policy::Spec&, const Call&) const {
    return std::string();
  }
  /// Whether boxes are made of images. Natively they are made of this machine.
  [[nodiscard]] virtual bool has_images() const { return true; }
  /// Boxes are going to be made ahead: from now on it hears of changes, where it can, so that
  /// currency() need not ask for each. Idempotent.
  virtual void keep_watch() {}
  /// How long a program may take to obey TERM when the caller has not said.
  [[nodiscard]] virtual std::chrono::milliseconds default_grace() const = 0;
};

}  // namespace lazaret::backend
