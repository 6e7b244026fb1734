#include "os/handle.hpp"

#include <unistd.h>

namespace lazaret::os {

void close_handle(RawHandle raw) noexcept { ::close(raw); }

}  // namespace lazaret::os
