#include "os/private_file.hpp"

namespace lazaret::os {

Status make_private_folder(const std::filesystem::path& folder) {
  return Error(Errc::unsupported,
               folder.string() + ": no private folders on Windows in this version");
}

Status make_private_file(const std::filesystem::path& file) {
  return Error(Errc::unsupported, file.string() + ": no private files on Windows in this version");
}

Result<Handle> make_held_file(const std::filesystem::path& file) {
  return Error(Errc::unsupported, file.string() + ": no held files on Windows in this version");
}

bool is_held(const std::filesystem::path&) { return true; }

}  // namespace lazaret::os
