#include "backend/choose.hpp"
#include "backend/linux/native_backend.hpp"

namespace lazaret::backend {

Result<std::unique_ptr<Backend>> make_native() { return native::NativeBackend::create(); }

}  // namespace lazaret::backend
