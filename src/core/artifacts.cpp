#include "core/artifacts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using runner::Entry;

constexpr std::pair<std::string_view, std::string_view> kMediaTypes[] = {
    {"csv", "text/csv"},        {"gif", "image/gif"},         {"gz", "application/gzip"},
    {"htm", "text/html"},       {"html", "text/html"},        {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},      {"js", "text/javascript"},    {"json", "application/json"},
    {"log", "text/plain"},      {"md", "text/markdown"},      {"mp4", "video/mp4"},
    {"pdf", "application/pdf"}, {"png", "image/png"},         {"py", "text/x-python"},
    {"svg", "image/svg+xml"},   {"tar", "application/x-tar"}, {"tsv", "text/tab-separated-values"},
    {"txt", "text/plain"},      {"wav", "audio/wav"},         {"webp", "image/webp"},
    {"xml", "application/xml"}, {"yaml", "application/yaml"}, {"yml", "application/yaml"},
    {"zip", "application/zip"}};

Error not_believed(const std::string& what) {
  return Error(Errc::protocol, "the box names an artifact that cannot be one: " + what);
}

// Whether this machine sees the same names in the path as the box does.
bool is_the_same_here(const std::string& path) {
  const fs::path here(path);
  return !here.has_root_path() &&
         std::distance(here.begin(), here.end()) == std::count(path.begin(), path.end(), '/') + 1;
}

Artifact::Kind kind_of(Entry::Kind kind) {
  switch (kind) {
    case Entry::Kind::file: return Artifact::Kind::file;
    case Entry::Kind::directory: return Artifact::Kind::directory;
    case Entry::Kind::link: return Artifact::Kind::link;
    case Entry::Kind::other: break;
  }
  return Artifact::Kind::other;
}

Error cannot_write(const fs::path& path, const std::error_code& error) {
  return Error(Errc::system, "writing " + policy::in_quotes(printable(path.string(), '?')) + ": " +
                                 (error ? error.message() : "the disk may be full"));
}

}  // namespace

std::string media_type_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  std::string ending(dot == path.npos ? "" : path.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found =
      std::ranges::find(kMediaTypes, ending, [](const auto& row) { return row.first; });
  return found == std::end(kMediaTypes) ? "application/octet-stream" : std::string(found->second);
}

Status check_output_directory(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) return {};
  const std::string name = policy::in_quotes(directory.string());
  if (!fs::is_directory(status)) return Error(Errc::invalid_argument, name + " is no directory");
  if (fs::is_empty(directory, error) && !error) return {};
  return Error(Errc::invalid_argument,
               name + (error ? " cannot be read: " + error.message() : " is not empty"))
      .with_hint("name an empty directory, or one that is not there yet");
}

Status ArtifactTaker::take_from(runner::Client& client, const Call& call) {
  if (wish_.directory) {
    LAZARET_CHECK(check_output_directory(*wish_.directory));
    std::error_code error;
    fs::create_directories(*wish_.directory, error);
    if (error) return cannot_write(*wish_.directory, error);
  }
  const bool with_content = wish_.directory || wish_.with_content;
  LAZARET_TRY(
      const runner::Got got,
      client.get({std::string(runner::kArtifacts), kMostArtifacts, with_content}, *this, call));
  if (is_open_) return not_believed("a file without its end");
  if (got.os_error != 0)
    warnings_.push_back("/work/out cannot be read: errno " + std::to_string(got.os_error));
  if (got.left_out > 0)
    warnings_.push_back(std::to_string(got.left_out) + " artifacts were left out");
  return {};
}

Status ArtifactTaker::entry(const Entry& entry) {
  const std::string shown = policy::in_quotes(printable(entry.path, '?'));
  const std::size_t slash = entry.path.rfind('/');
  const bool is_known =
      slash == std::string::npos || paths_.contains(entry.path.substr(0, slash + 1));
  const bool is_path = policy::is_below(entry.path) && is_the_same_here(entry.path);
  if (is_open_ || !is_path || !is_known) return not_believed(shown);
  const bool is_directory = entry.kind == Entry::Kind::directory;
  if (artifacts_.size() == kMostArtifacts || paths_.contains(entry.path) ||
      paths_.contains(entry.path + "/"))
    return not_believed(shown);
  named_ += entry.path.size();
  if (named_ > kMostNames) return Error(Errc::too_large, "more than 1 MiB of names");
  paths_.insert(is_directory ? entry.path + "/" : entry.path);
  const bool is_file = entry.kind == Entry::Kind::file;
  artifacts_.push_back({entry.path,
                        kind_of(entry.kind),
                        is_file ? entry.size : 0,
                        is_file ? media_type_of(entry.path) : "",
                        {}});
  is_open_ = is_file && (wish_.directory || wish_.with_content);
  if (is_open_) artifacts_.back().size = 0;  // what comes is what counts
  if (is_open_ && wish_.with_content) artifacts_.back().content.emplace();
  if (!wish_.directory) return {};
  if (is_file || is_directory) return write(entry);
  warnings_.push_back(shown + " is neither a file nor a directory: not taken");
  return {};
}

Status ArtifactTaker::write(const Entry& entry) {
  const fs::path path = *wish_.directory / fs::path(entry.path);
  std::error_code error;
  if (entry.kind == Entry::Kind::directory) {
    if (fs::create_directory(path, error)) return {};
    return cannot_write(path, error);
  }
  file_ = std::ofstream(path, std::ios::binary);
  if (!file_) return cannot_write(path, {});
  if (entry.executable)
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, error);
  return error ? Status(cannot_write(path, error)) : Status();
}

Status ArtifactTaker::content(Bytes bytes) {
  if (!is_open_) return not_believed("content of no file");
  if (bytes.empty()) return end_file();
  Artifact& artifact = artifacts_.back();
  taken_ += bytes.size();
  artifact.size += bytes.size();
  if (taken_ > wish_.most_bytes) return not_believed("more bytes than the box can hold");
  if (wish_.directory) file_ << text_of(bytes);
  if (!artifact.content) return {};
  kept_ += bytes.size();
  if (kept_ <= kMostContent) {
    *artifact.content += text_of(bytes);
    return {};
  }
  kept_ -= artifact.size;
  artifact.content.reset();
  warnings_.push_back(policy::in_quotes(printable(artifact.path, '?')) +
                      " is too large to be returned");
  return {};
}

Status ArtifactTaker::end_file() {
  is_open_ = false;
  if (!wish_.directory) return {};
  file_.close();
  if (file_) return {};
  return cannot_write(*wish_.directory / fs::path(artifacts_.back().path), {});
}

std::vector<Artifact> ArtifactTaker::artifacts() && {
  std::ranges::sort(artifacts_, {}, &Artifact::path);
  return std::move(artifacts_);
}

}  // namespace lazaret::core
