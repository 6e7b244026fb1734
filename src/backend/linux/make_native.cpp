#include "backend/choose.hpp"
#include "backend/linux/native_backend.hpp"

namespace lazaret::backend {

Result<std::unique_ptr<Backend>> make_native(Serves serves,
                                             const std::optional<std::filesystem::path>& state) {
  return std::unique_ptr<Backend>(std::make_unique<native::NativeBackend>(serves, state));
}

}  // namespace lazaret::backend
