#include "core/artifacts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/linux_error.hpp"
#include "base/split.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using runner::Entry;

constexpr std::size_t kMostWarnings = 5;  // that name what was not taken
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

// Whether this machine sees the same names in the path as the box does. On Windows some letters
// mean more, names end before dots and spaces, and what is no UTF-8 is none.
bool is_the_same_here(const std::string& path) {
  if (fs::path::preferred_separator != '/') {
    if (!is_utf8(path) || path.find_first_of(":*?\"<>|\\") != path.npos) return false;
    for (const std::string_view name : split(path, '/')) {
      if (name.back() == '.' || name.back() == ' ') return false;
    }
  }
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

// A result lists no more of them, however many were taken.
void cut_list(std::vector<Artifact>& all, std::vector<std::string>& warnings) {
  std::size_t listed = 0;
  const std::size_t most = std::min<std::size_t>(all.size(), ArtifactTaker::kMostArtifacts);
  for (std::size_t named = 0; listed < most; ++listed) {
    if ((named += all[listed].path.size()) > ArtifactTaker::kMostNames) break;
  }
  if (listed == all.size()) return;
  warnings.push_back(std::to_string(all.size() - listed) + " artifacts were taken and not listed");
  all.resize(listed);
}

Error cannot_write(const fs::path& path, const std::string& why) {
  return Error(Errc::system,
               "writing " + policy::in_quotes(path.string()) + ": " + printable(why, '?'));
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
  const auto refused = [&directory](const std::string& why) {
    return Error(Errc::invalid_argument, policy::in_quotes(directory.string()) + " " + why)
        .with_hint("name an empty directory, or one that is not there yet");
  };
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  const bool is_absent = status.type() == fs::file_type::not_found;
  if (directory.empty() || (is_absent && fs::is_symlink(fs::symlink_status(directory, error))))
    return refused("is no name of a directory");
  if (is_absent) return {};
  if (error) return refused("cannot be looked at: " + error.message());
  if (!fs::is_directory(status)) return refused("is no directory");
  const bool is_empty = fs::is_empty(directory, error);
  if (error) return refused("cannot be read: " + error.message());
  return is_empty ? Status() : Status(refused("is not empty"));
}

Status ArtifactTaker::begin() {
  const Artifact all{".", Artifact::Kind::directory, 0, {}, {}, false};
  if (wish_.sink) hand_on(&all, {});
  if (!wish_.directory) return {};
  LAZARET_CHECK(check_output_directory(*wish_.directory));
  std::error_code error;
  fs::create_directories(*wish_.directory, error);
  return error ? Status(cannot_write(*wish_.directory, error.message())) : Status();
}

Status ArtifactTaker::take_from(runner::Client& client, const std::string& directory,
                                const Call& call) {
  LAZARET_CHECK(begin());
  LAZARET_TRY(const runner::Got got, client.get(get_of(directory), *this, call));
  error_number_ = got.os_error;
  if (got.os_error != 0)
    warnings_.push_back("/work/" + directory + " cannot be read: " +
                        text_of_linux_error(got.os_error));
  if (const std::size_t left_out = got.left_out + unlisted_; left_out > 0)
    warnings_.push_back(std::to_string(left_out) + " artifacts were left out");
  return end();
}

std::vector<std::string> ArtifactTaker::warnings() const {
  auto all = warnings_;
  if (not_taken_ > kMostWarnings)
    all.push_back("and " + std::to_string(not_taken_ - kMostWarnings) + " more");
  return all;
}

Status ArtifactTaker::end() const {
  if (is_open_) return not_believed("a file without its end");
  return trouble_ ? Status(*trouble_) : Status();
}

runner::Get ArtifactTaker::get_of(const std::string& directory) const {
  using Content = runner::Get::Content;
  if (wish_.piece)
    return {directory, most(), Content::piece, wish_.piece->offset, wish_.piece->length};
  const bool is_any = wish_.lone || directory == ".";
  return {is_any ? directory : directory + "/", most(),
          is_listing() ? Content::none : Content::whole};
}

// Whether nothing of this name has come, and it lies in a directory that has.
bool ArtifactTaker::is_new(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const bool is_known = slash == std::string::npos || paths_.contains(path.substr(0, slash + 1));
  return is_known && !paths_.contains(path) && !paths_.contains(path + "/");
}

Status ArtifactTaker::entry(const Entry& entry) {
  if (unlisted_ > 0) return ++unlisted_, Status();
  const bool is_path =
      policy::is_below(entry.path) && (is_listing() || is_the_same_here(entry.path));
  if (is_open_ || !is_path || !is_new(entry.path) || count_++ == most())
    return not_believed(policy::in_quotes(entry.path));
  named_ += entry.path.size();
  if (named_ > most_names() && is_listing()) return ++unlisted_, Status();
  if (named_ > most_names())
    return Error(Errc::too_large,
                 "more than " + std::to_string(most_names() >> 20) + " MiB of names");
  const bool is_file = entry.kind == Entry::Kind::file;
  const bool is_directory = entry.kind == Entry::Kind::directory;
  paths_.insert(is_directory ? entry.path + "/" : entry.path);
  is_open_ = is_file && !is_listing();
  if (trouble_) return {};
  if (wish_.sink) artifacts_.clear();
  artifacts_.push_back({entry.path,
                        kind_of(entry.kind),
                        is_file && !is_open_ ? entry.size : 0,
                        is_file ? media_type_of(entry.path) : "",
                        {},
                        is_file && entry.executable});
  if (wish_.sink) hand_on(&artifacts_.back(), {});
  if (is_open_ && wish_.with_content) artifacts_.back().content.emplace();
  if (wish_.directory) place(entry);
  return {};
}

void ArtifactTaker::place(const Entry& entry) {
  if (entry.kind == Entry::Kind::file || entry.kind == Entry::Kind::directory)
    write(entry);
  else
    leave(entry.path, "is neither a file nor a directory: not taken");
}

// Who wants no more is given no more; what still comes from the box is let go.
void ArtifactTaker::hand_on(const Artifact* begun, Bytes bytes) {
  if (wish_.sink(begun, text_of(bytes))) return;
  trouble_ = Error(Errc::cancelled, "who received it wants no more");
}

void ArtifactTaker::write(const Entry& entry) {
  const fs::path path = *wish_.directory / fs::path(entry.path);
  if (entry.kind == Entry::Kind::directory) {
    std::error_code error;
    const bool made = fs::create_directory(path, error);
    if (!made) give_up(cannot_write(path, error ? error.message() : "it is there already"));
    return;
  }
  auto file = os::PlainFile::create(path, entry.executable);
  if (file.ok()) {
    file_ = std::move(file).value();
    is_ours_ = true;
  } else {
    give_up(cannot_write(path, file.error().message()));
  }
}

void ArtifactTaker::leave(const std::string& path, const char* why) {
  if (++not_taken_ <= kMostWarnings) warnings_.push_back(policy::in_quotes(path) + " " + why);
}

void ArtifactTaker::give_up(Error error) {
  trouble_ = std::move(error);
  drop_file();
  artifacts_.pop_back();
}

// Of one whose end has not come nothing stays.
void ArtifactTaker::drop_file() {
  file_.reset();
  std::error_code ignored;
  if (is_ours_) fs::remove(*wish_.directory / fs::path(artifacts_.back().path), ignored);
  is_ours_ = false;
}

Status ArtifactTaker::content(Bytes bytes) {
  if (!is_open_) return not_believed("content of no file");
  if (bytes.empty()) {
    if (wish_.sink && !trouble_) hand_on(nullptr, {});
    is_open_ = false;
    is_ours_ = false;
    file_.reset();
    return {};
  }
  if (trouble_) return {};
  Artifact& artifact = artifacts_.back();
  taken_ += bytes.size();
  artifact.size += bytes.size();
  if (taken_ > wish_.most_bytes)
    return Error(Errc::too_large, "more than " + std::to_string(wish_.most_bytes) +
                                      " bytes; what is sparse or linked counts in full");
  if (wish_.sink) hand_on(nullptr, bytes);
  if (artifact.content) keep(artifact, bytes);
  if (!file_) return {};
  const Status written = file_->write(bytes);
  if (!written.ok())
    give_up(cannot_write(*wish_.directory / fs::path(artifact.path), written.error().message()));
  return {};
}

void ArtifactTaker::keep(Artifact& artifact, Bytes bytes) {
  kept_ += bytes.size();
  if (kept_ <= kMostContent) {
    *artifact.content += text_of(bytes);
    return;
  }
  kept_ -= artifact.size;
  artifact.content.reset();
  leave(artifact.path, "is too large to be returned");
}

ArtifactTaker::~ArtifactTaker() {
  if (is_open_ && !trouble_) drop_file();
}

std::vector<Artifact> ArtifactTaker::artifacts() && {
  if (is_open_ && !trouble_) {
    drop_file();
    artifacts_.pop_back();
    is_open_ = false;
  }
  if (wish_.sink) artifacts_.clear();
  std::ranges::sort(artifacts_, {}, &Artifact::path);
  return std::move(artifacts_);
}

std::vector<Artifact> list_of(ArtifactTaker&& taker, const Status& taken,
                              std::vector<std::string>& warnings) {
  if (!taken.ok())
    warnings.push_back("not all was taken from /work/out: " + taken.error().message());
  for (std::string& each : taker.warnings()) warnings.push_back(std::move(each));
  std::vector<Artifact> artifacts = std::move(taker).artifacts();
  cut_list(artifacts, warnings);
  return artifacts;
}

}  // namespace lazaret::core
