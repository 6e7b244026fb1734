#pragma once

#include <dlfcn.h>

/// Shared libraries that are used where they are installed, by those who need them, and that cost
/// nobody's start anything.
namespace lazaret::os {

/// Loads a library for the rest of this process's life (dlopen(3)). Null where there is none.
[[nodiscard]] inline void* open_library(const char* name) noexcept {
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/// Whether the library has a function of this name, which `function` then points to.
template <typename Function>
[[nodiscard]] bool find_function(void* library, const char* name, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace lazaret::os
