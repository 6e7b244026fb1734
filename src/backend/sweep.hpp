#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "backend/choose.hpp"
#include "base/call.hpp"

/// What processes of Lazaret that are no more have left outside of them.
namespace lazaret::backend {

enum class Fate {
  removed,
  found,    ///< it would be removed
  left,     ///< not ours to remove
  failed,   ///< it is there, or may be, and could not be removed
  pending,  ///< asked for moments before its process died: the engine may still make or list it
};
[[nodiscard]] std::string_view name_of(Fate fate) noexcept;

struct Finding {
  std::string kind;   ///< "container", "volume", "directory", "cgroup", "engine", "journal"
  std::string place;  ///< the engine's endpoint; empty for this machine
  std::string name;
  std::uint32_t pid = 0;  ///< of the process that made it; 0 when nothing is known of it
  Fate fate = Fate::left;
  std::string why = {};   ///< it was not removed
  std::string hint = {};  ///< what to do about it
};

enum class Act { remove, look };
/// What becomes of rows that speak of an engine which does not answer.
enum class Unreachable { keep, forget };
/// Which engines are asked: those that can be found, too, or those alone on which the journal knows
/// of something that a dead process has left.
enum class Engines { all, owing };

struct SweepOptions {
  Act act = Act::remove;
  Unreachable unreachable = Unreachable::keep;
  Engines engines = Engines::all;
};

/// Goes through the engines that can be found, those of the journal, cgroups and directories, and
/// waits ten seconds at most for what may still be on its way. A container or volume is removed
/// when its labels say that a process of this user on this machine made it and is dead, and never
/// by its name alone; the journal says where to look and what may still come. What lives well is
/// not mentioned.
[[nodiscard]] std::vector<Finding> sweep(const Surroundings& surroundings,
                                         const SweepOptions& options, const Call& call);

/// Whether the journal knows of something that a dead process may have left. Asks no engine.
[[nodiscard]] bool is_anything_left(const Surroundings& surroundings);

/// Directories in which dead processes were making packages, by the journal; sweep() forgets those
/// that are gone.
[[nodiscard]] std::vector<std::filesystem::path> stagings_left(const Surroundings& surroundings);

class Leases;
/// The part of it that is this operating system's own. Settles the leases of what is gone.
[[nodiscard]] std::vector<Finding> sweep_native(const Leases& leases, Act act, const Call& call);

}  // namespace lazaret::backend
