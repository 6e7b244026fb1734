#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lazaret::journal {

/// A process, told apart from every other one that ever ran on any machine, so that what a dead one
/// has left behind can be found and removed (P-45).
struct Owner {
  std::string id;  ///< random, sixteen hex digits
  std::uint32_t pid = 0;
  std::string started = {};     ///< clock ticks since boot, as /proc/PID/stat has them
  std::string boot = {};        ///< hash of the machine's boot id
  std::string namespaces = {};  ///< where pid and started mean something: "PIDNS.TIMENS"
  std::string machine = {};     ///< hash of machine-id(5) and host name; empty where there is none
  std::uint64_t user = 0;       ///< effective user id
};

/// The calling process; what this system does not tell is empty. Draws a new random id each time.
[[nodiscard]] Owner this_process();

/// Field 22 of a text of /proc/PID/stat, proc(5); nothing for a zombie, which has ended (P-06).
[[nodiscard]] std::optional<std::string> started_in(const std::string& stat);
/// When the process with that number was started; nothing when there is none.
[[nodiscard]] std::optional<std::string> start_of(std::uint32_t pid);
/// The calling process's; empty where /proc is another pid namespace's.
[[nodiscard]] std::string own_start();
/// The calling process's pid and time namespaces.
[[nodiscard]] std::string own_namespaces();

enum class Standing {
  alive,
  dead,
  other_user,
  other_machine,
  other_namespace,  ///< a container's, mostly: its numbers mean nothing here
  unknown,          ///< too little is said of it, or known here
};
/// Why a thing of such an owner is not touched, for people; empty for a dead one's.
[[nodiscard]] std::string reason_of(Standing standing, const Owner& owner);

using StartOf = std::function<std::optional<std::string>(std::uint32_t pid)>;
/// What `here` can say for certain. A number that has been given again is not its owner (P-05).
[[nodiscard]] Standing standing_of(const Owner& owner, const Owner& here,
                                   const StartOf& start = start_of);

}  // namespace lazaret::journal
