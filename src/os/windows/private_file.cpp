#include "os/private_file.hpp"

namespace lazaret::os {

Status make_private_folder(const std::filesystem::path& folder) {
  return Error(Errc::unsupported,
               folder.string() + ": no private folders on Windows in this version");
}

Status make_private_file(const std::filesystem::path& file) {
  return Error(Errc::unsupported, file.string() + ": no private files on Windows in this version");
}

}  // namespace lazaret::os
