#pragma once

#include <utility>

namespace lazaret::os {

/// The system's own name of an open thing: a descriptor, or a HANDLE as an integer.
#ifdef _WIN32
using RawHandle = void*;
inline const RawHandle kNoHandle = reinterpret_cast<RawHandle>(-1);
#else
using RawHandle = int;
inline constexpr RawHandle kNoHandle = -1;
#endif

/// Closes what `raw` names; errors are ignored, as close(2) leaves nothing to retry.
void close_handle(RawHandle raw) noexcept;

/// Owns one open descriptor or HANDLE.
class Handle {
 public:
  Handle() = default;
  explicit Handle(RawHandle raw) noexcept : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, kNoHandle)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.raw_, kNoHandle));
    return *this;
  }
  ~Handle() { reset(); }

  [[nodiscard]] RawHandle get() const noexcept { return raw_; }
  [[nodiscard]] bool valid() const noexcept { return raw_ != kNoHandle; }
  [[nodiscard]] RawHandle release() noexcept { return std::exchange(raw_, kNoHandle); }
  void reset(RawHandle raw = kNoHandle) noexcept {
    if (raw_ != kNoHandle) close_handle(raw_);
    raw_ = raw;
  }

 private:
  RawHandle raw_ = kNoHandle;
};

}  // namespace lazaret::os
