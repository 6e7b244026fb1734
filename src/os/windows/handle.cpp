#include "os/handle.hpp"

#include "os/windows/sdk.hpp"

namespace lazaret::os {

void close_handle(RawHandle raw) noexcept { ::CloseHandle(raw); }

}  // namespace lazaret::os
