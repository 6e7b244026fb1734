#include "os/program.hpp"

#include <unistd.h>

#include "os/error.hpp"

namespace lazaret::os {

Result<std::filesystem::path> own_program() {
  std::error_code failure;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return system_error("reading /proc/self/exe", failure.value());
  return path;
}

Error become(const std::filesystem::path& program, const std::vector<std::string>& argv) {
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  // execv(3) takes them as not constant for history's sake, and changes none.
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  return last_error("starting " + program.string());
}

}  // namespace lazaret::os
