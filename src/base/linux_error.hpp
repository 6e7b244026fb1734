#pragma once

#include <string>

namespace lazaret {

/// What a number of errno(3) says in words, and the number: "No such file or directory (errno 2)".
/// Numbers are Linux's, as a box tells them, whatever this program runs on.
[[nodiscard]] std::string text_of_linux_error(int number);

}  // namespace lazaret
