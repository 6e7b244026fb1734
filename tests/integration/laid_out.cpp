#include "integration/laid_out.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace lazaret::test {
namespace {

std::vector<std::string> variables_with(const std::map<std::string, std::string>& more) {
  std::map<std::string, std::string> all = {{"PATH", "/usr/bin:/bin"},
                                            {"HOME", "/nonexistent"},
                                            {"LAZARET_HOST", "unix:///nonexistent/engine.sock"},
                                            {"LAZARET_SOCKET", "/nonexistent/lazaret.sock"}};
  // Where tests/tools/common.sh has given this run places of its own, the journal's among them.
  for (const char* const name : {"XDG_STATE_HOME", "TMPDIR"}) {
    if (const char* const value = std::getenv(name)) all[name] = value;
  }
  for (const auto& [name, value] : more) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

LaidOut::LaidOut(std::vector<std::string> words,
                 const std::map<std::string, std::string>& variables)
    : words_(std::move(words)),
      variables_(variables_with(variables)),
      argv_(pointers_to(words_)),
      environment_(pointers_to(variables_)) {}

void LaidOut::become() const {
  environ = const_cast<char**>(environment_.data());  // in which execvp(3) looks for PATH
  ::execvp(argv_[0], argv_.data());
  ::_exit(127);
}

}  // namespace lazaret::test
