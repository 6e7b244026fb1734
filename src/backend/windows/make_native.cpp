#include "backend/choose.hpp"

namespace lazaret::backend {

Result<std::unique_ptr<Backend>> make_native(Serves,
                                             const std::optional<std::filesystem::path>&) {
  return Error(Errc::unsupported, "there are no native enforcers for Windows in this version")
      .with_hint(
          "run Lazaret inside WSL 2, where there are enforcers and engines have Unix sockets");
}

}  // namespace lazaret::backend
