#include "engine/tar.hpp"

#include "base/try.hpp"

namespace lazaret::engine {
namespace {

Status append(std::string& tar, const TarEntry& entry) {
  const std::string_view content = entry.kind == TarKind::file ? entry.content : std::string_view{};
  LAZARET_TRY(const std::string head,
              tar_head({entry.path, entry.kind, entry.mode, content.size(), {}, 0}));
  tar += head;
  tar += content;
  tar += tar_padding(content.size());
  return {};
}

}  // namespace

Result<std::string> write_tar(const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const TarEntry& entry : entries) LAZARET_CHECK(append(tar, entry));
  tar += tar_end();
  return tar;
}

}  // namespace lazaret::engine
