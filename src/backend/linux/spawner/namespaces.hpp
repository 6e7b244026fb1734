#pragma once

#include <sys/types.h>

namespace lazaret::backend::native {

/// Which namespace the calling process is in, by its link in /proc/self/ns (namespaces(7): two are
/// the same if and only if their numbers are); 0 with errno.
[[nodiscard]] ino_t own_namespace(const char* link) noexcept;
/// unshare(2) of one kind. Looked at as well: a filter that we stand under may answer with a
/// success that did nothing. False with errno.
[[nodiscard]] bool leave_namespace(int kind, const char* link) noexcept;

}  // namespace lazaret::backend::native
