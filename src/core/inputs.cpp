#include "core/inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/split.hpp"
#include "base/tar_reader.hpp"
#include "base/try.hpp"
#include "os/plain_file.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;
using runner::Entry;

Error cannot_read(const fs::path& path, const std::error_code& error) {
  const bool absent = error == std::errc::no_such_file_or_directory;
  return Error(absent ? Errc::not_found : Errc::system,
               policy::in_quotes(path.string()) + ": " + error.message());
}

Error unfit(const std::string& path, const char* why) {
  return Error(Errc::invalid_argument, policy::in_quotes(path) + " " + why);
}

Error unfit(const fs::path& path, const char* why) { return unfit(path.string(), why); }

template <typename Path>
Error not_to_be_put(const Path& path, const char* why) {
  return unfit(path, why).with_hint(
      "leave it out: a box is given files, directories and the links between them");
}

std::string below(const std::string& path, const std::string& name) {
  return path == "." ? name : path + "/" + name;
}

// Puts what a caller gives, in his order, and of a directory what lies in it.
class Courier {
 public:
  Courier(runner::Client& client, const Cargo& cargo, const Call& call)
      : client_(client), code_(cargo.code), existing_(cargo.existing), call_(call) {}

  Status put(const Input& input) {
    if (input.is_archive) return put_archive(input);
    if (!input.source) return put_text(input);
    const fs::path source(*input.source);
    std::error_code error;
    const fs::file_status status = fs::status(source, error);
    if (error) return cannot_read(source, error);
    if (fs::is_directory(status)) return put_directory(source, input.path);
    if (input.path == ".") return unfit(source, "is no directory");
    if (!fs::is_regular_file(status))
      return not_to_be_put(source, "is neither a file nor a directory");
    return put_file(source, os::LastLink::follow, input.path);
  }

 private:
  Status send(Entry entry) {
    entry.existing = existing_;
    return client_.put(entry, call_);
  }

  Status put_text(const Input& input) {
    LAZARET_CHECK(
        send({Entry::Kind::file, input.executable, input.content.size(), input.path, {}}));
    return client_.put_content(bytes_of(input.content), call_);
  }

  Status put_file(const fs::path& source, os::LastLink link, const std::string& path) {
    LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(source, link));
    LAZARET_CHECK(send({Entry::Kind::file, file.is_executable(), file.size(), path, {}}));
    return put_content(source, file);
  }

  // As much as was said, come what may: what would be missing is filled up.
  Status put_content(const fs::path& source, const os::PlainFile& file) {
    std::array<std::byte, runner::kStreamBytes> piece{};
    Status seen;
    for (std::uint64_t left = file.size(); left > 0;) {
      const auto room = std::span(piece).first(std::min<std::uint64_t>(left, piece.size()));
      const auto count = file.read(room);
      if (seen.ok() && !count.ok()) seen = count.error();
      if (seen.ok() && *count < room.size())
        seen = unfit(source, "has changed while it was read");
      LAZARET_CHECK(client_.put_content(room, call_));
      left -= room.size();
    }
    return seen.ok() && file.size() == 0 ? check_empty(source, file) : seen;
  }

  // All of one is at hand, and so is what is said of it.
  Status put_archive(const Input& input) {
    if (input.path != ".") LAZARET_CHECK(send({Entry::Kind::directory, false, 0, input.path, {}}));
    TarReader reader([rest = std::string_view(input.content)]() mutable -> Result<std::string> {
      return std::string(std::exchange(rest, {}));
    });
    for (;;) {
      auto head = reader.next();
      if (!head.ok()) return Error(head.error()).within(policy::in_quotes(input.path));
      if (!*head) return {};
      const std::string path = below(input.path, (*head)->path);
      if ((*head)->path == "." || is_of_code(path)) continue;
      const Status put = put_entry(**head, path, reader);
      if (!put.ok() && !is_of_box(put.error().code()))
        return Error(put.error()).within(policy::in_quotes(input.path));
      LAZARET_CHECK(put);
    }
  }

  [[nodiscard]] bool is_of_code(std::string_view path) const {
    const bool begins = !code_.empty() && path.starts_with(code_);
    return begins && (path.size() == code_.size() || path[code_.size()] == '/');
  }

  Status put_entry(const TarHead& head, const std::string& path, TarReader& reader) {
    if (!policy::is_below(path)) return unfit(head.path, "has too long a path");
    if (head.kind == TarKind::directory)
      return send({Entry::Kind::directory, false, 0, path, {}});
    if (head.kind == TarKind::link) {
      if (!leads_out(head.path, head.target))
        return send({Entry::Kind::link, false, 0, path, head.target});
      return not_to_be_put(head.path, "is a link that leads out of its directory");
    }
    // The reader has all of the archive, and gives what there is of the file at once.
    LAZARET_TRY(const Bytes content, reader.content());
    if (content.size() != head.size) return unfit(head.path, "is cut");
    LAZARET_CHECK(send({Entry::Kind::file, (head.mode & 0100) != 0, head.size, path, {}}));
    return client_.put_content(content, call_);
  }

  Status put_directory(const fs::path& root, const std::string& path) {
    if (path != ".") LAZARET_CHECK(send({Entry::Kind::directory, false, 0, path, {}}));
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(root, error);
         !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
      const fs::path inside = each->path().lexically_relative(root);
      const std::string member = below(path, inside.generic_string());
      if (member == code_)
        each.disable_recursion_pending();
      else
        LAZARET_CHECK(put_member(*each, inside, member));
    }
    return error ? Status(cannot_read(root, error)) : Status();
  }

  Status put_member(const fs::directory_entry& member, const fs::path& inside,
                    const std::string& path) {
    std::error_code error;
    if (!policy::is_below(path)) return unfit(member.path(), "has too long a path");
    const fs::file_status status = member.symlink_status(error);
    if (error) return cannot_read(member.path(), error);
    if (fs::is_directory(status)) return send({Entry::Kind::directory, false, 0, path, {}});
    if (fs::is_symlink(status)) return put_link(member.path(), inside, path);
    if (!fs::is_regular_file(status))
      return not_to_be_put(member.path(), "is neither a file nor a directory");
    return put_file(member.path(), os::LastLink::refuse, path);
  }

  // By its words alone: where it leads on this machine has no meaning in the box.
  Status put_link(const fs::path& link, const fs::path& inside, const std::string& path) {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    if (error) return cannot_read(link, error);
    if (leads_out(inside.generic_string(), target.generic_string()))
      return not_to_be_put(link, "is a link that leads out of its directory");
    return send({Entry::Kind::link, false, 0, path, target.generic_string()});
  }

  runner::Client& client_;
  std::string_view code_;
  Entry::Existing existing_;
  const Call& call_;
};

}  // namespace

bool is_of_box(Errc code) noexcept {
  return code == Errc::connection_lost || code == Errc::protocol || code == Errc::timed_out ||
         code == Errc::cancelled;
}

bool leads_out(std::string_view link, std::string_view target) {
  if (target.starts_with('/')) return true;
  auto above = std::ranges::count(link, '/');  // the directories that it lies in
  for (const std::string_view name : split(target, '/')) {
    if (name == ".." && above-- == 0) return true;
    if (!name.empty() && name != "." && name != "..") ++above;
  }
  return false;
}

Status look_for(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    std::error_code error;
    if (!input.source || fs::exists(fs::status(*input.source, error))) continue;
    return cannot_read(*input.source,
                       error ? error : std::make_error_code(std::errc::no_such_file_or_directory));
  }
  return {};
}

Status check_empty(const fs::path& source, const os::PlainFile& file) {
  std::array<std::byte, 1> byte{};
  LAZARET_TRY(const std::size_t count, file.read(byte));
  if (count == 0) return {};
  return unfit(source, "has grown while it was read, or is a file of /proc");
}

Result<runner::Placed> put_inputs(runner::Client& client, const Cargo& cargo, const Call& call) {
  Courier courier(client, cargo, call);
  Status status;
  for (const Input& input : cargo.inputs) {
    status = courier.put(input);
    if (!status.ok()) break;
  }
  if (!status.ok() && is_of_box(status.error().code())) return status.error();
  auto placed = client.end_put(call);
  if (!status.ok() && placed.ok()) return status.error();
  return placed;
}

}  // namespace lazaret::core
