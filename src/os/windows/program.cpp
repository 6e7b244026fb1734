#include "os/program.hpp"

namespace lazaret::os {

Result<std::filesystem::path> own_program() {
  return Error(Errc::unsupported, "looking for our own program: not done on Windows");
}

Error become(const std::filesystem::path& program, const std::vector<std::string>&) {
  return Error(Errc::unsupported, "a process cannot become " + program.string() + " on Windows");
}

}  // namespace lazaret::os
