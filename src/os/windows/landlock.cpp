#include "os/landlock.hpp"

namespace lazaret::os {

Result<std::uint32_t> restrict_access() {
  return Error(Errc::unsupported, "Landlock is a facility of Linux");
}

}  // namespace lazaret::os
