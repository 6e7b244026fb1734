#include "base/file.hpp"

#include <fstream>
#include <sstream>

namespace lazaret {

std::string text_of_file(const std::filesystem::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace lazaret
