#include "core/inputs.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/try.hpp"
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

Error not_to_be_put(const fs::path& path, const char* why) {
  return Error(Errc::invalid_argument, policy::in_quotes(path.string()) + " " + why);
}

// Puts what a caller gives, in his order, and of a directory what lies in it.
class Courier {
 public:
  Courier(runner::Client& client, std::string_view code, const Call& call)
      : client_(client), code_(code), call_(call) {}

  Status put(const Input& input) {
    if (!input.source) return put_text(input);
    const fs::path source(*input.source);
    std::error_code error;
    const fs::file_status status = fs::status(source, error);
    if (error) return cannot_read(source, error);
    if (fs::is_directory(status)) return put_directory(source, input.path);
    if (input.path == ".") return not_to_be_put(source, "is no directory");
    return put_file(source, status, input.path);
  }

 private:
  Status put_text(const Input& input) {
    LAZARET_CHECK(client_.put(
        {Entry::Kind::file, input.executable, input.content.size(), input.path, {}}, call_));
    return client_.put_content(bytes_of(input.content), call_);
  }

  Status put_file(const fs::path& source, const fs::file_status& status, const std::string& path) {
    if (!fs::is_regular_file(status))
      return not_to_be_put(source, "is neither a file nor a directory");
    std::error_code error;
    const std::uintmax_t size = fs::file_size(source, error);
    std::ifstream file(source, std::ios::binary);
    if (error || !file)
      return cannot_read(source,
                         error ? error : std::make_error_code(std::errc::permission_denied));
    const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    LAZARET_CHECK(client_.put({Entry::Kind::file, executable, size, path, {}}, call_));
    return put_content(source, file, size);
  }

  Status put_content(const fs::path& source, std::ifstream& file, std::uintmax_t left) {
    std::array<char, runner::kStreamBytes> piece;
    while (left > 0) {
      const auto wanted =
          static_cast<std::streamsize>(std::min<std::uintmax_t>(left, piece.size()));
      file.read(piece.data(), wanted);
      if (file.gcount() != wanted) return not_to_be_put(source, "has changed while it was read");
      const std::string_view text(piece.data(), static_cast<std::size_t>(wanted));
      LAZARET_CHECK(client_.put_content(bytes_of(text), call_));
      left -= text.size();
    }
    return {};
  }

  Status put_directory(const fs::path& root, const std::string& path) {
    if (path != ".")
      LAZARET_CHECK(client_.put({Entry::Kind::directory, false, 0, path, {}}, call_));
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(root, error);
         !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
      const fs::path inside = each->path().lexically_relative(root);
      const std::string below = (path == "." ? "" : path + "/") + inside.generic_string();
      if (below != code_) LAZARET_CHECK(put_member(*each, inside, below));
    }
    return error ? Status(cannot_read(root, error)) : Status();
  }

  Status put_member(const fs::directory_entry& member, const fs::path& inside,
                    const std::string& path) {
    std::error_code error;
    const fs::file_status status = member.symlink_status(error);
    if (error) return cannot_read(member.path(), error);
    if (fs::is_directory(status))
      return client_.put({Entry::Kind::directory, false, 0, path, {}}, call_);
    if (fs::is_symlink(status)) return put_link(member.path(), inside, path);
    return put_file(member.path(), status, path);
  }

  // By its words alone: where it leads on this machine has no meaning in the box.
  Status put_link(const fs::path& link, const fs::path& inside, const std::string& path) {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    if (error) return cannot_read(link, error);
    const fs::path reached = (inside.parent_path() / target).lexically_normal();
    if (target.is_absolute() || (!reached.empty() && *reached.begin() == ".."))
      return not_to_be_put(link, "is a link that leads out of its directory");
    return client_.put({Entry::Kind::link, false, 0, path, target.generic_string()}, call_);
  }

  runner::Client& client_;
  std::string_view code_;
  const Call& call_;
};

}  // namespace

Status look_for(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    std::error_code error;
    if (!input.source || fs::exists(fs::status(*input.source, error))) continue;
    return cannot_read(*input.source,
                       error ? error : std::make_error_code(std::errc::no_such_file_or_directory));
  }
  return {};
}

Result<runner::Placed> put_inputs(runner::Client& client, const std::vector<Input>& inputs,
                                  std::string_view code, const Call& call) {
  Courier courier(client, code, call);
  for (const Input& input : inputs) LAZARET_CHECK(courier.put(input));
  return client.end_put(call);
}

}  // namespace lazaret::core
