#pragma once

#include <string>
#include <utility>

#include "lazaret/result.hpp"

namespace lazaret::policy {

/// What was asked for cannot be had as it was said.
[[nodiscard]] inline Error invalid(std::string message) {
  return Error(Errc::invalid_argument, std::move(message));
}

}  // namespace lazaret::policy
