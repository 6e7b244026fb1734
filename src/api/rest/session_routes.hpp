#pragma once

#include <string_view>

#include "api/rest/desk.hpp"
#include "api/rest/visitor.hpp"

/// What is served of sessions, but for their runs, which are runs like others.
namespace lazaret::rest {

/// What a directory is as a whole, both ways.
inline constexpr std::string_view kTarType = "application/x-tar";

void open_session(Desk& desk, const VisitorPointer& visitor);
void list_sessions(Desk& desk, const VisitorPointer& visitor);
void show_session(Desk& desk, const VisitorPointer& visitor);
void close_session(Desk& desk, const VisitorPointer& visitor);
void put_files(Desk& desk, const VisitorPointer& visitor);
void get_files(Desk& desk, const VisitorPointer& visitor);
void change_files(Desk& desk, const VisitorPointer& visitor);
void remove_files(Desk& desk, const VisitorPointer& visitor);
void list_contexts(Desk& desk, const VisitorPointer& visitor);
void end_context(Desk& desk, const VisitorPointer& visitor);

}  // namespace lazaret::rest
