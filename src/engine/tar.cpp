#include "engine/tar.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/try.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::uint32_t kPermissions = 0777;

bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != path.npos) return false;
  for (;;) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.npos) return true;
    path.remove_prefix(end + 1);
  }
}

// Offsets and widths of the header's fields, as in tar(5).
struct Field {
  std::size_t at;
  std::size_t width;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kChecksum{148, 8}, kKind{156, 1}, kMagic{257, 8};

using Header = std::array<char, kBlock>;

void put_text(Header& header, Field field, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(field.at));
}

// Octal digits with a NUL behind them.
void put_number(Header& header, Field field, std::uint64_t number) {
  for (std::size_t digit = field.width - 1; digit-- > 0; number /= 8) {
    header[field.at + digit] = static_cast<char>('0' + number % 8);
  }
}

Header header_of(const TarEntry& entry, std::uint64_t size) {
  Header header{};
  put_text(header, kName, entry.path);
  put_number(header, kMode, entry.mode & kPermissions);
  put_number(header, kOwner, 0);
  put_number(header, kGroup, 0);
  put_number(header, kSize, size);
  put_number(header, kTime, 0);
  put_text(header, kKind, entry.kind == TarKind::directory ? "5" : "0");
  put_text(header, kMagic, std::string_view("ustar\00000", 8));
  put_text(header, kChecksum, "        ");
  std::uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put_number(header, {kChecksum.at, kChecksum.width - 1}, sum);
  return header;
}

Status append(std::string& tar, const TarEntry& entry) {
  constexpr std::uint64_t kMostBytes = 1ULL << 33;  // eleven octal digits
  if (!stays_inside(entry.path) || entry.path.size() > kName.width) {
    return Error(Errc::invalid_argument, "tar: a path must be relative, stay inside, and have at "
                                         "most 100 bytes");
  }
  const std::string_view content = entry.kind == TarKind::file ? entry.content : std::string_view{};
  if (content.size() >= kMostBytes) return Error(Errc::too_large, "tar: a file of 8 GiB or more");
  const Header header = header_of(entry, content.size());
  tar.append(header.data(), header.size());
  tar.append(content);
  tar.append((kBlock - content.size() % kBlock) % kBlock, '\0');
  return {};
}

}  // namespace

Result<std::string> write_tar(const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const TarEntry& entry : entries) LAZARET_CHECK(append(tar, entry));
  tar.append(2 * kBlock, '\0');
  return tar;
}

}  // namespace lazaret::engine
