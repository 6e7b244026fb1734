#include "api/cli/rich_files.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "os/plain_file.hpp"
#include "policy/quantity.hpp"

namespace lazaret::cli {
namespace {

struct RichEnding {
  std::string_view media_type;
  std::string_view text;
};

constexpr RichEnding kRichEndings[] = {
    {"image/png", ".png"},
    {"image/jpeg", ".jpeg"},
    {"image/gif", ".gif"},
    {"image/webp", ".webp"},
    {"image/svg+xml", ".svg"},
    {"text/html", ".html"},
    {"text/markdown", ".md"},
    {"text/latex", ".tex"},
    {"text/plain", ".txt"},
    {"application/geo+json", ".geojson"},
    {"application/vnd.dataresource+json", ".dataresource.json"},
    {"application/vnd.plotly.v1+json", ".plotly.json"},
    {"application/vnd.vega.v5+json", ".vega.json"},
    {"application/vnd.vegalite.v5+json", ".vegalite.json"},
    {"application/json", ".json"},
    {"application/javascript", ".js"},
    {"application/pdf", ".pdf"},
};

std::string_view ending_of(std::string_view media_type) {
  for (const RichEnding& ending : kRichEndings) {
    if (ending.media_type == media_type) return ending.text;
  }
  return ".bin";
}

using NamedForms = std::map<std::string, const std::string*>;

NamedForms files_of(const std::vector<RichResult>& rich, const std::string& start) {
  NamedForms files;
  for (std::size_t index = 0; index < rich.size(); ++index) {
    for (const auto& [type, content] : rich[index].data)
      files[start + "-" + std::to_string(index + 1) + std::string(ending_of(type))] = &content;
  }
  return files;
}

// Cells are counted anew in a context that was lost, and in another session's of the same name.
NamedForms free_files_of(const ExecutionResult& result, const std::filesystem::path& directory) {
  const auto& context = result.meta.context;
  const std::string cell =
      context ? context->name + "-" + std::to_string(context->cell) : std::string("run");
  NamedForms files = files_of(result.rich, cell);
  const auto is_there = [&directory](const auto& file) {
    std::error_code ignored;
    return std::filesystem::exists(
        std::filesystem::symlink_status(directory / file.first, ignored));
  };
  for (int time = 2; std::ranges::any_of(files, is_there); ++time)
    files = files_of(result.rich, cell + "." + std::to_string(time));
  return files;
}

Status write_file(const std::filesystem::path& path, const std::string& content) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::create(path, false));
  return file.write(bytes_of(content));
}

}  // namespace

std::string counts_of(const std::vector<RichResult>& rich) {
  std::map<std::string_view, int> counts;
  for (const RichResult& each : rich) {
    for (const auto& [type, content] : each.data) ++counts[type];
  }
  std::string text;
  for (const auto& [type, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " ";
    text += type;
  }
  return text;
}

Status write_rich(const ExecutionResult& result, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Error(Errc::system, policy::in_quotes(directory.string()) + " cannot be made");
  for (const auto& [name, content] : free_files_of(result, directory)) {
    const Status written = write_file(directory / name, *content);
    if (!written.ok()) return Error(written.error()).within("writing " + name);
  }
  return {};
}

}  // namespace lazaret::cli
