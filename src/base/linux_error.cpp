#include "base/linux_error.hpp"

#include <array>
#include <system_error>
#include <utility>

namespace lazaret {
namespace {

// The ones that a system with other numbers has no words for.
constexpr std::array kOfLinux = {
    std::pair{36, "File name too long"},
    std::pair{39, "Directory not empty"},
    std::pair{40, "Too many levels of symbolic links"},
    std::pair{122, "Disk quota exceeded"},
};

std::string words_of(int number) {
  constexpr int kShared = 34;  // up to there all systems mean the same
  for (const auto& [known, words] : kOfLinux) {
    if (known == number) return words;
  }
  return number <= kShared ? std::generic_category().message(number) : "";
}

}  // namespace

std::string text_of_linux_error(int number) {
  const std::string words = words_of(number), told = "errno " + std::to_string(number);
  return words.empty() ? told : words + " (" + told + ")";
}

}  // namespace lazaret
