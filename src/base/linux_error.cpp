#include "base/linux_error.hpp"

#include <array>
#include <utility>

namespace lazaret {
namespace {

// Those that calls on files, processes and limits have (errno(3)).
constexpr std::array kWords = {
    std::pair{1, "Operation not permitted"},
    std::pair{2, "No such file or directory"},
    std::pair{5, "Input/output error"},
    std::pair{7, "Argument list too long"},
    std::pair{8, "Exec format error"},
    std::pair{11, "Resource temporarily unavailable"},
    std::pair{12, "Cannot allocate memory"},
    std::pair{13, "Permission denied"},
    std::pair{14, "Bad address"},
    std::pair{16, "Device or resource busy"},
    std::pair{17, "File exists"},
    std::pair{18, "Invalid cross-device link"},
    std::pair{20, "Not a directory"},
    std::pair{21, "Is a directory"},
    std::pair{22, "Invalid argument"},
    std::pair{23, "Too many open files in system"},
    std::pair{24, "Too many open files"},
    std::pair{26, "Text file busy"},
    std::pair{27, "File too large"},
    std::pair{28, "No space left on device"},
    std::pair{30, "Read-only file system"},
    std::pair{31, "Too many links"},
    std::pair{36, "File name too long"},
    std::pair{38, "Function not implemented"},
    std::pair{39, "Directory not empty"},
    std::pair{40, "Too many levels of symbolic links"},
    std::pair{95, "Operation not supported"},
    std::pair{122, "Disk quota exceeded"},
};

}  // namespace

std::string text_of_linux_error(int number) {
  const std::string told = "errno " + std::to_string(number);
  for (const auto& [known, words] : kWords) {
    if (known == number) return std::string(words) + " (" + told + ")";
  }
  return told;
}

}  // namespace lazaret
