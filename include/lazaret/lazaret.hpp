#pragma once

/// Everything a program that runs foreign code needs.
#include "lazaret/confinement.hpp"
#include "lazaret/control.hpp"
#include "lazaret/error.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/limits.hpp"
#include "lazaret/request.hpp"
#include "lazaret/result.hpp"
#include "lazaret/sandbox.hpp"
#include "lazaret/session.hpp"
