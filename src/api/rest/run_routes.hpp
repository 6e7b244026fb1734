#pragma once

#include "api/rest/desk.hpp"
#include "api/rest/visitor.hpp"

/// What is served of runs, those among them that nobody waits for.
namespace lazaret::rest {

void start_run(Desk& desk, const VisitorPointer& visitor);
void list_runs(Desk& desk, const VisitorPointer& visitor);
void show_run(Desk& desk, const VisitorPointer& visitor);
void show_output(Desk& desk, const VisitorPointer& visitor);
void signal_run(Desk& desk, const VisitorPointer& visitor);
void cancel_run(Desk& desk, const VisitorPointer& visitor);

}  // namespace lazaret::rest
