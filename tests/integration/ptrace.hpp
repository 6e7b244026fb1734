#pragma once

#include <signal.h>

namespace lazaret::test {

/// How a system call of a traced thread is told from a SIGTRAP (PTRACE_O_TRACESYSGOOD, ptrace(2)).
inline constexpr int kSystemCallStop = SIGTRAP | 0x80;

}  // namespace lazaret::test
