#pragma once

#include <filesystem>
#include <string>

namespace lazaret {

/// All that a small file holds, such as one of proc(5); empty where it cannot be read.
[[nodiscard]] std::string text_of_file(const std::filesystem::path& path);

}  // namespace lazaret
