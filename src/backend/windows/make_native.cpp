#include "backend/choose.hpp"

namespace lazaret::backend {

Result<std::unique_ptr<Backend>> make_native() {
  return Error(Errc::unsupported, "there are no native enforcers for Windows in this version")
      .with_hint("use --type docker with Docker Desktop or Podman, or run Lazaret inside WSL 2");
}

}  // namespace lazaret::backend
