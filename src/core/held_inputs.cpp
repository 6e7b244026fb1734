#include "core/held_inputs.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/tar.hpp"
#include "base/try.hpp"
#include "core/inputs.hpp"
#include "os/plain_file.hpp"
#include "policy/box_path.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

Error not_held(const char* why) { return {Errc::too_large, why}; }

// Reads what must be a file already, which opening shall have no effect on.
Result<Input> read_file(const fs::path& source, os::LastLink link, std::uint64_t most) {
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(source, link));
  if (file.size() > most) return not_held("too long");
  std::vector<std::byte> content(file.size());
  LAZARET_TRY(const std::size_t count, file.read(content));
  LAZARET_CHECK(check_empty(source, file));  // nor has it grown
  if (count < content.size()) return not_held("it has changed while it was read");
  return Input{{}, std::string(text_of(content)), {}, file.is_executable()};
}

// Makes an archive of a directory, in the order in which it would be put.
class Archiver {
 public:
  Archiver(const fs::path& root, std::string prefix, std::uint64_t most)
      : root_(root), prefix_(std::move(prefix)), most_(most) {}

  Result<std::string> archive() {
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(root_, error);
         !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
      LAZARET_CHECK(add(*each));
      if (text_.size() > most_) return not_held("too much");
    }
    if (error) return Error(Errc::system, error.message());
    text_ += tar_end();
    return std::move(text_);
  }

 private:
  Status add(const fs::directory_entry& member) {
    std::error_code error;
    TarHead head{.path = member.path().lexically_relative(root_).generic_string()};
    if (!policy::is_below(prefix_ + head.path)) return not_held("too long a path");
    const fs::file_status status = member.symlink_status(error);
    if (fs::is_regular_file(status)) return add_file(member.path(), std::move(head));
    if (fs::is_directory(status)) {
      head.kind = TarKind::directory;
    } else {
      head.kind = TarKind::link;
      head.target = fs::read_symlink(member.path(), error).generic_string();
      if (error || leads_out(head.path, head.target)) return not_held("it cannot be put");
    }
    return add_head(head);
  }

  Status add_file(const fs::path& path, TarHead head) {
    LAZARET_TRY(const Input file, read_file(path, os::LastLink::refuse, most_));
    head.size = file.content.size();
    head.mode = file.executable ? 0755 : 0644;
    LAZARET_CHECK(add_head(head));
    text_ += file.content;
    text_ += tar_padding(head.size);
    return {};
  }

  Status add_head(const TarHead& head) {
    LAZARET_TRY(const std::string text, tar_head(head));
    text_ += text;
    return {};
  }

  const fs::path& root_;
  const std::string prefix_;  // of all paths, in the box
  const std::uint64_t most_;
  std::string text_;
};

Status hold(Input& input, std::uint64_t most) {
  std::error_code error;
  const fs::path source = *input.source;
  if (fs::is_directory(source, error)) {
    std::string prefix = input.path == "." ? "" : input.path + "/";
    LAZARET_TRY(input.content, Archiver(source, std::move(prefix), most).archive());
    input.is_archive = true;
  } else {
    if (!fs::is_regular_file(source, error)) return not_held("it is no file");
    LAZARET_TRY(Input file, read_file(source, os::LastLink::follow, most));
    input.content = std::move(file.content);
    input.executable = file.executable;
  }
  input.source.reset();
  return {};
}

}  // namespace

std::optional<std::vector<Input>> held_by(std::vector<Input> inputs, std::uint64_t most) {
  for (Input& input : inputs) {
    if (input.source && !hold(input, most).ok()) return std::nullopt;
    if (input.content.size() > most) return std::nullopt;
    most -= input.content.size();
  }
  return inputs;
}

}  // namespace lazaret::core
