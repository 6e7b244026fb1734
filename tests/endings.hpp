#pragma once

#include <string>
#include <vector>

#include "lazaret/lazaret.hpp"

/// Programs that end in every way there is, for what has to hold however one ends.
namespace lazaret::test {

struct Ending {
  const char* name;  ///< "is a fork bomb"
  const char* code;  ///< of /bin/sh
  std::vector<std::string> causes;  ///< any of these
  std::string output;
};
[[nodiscard]] const std::vector<Ending>& endings();

/// What came of many of them.
struct Endings {
  unsigned runs = 0;
  unsigned survivors = 0;
  unsigned unexpected = 0;  ///< with another cause or output, or survivors
  /// Of those that were ended after their time, from when they had to be over.
  std::vector<double> late_ms = {};
  std::string first = {};   ///< of those
};
/// `runs` of them, one kind after the other, on eight threads.
[[nodiscard]] Endings run_endings(const CodeSandbox& sandbox, unsigned runs);

}  // namespace lazaret::test
