#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "integration/support.hpp"

namespace lazaret::test {

/// Who makes a box: Lazaret with its threads and what it starts, once it is asked; the spawner, the
/// first process of its pid namespace, the first process of the box, and the child of it that is to
/// become the program. The test itself and programs of others (newuidmap) are none of them.
enum class Role { other, lazaret, spawner, ground, box, program };

/// The `nth` call of one number by one role, counted from 1.
struct CallSite {
  Role role = Role::lazaret;
  long number = -1;
  unsigned nth = 0;
  auto operator<=>(const CallSite&) const = default;
};

/// A system call that is not made: its caller is told `result` (an errno as a negative number)
/// instead; of write(2), 0 pretends that all was written. What another program's filter or a
/// strange kernel could do to us.
struct FailedCall {
  CallSite at;
  long result = 0;
};

using Arguments = std::span<const std::uint64_t, 6>;
/// What a call is answered with that is not made, as the `result` of a FailedCall. Unset: it is
/// made.
using Answer = std::function<std::optional<long>(const CallSite&, Arguments)>;

/// What is taken away from a call that is made, so that its caller believes to have it.
struct Weakening {
  Role role = Role::ground;
  std::uint64_t flags = 0;  ///< of each clone3(2): namespaces that are not made
  std::string mount = {};   ///< of each mount(2) there: what its options bound, by numbers
};

/// One native run under ptrace(2).
struct Observed {
  std::vector<CallSite> calls;  ///< of the set-up: until the program was executed
  bool hit = false;             ///< a call was not made
  bool executed = false;        ///< the program was
  bool overdue = false;         ///< it had to be ended by us
  std::string outside;          ///< the program's /proc/PID/status, as this process reads it
  std::string mounted;          ///< what the run has left in the caller's mount namespace
  std::string renamed;          ///< the caller's host name, should the run have changed it
  Json result;                  ///< null when the caller did not live to tell
};

/// Runs `request` as `caller` in a child whose mounts and host name, when we are root, are its own
/// but shared with what it starts: a step that escapes is seen and hurts nobody.
[[nodiscard]] Observed observe_run(Caller caller, const ExecutionRequest& request,
                                   const Answer& answer = {}, const Weakening& weakening = {});
/// A run in which this call fails. Who makes others runs freely, and all do once it has failed:
/// `calls` tells of none.
[[nodiscard]] Observed observe_fault(Caller caller, const ExecutionRequest& request,
                                     const FailedCall& fault);
/// This processor's calls can be changed.
[[nodiscard]] bool can_inject();

}  // namespace lazaret::test
