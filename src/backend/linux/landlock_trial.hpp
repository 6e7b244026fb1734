#pragma once

#include <cstdint>

namespace lazaret::backend::native {

/// What this kernel's Landlock holds once it is asked to, seen by a child that tries (landlock(7)).
struct LandlockTrial {
  std::uint32_t version = 0;  ///< of the interface; 0: there is none
  bool was_tried = false;     ///< otherwise it is not known what it holds
  bool files = false;         ///< opening one is refused
  bool sockets = false;       ///< so is connecting to an abstract one of somebody outside
  bool signals = false;       ///< and a signal to somebody outside
};

[[nodiscard]] LandlockTrial try_landlock();

}  // namespace lazaret::backend::native
