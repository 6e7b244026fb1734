#pragma once

#include <sys/types.h>

#include <vector>

#include "os/handle.hpp"

namespace lazaret::backend::native {

/// Has the calling process in a network namespace that is new, and names it. Invalid with errno.
[[nodiscard]] os::Handle make_network();

/// Empty network namespaces, each for one living box at a time. Making one and clearing it away
/// takes longer than all the rest of a box, so that one that a box has left as new serves again:
/// docs/decisions/0009-networks-used-again.md says why nothing can stay in it.
class Networks {
 public:
  Networks();
  /// Has the calling process, and so what it clones, in a namespace that nobody is in and nothing
  /// is left in. False with errno.
  [[nodiscard]] bool prepare();
  /// That of the box that was just cloned; the next one needs another.
  [[nodiscard]] os::Handle hand_out();
  /// That of a box that is over, to the last of its processes; or one in which there was none yet.
  void take_back(os::Handle network);
  /// Whether the calling process is in the namespace that it was in when this was made: in another
  /// one there may be a box.
  [[nodiscard]] bool is_at_home() const;

 private:
  [[nodiscard]] bool enter_used();

  ino_t home_;
  std::vector<os::Handle> used_;
  os::Handle current_;  // where we are, if nobody else has been there since it was last empty
};

}  // namespace lazaret::backend::native
