#include "os/windows/wait.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/try.hpp"
#include "os/error.hpp"
#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

DWORD timeout_of(const Call& call) {
  const auto left = call.deadline.left();
  if (!left) return INFINITE;
  // The largest value means for ever; a longer wait comes back here and goes on.
  return static_cast<DWORD>(std::min<std::int64_t>(left->count(), INFINITE - 1));
}

// The first object wins when several are signalled.
Status wait_until(std::span<const RawHandle> objects, const Call& call) {
  const auto count = static_cast<DWORD>(objects.size());
  for (;;) {
    const DWORD which = ::WaitForMultipleObjects(count, objects.data(), FALSE, timeout_of(call));
    if (which == WAIT_OBJECT_0) return {};
    if (which == WAIT_FAILED) return last_error("WaitForMultipleObjects");
    LAZARET_CHECK(call.check());
  }
}

}  // namespace

Result<Handle> make_event() {
  const HANDLE event = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (event == nullptr) return last_error("CreateEvent");
  return Handle(event);
}

Status wait_for(RawHandle object, const Call& call) {
  if (!call.stop.stop_possible()) return wait_until(std::array{object}, call);
  LAZARET_CHECK(call.check());
  LAZARET_TRY(const Handle bell, make_event());
  const std::stop_callback ring(call.stop, [&bell] { (void)::SetEvent(bell.get()); });
  return wait_until(std::array{object, bell.get()}, call);
}

}  // namespace lazaret::os
