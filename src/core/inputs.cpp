#include "core/inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

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

Error unfit(const fs::path& path, const char* why) {
  return Error(Errc::invalid_argument, policy::in_quotes(path.string()) + " " + why);
}

Error not_to_be_put(const fs::path& path, const char* why) {
  return unfit(path, why).with_hint(
      "leave it out: a box is given files, directories and the links between them");
}

// Puts what a caller gives, in his order, and of a directory what lies in it.
class Courier {
 public:
  Courier(runner::Client& client, const Cargo& cargo, const Call& call)
      : client_(client), code_(cargo.code), existing_(cargo.existing), call_(call) {}

  Status put(const Input& input) {
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

  Status put_directory(const fs::path& root, const std::string& path) {
    if (path != ".") LAZARET_CHECK(send({Entry::Kind::directory, false, 0, path, {}}));
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(root, error);
         !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
      const fs::path inside = each->path().lexically_relative(root);
      const std::string below = (path == "." ? "" : path + "/") + inside.generic_string();
      if (below == code_)
        each.disable_recursion_pending();
      else
        LAZARET_CHECK(put_member(*each, inside, below));
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
    if (leads_out(inside, target))
      return not_to_be_put(link, "is a link that leads out of its directory");
    return send({Entry::Kind::link, false, 0, path, target.generic_string()});
  }

  runner::Client& client_;
  std::string_view code_;
  Entry::Existing existing_;
  const Call& call_;
};

// Looked at before it is opened, which may have an effect.
Status hold(Input& input, std::uint64_t most) {
  std::error_code error;
  if (!fs::is_regular_file(*input.source, error)) return unfit(*input.source, "is no file");
  LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(*input.source, os::LastLink::follow));
  if (file.size() > most) return unfit(*input.source, "is too long");
  std::vector<std::byte> content(file.size());
  LAZARET_TRY(const std::size_t count, file.read(content));
  LAZARET_CHECK(check_empty(*input.source, file));  // nor has it grown
  if (count < content.size()) return unfit(*input.source, "has changed while it was read");
  input.content = text_of(content);
  input.executable = file.is_executable();
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

bool is_of_box(Errc code) noexcept {
  return code == Errc::connection_lost || code == Errc::protocol || code == Errc::timed_out ||
         code == Errc::cancelled;
}

bool leads_out(const fs::path& link, const fs::path& target) {
  const fs::path reached = (link.parent_path() / target).lexically_normal();
  return target.is_absolute() || (!reached.empty() && *reached.begin() == "..");
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
