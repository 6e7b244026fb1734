#include "api/cli/session_files.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "api/cli/sent_archive.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/artifacts.hpp"
#include "core/result_reading.hpp"
#include "policy/quantity.hpp"

namespace lazaret::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

// JSON knows no other names.
Result<std::string> text_of(const json& body) {
  try {
    return body.dump();
  } catch (const json::type_error&) {
    return Error(Errc::invalid_argument, "names of files must be UTF-8");
  }
}

// The name that it has below /work.
std::string name_below(const std::string& directory, const std::string& name) {
  return directory == "." ? name : directory + "/" + name;
}

// It is gone, or cannot be read.
bool is_of_one_file(Errc code) { return code == Errc::not_found || code == Errc::conflict; }

runner::Entry entry_of(const TarHead& head) {
  using Kind = runner::Entry::Kind;
  const bool is_directory = head.kind == TarKind::directory;
  const Kind other = is_directory ? Kind::directory : Kind::link;
  return {head.kind == TarKind::file ? Kind::file : other, (head.mode & 0100) != 0, head.size,
          head.path, head.target};
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
  const auto warnings = taker.warnings();
  traffic.warnings.insert(traffic.warnings.end(), warnings.begin(), warnings.end());
  for (const Artifact& each : std::move(taker).artifacts()) {
    if (each.kind != Artifact::Kind::file) continue;
    ++traffic.files;
    traffic.bytes += each.size;
  }
}

}  // namespace

SessionFiles::SessionFiles(Errand& errand, const std::string& session)
    : errand_(errand), session_("/v1/sessions/" + session), target_(session_ + "/files") {}

std::string SessionFiles::watch_of(const std::string& session, const std::string& path) {
  return "/v1/sessions/" + session + "/watch?path=" + escaped(path);
}

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

Result<SessionFiles::Listing> SessionFiles::stat(const std::string& path) const {
  return ask_for("?stat=true&path=" + escaped(path));
}

Result<Traffic> SessionFiles::put(const std::vector<std::string>& sources,
                                  const std::string& directory) const {
  SentArchive archive;
  for (const std::string& source : sources) LAZARET_CHECK(archive.add(source));
  const http::BodySource body = [&archive](std::span<std::byte> into) {
    return archive.read(into);
  };
  LAZARET_CHECK(errand_.send_archive(target_ + "?path=" + escaped(directory), body));
  return Traffic{archive.files(), archive.bytes(), {}};
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
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return unusable(directory, "cannot be made: " + error.message());
  core::ArtifactTaker taker({directory, false, most});
  Names taken;
  const Result<bool> whole = take_all(path, taker, taken);
  if (taker.trouble()) return *taker.trouble();
  if (!whole.ok() && whole.error().code() != Errc::invalid_argument) return whole.error();
  if (!whole.ok() && taken.empty()) LAZARET_CHECK(look_at(path));
  // What is not listed for want of room in the list has come all the same.
  const bool is_all = whole.ok() && *whole;
  const bool is_more = taken.size() > listing.files.size();
  Traffic traffic{0, 0, is_all && is_more ? std::vector<std::string>() : listing.warnings};
  if (whole.ok() && !is_all)
    traffic.warnings.emplace_back("the rest was left out: it is too much for one command");
  count(taker, traffic);
  LAZARET_CHECK(tell_not_taken(path, listing.files, std::move(taken), traffic.warnings));
  if (!whole.ok() && traffic.warnings.empty()) return whole.error();
  return traffic;
}

// Whether that was all. An archive that the daemon has cut between two entries says so by what is
// no entry (invalid_argument).
Result<bool> SessionFiles::take_all(const std::string& path, core::ArtifactTaker& taker,
                                    Names& taken) const {
  LAZARET_TRY(http::Exchange archive,
              errand_.open({"GET", target_ + "?format=tar&path=" + escaped(path)}));
  TarReader reader([&] { return errand_.more_of(archive); });
  for (std::size_t named = 0; taken.size() < core::ArtifactTaker::kMostTaken;) {
    LAZARET_TRY(const auto head, reader.next());
    if (!head) return true;
    if ((named += head->path.size()) > core::ArtifactTaker::kMostNamesTaken) return false;
    LAZARET_CHECK(take(*head, reader, taker));
    if (taker.trouble()) return false;
    taken.insert(to_utf8(head->path));  // as JSON names it
  }
  return false;
}

Status SessionFiles::take(const TarHead& head, TarReader& reader, core::ArtifactTaker& taker) {
  LAZARET_CHECK(taker.entry(entry_of(head)));
  for (bool more = head.kind == TarKind::file; more && !taker.trouble();) {
    LAZARET_TRY(const Bytes some, reader.content());
    LAZARET_CHECK(taker.content(some));
    more = !some.empty();
  }
  return {};
}

// An archive says that it is cut, but not of what and why. Errors: those that are of no one file.
Status SessionFiles::tell_not_taken(const std::string& path, const std::vector<Artifact>& listed,
                                    Names taken, std::vector<std::string>& warnings) const {
  for (const Artifact& each : listed) {
    if (const auto found = taken.find(each.path); found != taken.end()) {
      taken.erase(found);
    } else if (each.kind == Artifact::Kind::other) {
      warnings.push_back(policy::in_quotes(each.path) +
                         " is neither a file nor a directory: not taken");
    } else {
      const Status seen = look_at(name_below(path, each.path));
      if (!seen.ok() && !is_of_one_file(seen.error().code())) return seen;
      warnings.push_back("not taken: " + (seen.ok() ? policy::in_quotes(each.path) + " has changed"
                                                    : seen.error().message()));
    }
  }
  return {};
}

Status SessionFiles::look_at(const std::string& path) const {
  const auto first = ask_for("?offset=0&length=1&path=" + escaped(path));
  const bool is_well = first.ok() || first.error().code() == Errc::invalid_argument;
  return is_well ? Status() : Status(first.error());
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
