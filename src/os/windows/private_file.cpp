#include "os/private_file.hpp"

namespace lazaret::os {

Status make_private_file(const std::filesystem::path& file) {
  return Error(Errc::unsupported, file.string() + ": no private files on Windows in this version");
}

}  // namespace lazaret::os
