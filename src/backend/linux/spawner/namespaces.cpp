#include "backend/linux/spawner/namespaces.hpp"

#include <sched.h>
#include <sys/stat.h>

#include <cerrno>

#include "backend/linux/spawner/step.hpp"

namespace lazaret::backend::native {

ino_t own_namespace(const char* link) noexcept {
  struct stat facts {};
  return done(::stat(link, &facts)) ? facts.st_ino : 0;
}

bool leave_namespace(int kind, const char* link) noexcept {
  const ino_t before = own_namespace(link);
  if (before == 0 || !done(::unshare(kind))) return false;
  errno = EPERM;
  return own_namespace(link) != before;
}

}  // namespace lazaret::backend::native
