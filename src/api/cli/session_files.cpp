#include "api/cli/session_files.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "base/base64.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/artifacts.hpp"
#include "core/result_reading.hpp"
#include "os/plain_file.hpp"

namespace lazaret::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kPiece = 4UL << 20;  // as base64 it fits into a request and into an answer
constexpr std::size_t kMostAtOnce = 1000;  // files in one request

// RFC 3986, 2.1; all but what needs no escape.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~/";
  std::string query;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= 'a' && byte <= 'z') || kPlain.find(letter) != kPlain.npos;
    if (plain)
      query += letter;
    else
      query.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return query;
}

Error unusable(const fs::path& path, const std::string& why) {
  return Error(Errc::invalid_argument, path.string() + " " + why);
}

json file_of(const std::string& path, std::string_view content, bool executable) {
  return {{"path", path}, {"base64", to_base64(content)}, {"executable", executable}};
}

// JSON knows no other names.
Result<std::string> text_of(const json& body) {
  try {
    return body.dump();
  } catch (const json::type_error&) {
    return Error(Errc::invalid_argument, "names of files must be UTF-8");
  }
}

// "model/" is called model; what "." is called the system knows.
fs::path with_a_name(const fs::path& path, std::error_code& error) {
  const fs::path bare = path.has_filename() ? path : path.parent_path();
  const fs::path name = bare.filename();
  return name.empty() || name == "." || name == ".." ? fs::canonical(path, error) : bare;
}

// The name that it has below /work.
std::string name_below(const std::string& directory, const fs::path& path) {
  const std::string name = path.generic_string();
  return directory == "." ? name : directory + "/" + name;
}

// The others are gone, cannot be read, or have a name that JSON does not have.
bool is_of_one_file(Errc code) {
  return code == Errc::not_found || code == Errc::conflict || code == Errc::invalid_argument;
}

runner::Entry::Kind kind_on_the_wire(Artifact::Kind kind) {
  switch (kind) {
    case Artifact::Kind::file: return runner::Entry::Kind::file;
    case Artifact::Kind::directory: return runner::Entry::Kind::directory;
    case Artifact::Kind::link: return runner::Entry::Kind::link;
    case Artifact::Kind::other: break;
  }
  return runner::Entry::Kind::other;
}

// Known before any of it comes. Sizes are what a program says that they are: none may wrap.
Status check_sizes(const std::vector<Artifact>& files, std::uint64_t most) {
  std::uint64_t sum = 0;
  for (const Artifact& each : files) {
    if (each.kind != Artifact::Kind::file) continue;
    if (each.size > most - sum)
      return Error(Errc::too_large, "more than the " + std::to_string(most) +
                                        " bytes that the box holds; what is sparse or linked"
                                        " counts in full")
          .with_hint("name the files that you want, one by one");
    sum += each.size;
  }
  return {};
}

// What has come as a whole.
void count(core::ArtifactTaker& taker, Traffic& traffic) {
  const auto& warnings = taker.warnings();
  traffic.warnings.insert(traffic.warnings.end(), warnings.begin(), warnings.end());
  for (const Artifact& each : std::move(taker).artifacts()) {
    if (each.kind != Artifact::Kind::file) continue;
    ++traffic.files;
    traffic.bytes += each.size;
  }
}

}  // namespace

// Small files go together, large ones piece by piece.
class SessionFiles::Sender {
 public:
  explicit Sender(const SessionFiles& to) : to_(to) {}

  Status send(const fs::path& source, const std::string& directory) {
    std::error_code error;
    const fs::path named = with_a_name(source, error);
    const fs::file_status status = error ? fs::file_status() : fs::status(named, error);
    if (source.empty() || status.type() == fs::file_type::not_found)
      return unusable(source, "is not there");
    if (error) return unusable(source, "cannot be looked at: " + error.message());
    const std::string path = name_below(directory, named.filename());
    return fs::is_directory(status) ? send_directory(named, path)
                                    : send_file(named, os::LastLink::follow, path);
  }

  Result<Traffic> finish() {
    LAZARET_CHECK(flush());
    return std::move(traffic_);
  }

 private:
  Status send_directory(const fs::path& root, const std::string& path) {
    LAZARET_CHECK(to_.make_directory(path));
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(root, error);
         !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
      const std::string below = path + "/" + each->path().lexically_relative(root).generic_string();
      const fs::file_status status = each->symlink_status(error);
      if (error) break;
      LAZARET_CHECK(fs::is_directory(status)
                        ? to_.make_directory(below)
                        : send_file(each->path(), os::LastLink::refuse, below));
    }
    return error ? Status(unusable(root, "cannot be read: " + error.message())) : Status();
  }

  Status send_file(const fs::path& source, os::LastLink link, const std::string& path) {
    LAZARET_TRY(const os::PlainFile file, os::PlainFile::open(source, link));
    for (bool first = true, more = true; more; first = false) {
      LAZARET_TRY(const std::size_t count, file.read(std::as_writable_bytes(std::span(piece_))));
      more = count == piece_.size();
      const auto content = std::string_view(piece_).substr(0, count);
      LAZARET_CHECK(add(file_of(path, content, file.is_executable()), count));
      if (more || !first) LAZARET_CHECK(flush(first ? "" : "?append=true"));
    }
    ++traffic_.files;
    return {};
  }

  Status add(json file, std::size_t bytes) {
    if (bytes_ + bytes > kPiece || files_.size() == kMostAtOnce) LAZARET_CHECK(flush());
    files_.push_back(std::move(file));
    bytes_ += bytes;
    traffic_.bytes += bytes;
    return {};
  }

  Status flush(const std::string& query = "") {
    if (files_.empty()) return {};
    bytes_ = 0;
    return to_.change("PUT", query, {{"files", std::exchange(files_, json::array())}});
  }

  const SessionFiles& to_;
  std::string piece_ = std::string(kPiece, '\0');
  json files_ = json::array();
  std::size_t bytes_ = 0;
  Traffic traffic_;
};

SessionFiles::SessionFiles(Errand& errand, const std::string& session)
    : errand_(errand), session_("/v1/sessions/" + session), target_(session_ + "/files") {}

Result<SessionFiles::Listing> SessionFiles::ask_for(const std::string& query) const {
  Listing listing;
  LAZARET_TRY(listing.text, errand_.ask({"GET", target_ + query}));
  LAZARET_TRY(auto told, core::files_of(listing.text));
  listing.files = std::move(told.artifacts);
  listing.warnings = std::move(told.warnings);
  return listing;
}

Status SessionFiles::change(const std::string& method, const std::string& query,
                            const json& body) const {
  LAZARET_TRY(std::string text, body.is_null() ? Result<std::string>("") : text_of(body));
  LAZARET_TRY(const std::string nothing, errand_.ask({method, target_ + query, std::move(text)}));
  return {};
}

Result<SessionFiles::Listing> SessionFiles::list(const std::string& path) const {
  return ask_for("?content=false&path=" + escaped(path));
}

Result<Traffic> SessionFiles::put(const std::vector<std::string>& sources,
                                  const std::string& directory) const {
  Sender sender(*this);
  for (const std::string& source : sources) LAZARET_CHECK(sender.send(source, directory));
  return sender.finish();
}

// Of the box, which nothing that lies in it can exceed but what is sparse or linked.
Result<std::uint64_t> SessionFiles::disk_bytes() const {
  LAZARET_TRY(const std::string text, errand_.ask({"GET", session_}));
  const json session = json::parse(text, nullptr, false);
  const auto found = session.is_object() ? session.find("disk_bytes") : session.end();
  if (found == session.end() || !found->is_number_unsigned())
    return Error(Errc::protocol, "the daemon does not say how much the session holds");
  return found->get<std::uint64_t>();
}

// What the daemon names is what a program has named: written as artifacts are.
Result<Traffic> SessionFiles::get(const std::string& path, const fs::path& directory) const {
  LAZARET_TRY(const std::uint64_t most, disk_bytes());
  LAZARET_TRY(const Listing listing, list(path));
  LAZARET_CHECK(check_sizes(listing.files, most));
  LAZARET_TRY(const bool is_lone, is_file(path));
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return unusable(directory, "cannot be made: " + error.message());
  core::ArtifactTaker taker({directory, false, most});
  Traffic traffic{0, 0, listing.warnings};
  std::set<std::string> names;
  for (const Artifact& each : listing.files) {
    const std::string whole = is_lone ? path : name_below(path, each.path);
    const Status taken = names.insert(each.path).second
                             ? take(each, whole, taker)
                             : Status(unusable(each.path, "comes twice"));
    if (taker.trouble()) return *taker.trouble();
    if (!taken.ok() && (is_lone || !is_of_one_file(taken.error().code()))) return taken.error();
    if (!taken.ok()) traffic.warnings.push_back("not taken: " + taken.error().message());
  }
  count(taker, traffic);
  return traffic;
}

Result<bool> SessionFiles::is_file(const std::string& path) const {
  if (path == ".") return false;
  const auto probe = read(path, 0, 1);
  if (!probe.ok() && probe.error().code() != Errc::invalid_argument) return probe.error();
  return probe.ok();
}

// Its first piece comes before it is opened here: of one that cannot be read nothing is left.
Status SessionFiles::take(const Artifact& each, const std::string& path,
                          core::ArtifactTaker& taker) const {
  const bool is_file = each.kind == Artifact::Kind::file;
  std::string piece;
  if (is_file) {
    LAZARET_TRY(piece, read(path, 0, kPiece));
  }
  LAZARET_CHECK(taker.entry({kind_on_the_wire(each.kind), each.executable, 0, each.path, {}}));
  for (std::uint64_t offset = kPiece; is_file && !taker.trouble(); offset += kPiece) {
    if (!piece.empty()) LAZARET_CHECK(taker.content(bytes_of(piece)));
    if (piece.size() < kPiece) return taker.content({});
    auto next = read(path, offset, kPiece);
    if (!next.ok()) return Error(next.error()).as(Errc::connection_lost);  // it has no end
    piece = std::move(*next);
  }
  return {};
}

Result<std::string> SessionFiles::read(const std::string& path, std::uint64_t offset,
                                       std::size_t length) const {
  LAZARET_TRY(Listing answer,
              ask_for("?path=" + escaped(path) + "&offset=" + std::to_string(offset) +
                      "&length=" + std::to_string(length)));
  const bool is_piece = answer.files.size() == 1 && answer.files.front().content &&
                        answer.files.front().content->size() <= length;
  if (is_piece) return std::move(*answer.files.front().content);
  return Error(Errc::protocol, "the daemon gives something else than a piece of a file");
}

Status SessionFiles::make_directory(const std::string& path) const {
  return change("POST", "", {{"operation", "make_directory"}, {"path", path}});
}

Status SessionFiles::move(const std::string& path, const std::string& target) const {
  return change("POST", "", {{"operation", "move"}, {"path", path}, {"target", target}});
}

Status SessionFiles::remove(const std::string& path) const {
  return change("DELETE", "?path=" + escaped(path), {});
}

}  // namespace lazaret::cli
