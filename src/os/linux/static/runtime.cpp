// What a static program needs of the C++ library's compiled half. That half is made for glibc, so
// programs over musl bring their own: memory that is never there ends the process, and so does
// what would be an exception. As init of a pid namespace too, where SIGABRT alone would be ignored:
// abort(3) then executes what no processor accepts.

#include <time.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace std {

void __throw_bad_alloc() { std::abort(); }
void __throw_bad_array_new_length() { std::abort(); }
void __throw_length_error(const char*) { std::abort(); }
void __throw_logic_error(const char*) { std::abort(); }
void __throw_out_of_range(const char*) { std::abort(); }
void __throw_out_of_range_fmt(const char*, ...) { std::abort(); }
void __throw_system_error(int) { std::abort(); }
void __glibcxx_assert_fail(const char*, int, const char*, const char*) noexcept { std::abort(); }

}  // namespace std

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

// musl has a text for every number; there is no other use of an errno's text than to print it.
const char* strerrordesc_np(int code) noexcept { return std::strerror(code); }
