#include "os/windows/wait.hpp"

#include <algorithm>
#include <cstdint>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

// A std::stop_callback would ring at once, but cannot be relied upon: base/condition.hpp.
constexpr DWORD kGlance = 10;  // milliseconds

DWORD timeout_of(const Call& call) {
  const DWORD most = call.stop.stop_possible() ? kGlance : INFINITE - 1;
  const auto left = call.deadline.left();
  return left ? static_cast<DWORD>(std::min<std::int64_t>(left->count(), most)) : most;
}

}  // namespace

Result<Handle> make_event() {
  const HANDLE event = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (event == nullptr) return last_error("CreateEvent");
  return Handle(event);
}

Status wait_for(RawHandle object, const Call& call) {
  for (;;) {
    if (call.stop.stop_requested()) return call.check();
    const DWORD answer = ::WaitForSingleObject(object, timeout_of(call));
    if (answer == WAIT_OBJECT_0) return {};
    if (answer == WAIT_FAILED) return last_error("WaitForSingleObject");
    LAZARET_CHECK(call.check());
  }
}

}  // namespace lazaret::os
