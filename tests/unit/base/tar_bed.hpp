#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/tar.hpp"
#include "base/tar_fields.hpp"
#include "base/tar_reader.hpp"

namespace lazaret::test {

/// One entry with its content, as an archive has it.
[[nodiscard]] inline std::string tar_entry(TarHead head, const std::string& content = {}) {
  head.size = content.size();
  return tar_head(head).value() + content + std::string(tar_padding(content.size()));
}
[[nodiscard]] inline std::string tar_file(const std::string& path, const std::string& content) {
  return tar_entry({.path = path}, content);
}
[[nodiscard]] inline std::string tar_of(const std::string& entries) {
  return entries + std::string(tar_end());
}

/// Another field in the header at the front, whose sum is right then.
[[nodiscard]] inline std::string with_field(std::string blocks, tar::Field field,
                                            const std::string& text) {
  blocks.replace(field.at, field.width, text + std::string(field.width - text.size(), '\0'));
  const std::uint64_t sum = tar::checksum_of(std::string_view(blocks).substr(0, kTarBlock));
  std::string digits(6, '0');
  for (std::size_t at = 0, left = sum; at < 6; ++at, left /= 8)
    digits[5 - at] = static_cast<char>('0' + left % 8);
  blocks.replace(tar::kChecksum.at, 6, digits);
  return blocks;
}

/// An extended header, or another that stands before an entry.
[[nodiscard]] inline std::string tar_extension(char kind, const std::string& payload) {
  return with_field(tar_file("extension", payload), tar::kKind, std::string(1, kind));
}
[[nodiscard]] inline std::string pax_record(const std::string& text) {
  std::size_t length = text.size() + 2;
  while (length != text.size() + 2 + std::to_string(length).size())
    length = text.size() + 2 + std::to_string(length).size();
  return std::to_string(length) + " " + text + "\n";
}

/// What a reader finds: "file NAME 644 CONTENT", "directory NAME 755", "link NAME -> TARGET", and
/// what is wrong: "error NAME: …".
[[nodiscard]] inline std::vector<std::string> told_of_tar(const std::string& archive,
                                                          std::size_t piece = 1U << 16) {
  std::size_t at = 0;
  TarReader reader([&]() -> Result<std::string> {
    std::string some = archive.substr(at, piece);
    at += some.size();
    return some;
  });
  std::vector<std::string> told;
  const auto wrong = [&](const Error& error) {
    told.push_back("error " + reader.name() + ": " + error.message());
    return told;
  };
  for (;;) {
    auto head = reader.next();
    if (!head.ok()) return wrong(head.error());
    if (!*head) return told;
    const TarHead& entry = **head;
    std::string mode;
    for (std::uint32_t bits = entry.mode; bits > 0; bits /= 8)
      mode.insert(0, 1, "01234567"[bits % 8]);
    if (entry.kind == TarKind::directory) told.push_back("directory " + entry.path + " " + mode);
    if (entry.kind == TarKind::link) told.push_back("link " + entry.path + " -> " + entry.target);
    if (entry.kind != TarKind::file) continue;
    told.push_back("file " + entry.path + " " + mode + " ");
    for (;;) {
      const auto some = reader.content();
      if (!some.ok()) return wrong(some.error());
      if (some->empty()) break;
      told.back() += text_of(*some);
    }
  }
}

}  // namespace lazaret::test
