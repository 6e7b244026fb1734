#include "backend/linux/spawner_image.hpp"

extern "C" {
extern const std::byte lazaret_spawner_begin[];
extern const std::byte lazaret_spawner_end[];
}

namespace lazaret::backend::native {

Bytes spawner_image() noexcept { return {lazaret_spawner_begin, lazaret_spawner_end}; }

}  // namespace lazaret::backend::native
