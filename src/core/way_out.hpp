#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "egress/proxy.hpp"
#include "lazaret/execution_result.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// What leads out of a box whose spec has hosts; otherwise nothing.
[[nodiscard]] std::unique_ptr<egress::Proxy> way_out_of(backend::Box& box,
                                                        const policy::Spec& spec);

/// Puts what a run has asked the way out for into its result, with a warning of what was denied.
void put_connections(ExecutionResult& result, egress::Proxy* way_out);

}  // namespace lazaret::core
