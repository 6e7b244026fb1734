#include "api/cli/sent_archive.hpp"

#include <algorithm>
#include <utility>

#include "base/tar.hpp"
#include "base/try.hpp"
#include "core/inputs.hpp"
#include "policy/quantity.hpp"

namespace lazaret::cli {
namespace {

namespace fs = std::filesystem;

Error not_sent(const fs::path& path, const std::string& why) {
  return Error(Errc::invalid_argument, path.string() + " " + why);
}

// "model/" is called model; what "." is called the system knows.
fs::path with_a_name(const fs::path& path, std::error_code& error) {
  const fs::path bare = path.has_filename() ? path : path.parent_path();
  const fs::path name = bare.filename();
  return name.empty() || name == "." || name == ".." ? fs::canonical(path, error) : bare;
}

}  // namespace

Status SentArchive::add(const fs::path& source) {
  std::error_code error;
  const fs::path named = with_a_name(source, error);
  const fs::file_status status = error ? fs::file_status() : fs::status(named, error);
  if (source.empty() || !named.has_filename() || status.type() == fs::file_type::not_found)
    return not_sent(source, "is not there");
  if (error) return not_sent(source, "cannot be looked at: " + error.message());
  const std::string path = named.filename().generic_string();
  if (fs::is_directory(status)) return add_directory(named, path);
  items_.push_back({named, path, os::LastLink::follow});
  return {};
}

Status SentArchive::add_directory(const fs::path& root, const std::string& path) {
  items_.push_back({{}, path});
  std::error_code error;
  for (auto each = fs::recursive_directory_iterator(root, error);
       !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
    const fs::file_status status = each->symlink_status(error);
    if (error) break;
    items_.push_back({fs::is_directory(status) ? fs::path() : each->path(),
                      path + "/" + each->path().lexically_relative(root).generic_string()});
  }
  return error ? Status(not_sent(root, "cannot be read: " + error.message())) : Status();
}

Result<std::size_t> SentArchive::read(std::span<std::byte> into) {
  while (text_.empty()) {
    if (left_ > 0) return read_file(into);
    if (has_ended_) return std::size_t{0};
    LAZARET_CHECK(begin_next());
  }
  const std::size_t count = std::min(text_.size(), into.size());
  std::copy_n(bytes_of(text_).begin(), count, into.begin());
  text_.erase(0, count);
  return std::size_t{count};
}

Status SentArchive::begin_next() {
  has_ended_ = next_ == items_.size();
  if (has_ended_) text_ = tar_end();
  if (has_ended_) return {};
  const Item& item = items_[next_++];
  TarHead head{.path = item.path, .kind = TarKind::directory, .mode = 0755};
  if (!item.source.empty()) {
    LAZARET_TRY(file_, os::PlainFile::open(item.source, item.link));
    if (file_->size() == 0) LAZARET_CHECK(core::check_empty(item.source, *file_));
    head.kind = TarKind::file;
    head.mode = file_->is_executable() ? 0755 : 0644;
    head.size = left_ = file_->size();
    ++files_;
  }
  LAZARET_TRY(text_, tar_head(head).within(policy::in_quotes(item.path)));
  return {};
}

// A file that grows is sent as long as it was.
Result<std::size_t> SentArchive::read_file(std::span<std::byte> into) {
  LAZARET_TRY(const std::size_t count,
              file_->read(into.first(std::min<std::uint64_t>(left_, into.size()))));
  if (count == 0)
    return Error(Errc::invalid_argument,
                 policy::in_quotes(items_[next_ - 1].path) + " has become shorter meanwhile");
  left_ -= count;
  bytes_ += count;
  if (left_ == 0) text_ = tar_padding(file_->size());
  return std::size_t{count};
}

}  // namespace lazaret::cli
