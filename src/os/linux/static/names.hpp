#pragma once

/// What libstdc++'s headers, which were configured for glibc, and our own sources expect of the C
/// library beyond what musl has. Included before all else when a static program is compiled
/// (cmake/static_program.cmake).

#define __GLIBC_PREREQ(major, minor) 0
#define __locale_t locale_t

#include <bits/c++config.h>
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK

// Only the declarations of locales name these, and no static program has locales.
enum : unsigned short {
  _ISupper = 1 << 0,
  _ISlower = 1 << 1,
  _ISalpha = 1 << 2,
  _ISdigit = 1 << 3,
  _ISxdigit = 1 << 4,
  _ISspace = 1 << 5,
  _ISprint = 1 << 6,
  _ISgraph = 1 << 7,
  _ISblank = 1 << 8,
  _IScntrl = 1 << 9,
  _ISpunct = 1 << 10,
  _ISalnum = 1 << 11,
};

/// Untranslated text for an errno, as glibc 2.32 has it.
extern "C" const char* strerrordesc_np(int code) noexcept;
