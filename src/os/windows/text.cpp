#include "os/windows/text.hpp"

#include <algorithm>
#include <climits>

#include "os/windows/sdk.hpp"

namespace lazaret::os {
namespace {

// The calls below count in int; nothing that is converted here comes near its end.
template <typename Text>
int length_of(const Text& text) noexcept {
  return static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX));
}

}  // namespace

std::wstring wide(std::string_view utf8) {
  const int length = length_of(utf8);
  const int units = ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, nullptr, 0);
  std::wstring utf16(static_cast<std::size_t>(units), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, utf16.data(), units);
  return utf16;
}

std::string narrow(std::wstring_view utf16) {
  const int length = length_of(utf16);
  const int units =
      ::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), length, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<std::size_t>(units), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), length, utf8.data(), units, nullptr, nullptr);
  return utf8;
}

}  // namespace lazaret::os
