#pragma once

#include <utility>

#include "lazaret/result.hpp"

/// Returns the error of `expression` from the enclosing function, if it has one.
#define LAZARET_CHECK(expression)                                   \
  do {                                                              \
    if (auto lazaret_status = (expression); !lazaret_status.ok()) { \
      return std::move(lazaret_status).error();                     \
    }                                                               \
  } while (false)

#define LAZARET_JOIN_(a, b) a##b
#define LAZARET_JOIN(a, b) LAZARET_JOIN_(a, b)
#define LAZARET_TRY_(declaration, temporary, expression)    \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  declaration = std::move(temporary).value()

/// `LAZARET_TRY(auto value, expression)`: the value, or return the error.
#define LAZARET_TRY(declaration, expression) \
  LAZARET_TRY_(declaration, LAZARET_JOIN(lazaret_result_, __LINE__), expression)
