#include "engine/tar.hpp"

namespace lazaret::engine {
namespace {

Error no_libarchive() {
  return Error(Errc::unsupported, "tar: this build of lazaret has no libarchive");
}

}  // namespace

Result<std::string> write_tar(const std::vector<TarEntry>&) { return no_libarchive(); }

Result<std::vector<TarEntry>> read_tar(Bytes, const TarCaps&) { return no_libarchive(); }

}  // namespace lazaret::engine
