#pragma once

#include <memory>
#include <stop_token>

#include "backend/backend.hpp"
#include "egress/proxy.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"
#include "policy/spec.hpp"

namespace lazaret::core {

/// What leads out of a box whose spec has hosts; otherwise nothing. Errors: system.
[[nodiscard]] Result<std::unique_ptr<egress::Proxy>> way_out_of(backend::Box& box,
                                                                const policy::Spec& spec);

enum class Inside { over, goes_on };
/// Puts what was asked of the way out since the last run into a result, with warnings. Where
/// nothing of the run is left inside, what it has sent gets the time to go, unless it was ended,
/// and its connections are over.
void put_connections(ExecutionResult& result, egress::Proxy* way_out, Inside inside,
                     const std::stop_token& stop);

}  // namespace lazaret::core
