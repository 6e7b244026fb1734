#pragma once

#include <map>
#include <string>
#include <vector>

namespace lazaret::test {

/// A program with all that it is started with, laid out before the fork: the child of a process
/// with threads keeps their locks, and may allocate nothing (fork(2)).
class LaidOut {
 public:
  /// The environment is these variables, and such that keep the program away from what is the
  /// user's. It has no home, asks an engine and a daemon that are not there (name others by
  /// LAZARET_HOST or --host, and LAZARET_SOCKET), and keeps its things where this process does.
  LaidOut(std::vector<std::string> words, const std::map<std::string, std::string>& variables);
  LaidOut(const LaidOut&) = delete;
  LaidOut& operator=(const LaidOut&) = delete;

  /// For the child. It ends with 127 where there is no such program in its PATH.
  [[noreturn]] void become() const;

 private:
  std::vector<std::string> words_, variables_;
  std::vector<char*> argv_, environment_;
};

}  // namespace lazaret::test
