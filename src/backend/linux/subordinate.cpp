#include "backend/linux/subordinate.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/number.hpp"
#include "base/try.hpp"
#include "os/command.hpp"

namespace lazaret::backend::native {
namespace {

// Where systems keep programs that run as their owner; not the caller's own PATH.
constexpr const char* kPath = "PATH=/usr/bin:/bin:/run/wrappers/bin:/usr/local/bin";

std::string name_of_caller() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> space{};
  if (::getpwuid_r(::geteuid(), &entry, space.data(), space.size(), &found) != 0 || !found)
    return {};
  return found->pw_name;
}

struct IdMap {
  const char* program;  // one of shadow's two; the kernel takes a map only whole
  const char* file;
  std::vector<std::string> words;  // inside, outside and count of each line
};

Status write_map(pid_t pid, const IdMap& map, const Call& call) {
  const std::string number = std::to_string(pid);
  std::vector<std::string> argv = {map.program, number};
  argv.insert(argv.end(), map.words.begin(), map.words.end());
  LAZARET_TRY(auto command, os::Command::start({std::move(argv), {kPath}}));
  LAZARET_TRY(const os::CommandEnd end, command.finish(call));
  if (end.good()) return {};
  std::ifstream file("/proc/" + number + "/" + map.file);
  const std::vector<std::string> seen{std::istream_iterator<std::string>(file), {}};
  if (!end.known && seen == map.words) return {};
  return Error(Errc::permission_denied, std::string(map.program) + ": " + command.error_tail());
}

std::vector<std::string> map_words(std::uint32_t inside, std::uint32_t own, std::uint32_t given) {
  return {"0", std::to_string(own), "1", std::to_string(inside), std::to_string(given), "1"};
}

// "name:first:count"; a line that is not so gives nothing.
std::optional<std::uint32_t> last_id_in(const std::string& line, const Owner& owner) {
  std::istringstream text(line);
  std::string name, first, count;
  if (!std::getline(text, name, ':') || !std::getline(text, first, ':') || !(text >> count))
    return std::nullopt;
  if (name.empty() || (name != owner.name && name != std::to_string(owner.number)))
    return std::nullopt;
  const auto from = parse_number(first);
  const auto many = parse_number(count);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  // The last number of all means nobody (setresuid(2)); 0 would be root.
  if (!from || !many || *from == 0 || *many == 0 || *from >= kMost || *many > kMost - *from)
    return std::nullopt;
  return static_cast<std::uint32_t>(*from + *many - 1);
}

}  // namespace

// WHY the last: rootless engines map the first ones into their containers.
std::optional<std::uint32_t> last_id_of(std::string_view file, const Owner& owner) {
  std::istringstream lines{std::string(file)};
  for (std::string line; std::getline(lines, line);) {
    if (const auto id = last_id_in(line, owner)) return id;
  }
  return std::nullopt;
}

std::optional<SubordinateIds> subordinate_ids() {
  const std::string users = text_of_file("/etc/subuid");
  const std::string groups = text_of_file("/etc/subgid");
  if (users.empty() || groups.empty()) return std::nullopt;
  const std::string name = name_of_caller();
  const Owner owner{name, ::geteuid()};
  const auto user = last_id_of(users, owner);
  const auto group = last_id_of(groups, owner);
  if (!user || !group) return std::nullopt;
  return SubordinateIds{*user, *group};
}

Status map_subordinate(pid_t pid, std::uint32_t inside, const SubordinateIds& ids,
                       const Call& call) {
  const IdMap groups{"newgidmap", "gid_map", map_words(inside, ::getegid(), ids.group)};
  const IdMap users{"newuidmap", "uid_map", map_words(inside, ::geteuid(), ids.user)};
  LAZARET_CHECK(write_map(pid, groups, call));
  return write_map(pid, users, call);
}

}  // namespace lazaret::backend::native
