#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lazaret::test {

enum class Moment { before, after };

/// Where a program is ended by SIGKILL: at its `nth` act, counted from 1, before the kernel has
/// done it or after. Acts are the system calls by which it changes something outside of itself.
struct Point {
  unsigned nth = 0;
  Moment moment = Moment::before;
};

struct Victim {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value, all of it
};

/// How far a program came.
struct Walked {
  unsigned acts = 0;  ///< of its first thread
  bool killed = false;
  int status = -1;  ///< of exit, when it was not killed
};

/// Runs it under ptrace(2), its standard streams on /dev/null, until the point or its end.
[[nodiscard]] Walked walk(const Victim& program, const std::optional<Point>& point);

/// Starts it and leaves it alone.
[[nodiscard]] pid_t start(const Victim& program);

}  // namespace lazaret::test
