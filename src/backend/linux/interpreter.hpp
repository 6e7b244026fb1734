#pragma once

#include <string>
#include <string_view>

namespace lazaret::backend::native {

/// The program of a box's PATH that runs Python or JavaScript, told apart from another one of the
/// same name, which may want other packages. Empty where there is none, and for other languages.
[[nodiscard]] std::string interpreter_of(std::string_view language);

}  // namespace lazaret::backend::native
