#pragma once

#include <string_view>

namespace lazaret::policy {

/// Whether the text is [host[:port]/]path[:tag][@digest] by the reference grammar that Docker and
/// Podman share (distribution/reference). Nothing of it can be taken for an option or a URL.
[[nodiscard]] bool is_image_reference(std::string_view text) noexcept;

}  // namespace lazaret::policy
