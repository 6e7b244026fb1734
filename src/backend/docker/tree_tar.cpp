#include "backend/docker/tree_tar.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/try.hpp"

namespace lazaret::backend::docker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kPlain = 0644, kProgram = 0755;

std::uint32_t mode_of(const fs::directory_entry& entry) {
  const bool is_program = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
  return is_program || entry.is_directory() ? kProgram : kPlain;
}

TarHead head_of(const fs::directory_entry& entry, const fs::path& root) {
  TarHead head{entry.path().lexically_relative(root).generic_string()};
  head.mode = mode_of(entry);
  if (entry.is_directory())
    head.kind = TarKind::directory;
  else
    head.size = entry.file_size();
  return head;
}

}  // namespace

Result<TreeTar> TreeTar::of(const fs::path& root, const std::string& marker) try {
  std::vector<Item> items;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_symlink() || (!entry.is_directory() && !entry.is_regular_file())) continue;
    items.push_back({entry.path(), head_of(entry, root)});
    if (items.back().head.path == marker)
      return Error(Errc::invalid_argument, "something is there that is called " + marker);
  }
  std::ranges::sort(items, {}, [](const Item& item) { return item.head.path; });
  items.push_back({{}, TarHead{marker}});
  return TreeTar(std::move(items));
} catch (const fs::filesystem_error& problem) {
  return Error(Errc::system, problem.what()).with_os_error(problem.code().value());
}

Result<std::size_t> TreeTar::read(std::span<std::byte> into) {
  for (;;) {
    if (given_ < text_.size()) {
      const Bytes rest = bytes_of(text_).subspan(given_);
      const std::size_t count = std::min(rest.size(), into.size());
      std::ranges::copy(rest.first(count), into.begin());
      given_ += count;
      return count;
    }
    if (left_ > 0) {
      LAZARET_TRY(const std::size_t count,
                  file_->read(into.first(std::min<std::uint64_t>(into.size(), left_))));
      if (count == 0) return Error(Errc::system, "a file has become shorter while it was read");
      left_ -= count;
      return count;
    }
    if (is_over_) return std::size_t{0};
    LAZARET_CHECK(go_on());
  }
}

// What stands between the content of one file and that of the next.
Status TreeTar::go_on() {
  text_.clear();
  given_ = 0;
  if (file_) text_ = tar_padding(items_[next_ - 1].head.size);
  file_.reset();
  is_over_ = next_ == items_.size();
  if (is_over_) {
    text_ += tar_end();
    return {};
  }
  const Item& item = items_[next_++];
  LAZARET_TRY(const std::string head, tar_head(item.head));
  text_ += head;
  if (item.head.size == 0) return {};
  LAZARET_TRY(file_, os::PlainFile::open(item.source, os::LastLink::refuse));
  if (file_->size() != item.head.size)
    return Error(Errc::system, item.source.string() + " has changed while it was read");
  left_ = item.head.size;
  return {};
}

}  // namespace lazaret::backend::docker
