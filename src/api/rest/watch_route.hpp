#pragma once

#include "api/rest/desk.hpp"
#include "api/rest/visitor.hpp"

namespace lazaret::rest {

/// What changes in a session's files, as server-sent events (HTML, 9.2): `begun`, `created`,
/// `written`, `removed`, `moved` and `missed` with what has changed, and `ended` with why, the
/// last one, when the session has.
void watch_files(Desk& desk, const VisitorPointer& visitor);

}  // namespace lazaret::rest
