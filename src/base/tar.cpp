#include "base/tar.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/split.hpp"
#include "base/tar_fields.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"

namespace lazaret {
namespace {

using tar::Field;

constexpr std::uint32_t kPermissions = 0777;
constexpr std::array<char, 2 * kTarBlock> kZeros{};
// What readers that know no extended header call everything that has one.
constexpr std::string_view kLongName = "long-name";

bool fits(std::uint64_t number, Field field) { return number >> (3 * (field.width - 1)) == 0; }

// Octal digits with a NUL behind them; 0 for a number that has too many.
void put_number(std::string& header, Field field, std::uint64_t number) {
  if (!fits(number, field)) number = 0;
  for (std::size_t digit = field.width - 1; digit-- > 0; number /= 8)
    header[field.at + digit] = static_cast<char>('0' + number % 8);
}

void put_text(std::string& header, Field field, std::string_view text) {
  std::ranges::copy(text.substr(0, field.width),
                    header.begin() + static_cast<std::ptrdiff_t>(field.at));
}

struct TarName {
  std::string_view name;
  std::string_view prefix = {};
};

// In one field, or cut in two at a '/'; nothing where neither can be.
std::optional<TarName> tar_name_of(std::string_view path) {
  if (path.size() <= tar::kName.width) return TarName{path};
  const std::size_t cut = path.rfind('/', tar::kPrefix.width);
  if (cut == path.npos || path.size() - cut - 1 > tar::kName.width) return std::nullopt;
  return TarName{path.substr(cut + 1), path.substr(0, cut)};
}

std::string header_of(const TarHead& head, char kind, const TarName& name) {
  std::string header(kTarBlock, '\0');
  put_text(header, tar::kName, name.name);
  put_text(header, tar::kPrefix, name.prefix);
  put_number(header, tar::kMode, head.mode & kPermissions);
  put_number(header, tar::kOwner, 0);
  put_number(header, tar::kGroup, 0);
  put_number(header, tar::kSize, head.size);
  put_number(header, tar::kTime, head.time);
  header[tar::kKind.at] = kind;
  put_text(header, tar::kTarget, head.target);
  put_text(header, tar::kMagic, tar::kUstar);
  const std::uint64_t sum = tar::checksum_of(header);
  put_number(header, {tar::kChecksum.at, tar::kChecksum.width - 1}, sum);
  header[tar::kChecksum.at + tar::kChecksum.width - 1] = ' ';
  return header;
}

// "LENGTH KEYWORD=VALUE\n", where the length counts its own digits.
std::string record(std::string_view keyword, std::string_view value) {
  const std::size_t rest = keyword.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (rest + std::to_string(length).size() > length) ++length;
  return std::to_string(length) + " " + std::string(keyword) + "=" + std::string(value) + "\n";
}

// What the fields have no room for.
std::string records_of(const TarHead& head) {
  std::string records;
  const bool is_long = !tar_name_of(head.path), is_far = head.target.size() > tar::kTarget.width;
  const bool is_text = (!is_long || is_utf8(head.path)) && (!is_far || is_utf8(head.target));
  if (!is_text) records += record("hdrcharset", "BINARY");
  if (is_long) records += record("path", head.path);
  if (is_far) records += record("linkpath", head.target);
  if (!fits(head.size, tar::kSize)) records += record("size", std::to_string(head.size));
  return records;
}

char letter_of(TarKind kind) {
  switch (kind) {
    case TarKind::file: return '0';
    case TarKind::directory: return '5';
    case TarKind::link: return '2';
  }
  return '0';
}

Error unfit_path(const char* why) {
  return Error(Errc::invalid_argument, std::string("a path in an archive ") + why);
}

}  // namespace

std::string_view tar_padding(std::uint64_t size) noexcept {
  return {kZeros.data(), (kTarBlock - size % kTarBlock) % kTarBlock};
}

std::string_view tar_end() noexcept { return {kZeros.data(), kZeros.size()}; }

Result<std::string> clean_tar_path(std::string_view path) {
  if (path.empty()) return unfit_path("is empty");
  if (path.front() == '/') return unfit_path("is absolute");
  if (path.size() > kTarPathBytes) return unfit_path("is longer than 4095 bytes");
  if (path.find('\0') != path.npos) return unfit_path("holds a NUL");
  std::string clean;
  for (const std::string_view name : split(path, '/')) {
    if (name == "..") return unfit_path("climbs out by \"..\"");
    if (name.empty() || name == ".") continue;
    if (!clean.empty()) clean += '/';
    clean += name;
  }
  return clean.empty() ? std::string(".") : clean;
}

Result<std::string> tar_head(const TarHead& head) {
  const auto clean = clean_tar_path(head.path);
  if (!clean.ok()) return clean.error();
  if (*clean != head.path || head.path == ".") return unfit_path("names what is no name");
  const bool is_link = head.kind == TarKind::link;
  if (is_link == head.target.empty() || head.target.size() > kTarPathBytes ||
      head.target.find('\0') != std::string::npos)
    return unfit_path("has a target if it is a link's, of 4095 bytes at most");
  const std::string records = records_of(head);
  std::string blocks;
  if (!records.empty()) {
    blocks = header_of({.path = {}, .size = records.size()}, 'x', {kLongName});
    blocks += records;
    blocks += tar_padding(records.size());
  }
  blocks +=
      header_of(head, letter_of(head.kind), tar_name_of(head.path).value_or(TarName{kLongName}));
  return blocks;
}

}  // namespace lazaret
