#include "engine/tar.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/try.hpp"

namespace lazaret::engine {
namespace {

using Writer = std::unique_ptr<struct archive, decltype(&archive_write_free)>;
using Reader = std::unique_ptr<struct archive, decltype(&archive_read_free)>;
using Entry = std::unique_ptr<struct archive_entry, decltype(&archive_entry_free)>;

constexpr std::uint32_t kPermissions = 0777;

// The path without "./" in front and '/' at the end; nothing when it must not be used.
std::optional<std::string> plain_path(std::string_view path) {
  while (path.substr(0, 2) == "./") path.remove_prefix(2);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty() || path.front() == '/' || path.find('\0') != path.npos) return std::nullopt;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return std::string(path);
}

Error archive_error(struct archive* archive, Errc code) {
  const char* const text = archive_error_string(archive);
  return Error(code, std::string("tar: ") + (text == nullptr ? "unknown failure" : text));
}

la_ssize_t append(struct archive*, void* text, const void* bytes, std::size_t size) noexcept {
  try {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
  } catch (const std::exception&) {
    return -1;
  }
}

Status write_entry(struct archive* writer, const TarEntry& item) {
  const auto path = plain_path(item.path);
  if (!path) return Error(Errc::invalid_argument, "tar: path must be relative and stay inside");
  const Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), path->c_str());
  archive_entry_set_filetype(entry.get(), item.kind == TarKind::file ? AE_IFREG : AE_IFDIR);
  archive_entry_set_perm(entry.get(), static_cast<__LA_MODE_T>(item.mode & kPermissions));
  archive_entry_set_mtime(entry.get(), 0, 0);
  const std::string_view content = item.kind == TarKind::file ? item.content : std::string_view{};
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  if (archive_write_header(writer, entry.get()) < ARCHIVE_WARN) {
    return archive_error(writer, Errc::system);
  }
  if (content.empty()) return {};
  const la_ssize_t written = archive_write_data(writer, content.data(), content.size());
  if (written == static_cast<la_ssize_t>(content.size())) return {};
  return archive_error(writer, Errc::system);
}

// Podman begins its names with a slash; here they are names in memory, and relative.
std::string_view name_of(struct archive_entry* entry) {
  const char* const raw = archive_entry_pathname(entry);
  std::string_view name = raw == nullptr ? "" : raw;
  while (name.substr(0, 1) == "/") name.remove_prefix(1);
  return name;
}

Result<std::string> content_of(struct archive* reader, std::size_t cap_bytes) {
  std::string content;
  std::array<char, 16384> piece;
  for (;;) {
    const la_ssize_t count = archive_read_data(reader, piece.data(), piece.size());
    if (count < 0) return archive_error(reader, Errc::protocol);
    if (count == 0) return content;
    const auto size = static_cast<std::size_t>(count);
    if (size > cap_bytes - content.size()) {
      return Error(Errc::too_large, "tar: more content than the cap");
    }
    content.append(piece.data(), size);
  }
}

Result<TarEntry> entry_of(struct archive* reader, struct archive_entry* entry,
                          std::size_t cap_bytes) {
  const auto path = plain_path(name_of(entry));
  if (!path) return Error(Errc::protocol, "tar: a path that is empty or climbs out");
  TarEntry item;
  item.path = *path;
  item.mode = static_cast<std::uint32_t>(archive_entry_perm(entry)) & kPermissions;
  if (archive_entry_filetype(entry) == AE_IFDIR) {
    item.kind = TarKind::directory;
    return item;
  }
  LAZARET_TRY(item.content, content_of(reader, cap_bytes));
  return item;
}

// The root of the archive is not a thing in it; links carry no content of their own.
bool is_wanted(struct archive_entry* entry) {
  const auto kind = archive_entry_filetype(entry);
  if (kind != AE_IFREG && kind != AE_IFDIR) return false;
  const std::string_view name = name_of(entry);
  const bool is_root = kind == AE_IFDIR && (name.empty() || name == "." || name == "./");
  return !is_root && archive_entry_hardlink(entry) == nullptr;
}

}  // namespace

Result<std::string> write_tar(const std::vector<TarEntry>& entries) {
  std::string text;
  const Writer writer(archive_write_new(), archive_write_free);
  // GNU tar keeps names as bytes; pax would convert them by the process's locale.
  archive_write_set_format_gnutar(writer.get());
  archive_write_add_filter_none(writer.get());
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (archive_write_open(writer.get(), &text, nullptr, append, nullptr) != ARCHIVE_OK) {
    return archive_error(writer.get(), Errc::system);
  }
  for (const TarEntry& entry : entries) LAZARET_CHECK(write_entry(writer.get(), entry));
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return archive_error(writer.get(), Errc::system);
  }
  return text;
}

Result<std::vector<TarEntry>> read_tar(Bytes tar, const TarCaps& caps) {
  const Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_none(reader.get());
  if (archive_read_open_memory(reader.get(), tar.data(), tar.size()) != ARCHIVE_OK) {
    return archive_error(reader.get(), Errc::protocol);
  }
  std::vector<TarEntry> entries;
  std::size_t left = caps.total_bytes;
  std::size_t seen = 0;
  for (;;) {
    struct archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return entries;
    if (status < ARCHIVE_WARN) return archive_error(reader.get(), Errc::protocol);
    if (++seen > caps.entries) return Error(Errc::too_large, "tar: more entries than the cap");
    if (!is_wanted(entry)) continue;
    LAZARET_TRY(TarEntry item, entry_of(reader.get(), entry, left));
    left -= item.content.size();
    entries.push_back(std::move(item));
  }
}

}  // namespace lazaret::engine
