#include "core/package_fetch.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/inputs.hpp"
#include "core/relay.hpp"
#include "os/tcp.hpp"
#include "policy/packages.hpp"

namespace lazaret::embedded {
extern const std::string_view fetch_python;      // core/packages/fetch_python.py
extern const std::string_view fetch_javascript;  // and fetch_javascript.js
}  // namespace lazaret::embedded

namespace lazaret::core {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kHttp = 80, kHttps = 443;
constexpr std::array<std::string_view, 2> kLocks = {"package-lock.json", "package.json"};

// Where the index answers. Its address may hold a password, and is not repeated.
Result<std::optional<Endpoint>> endpoint_of(const PackageIndex& index) {
  if (index.url.empty()) return std::optional<Endpoint>();
  const std::string_view url = index.url;
  const Error no_address(Errc::invalid_argument, index.variable + " is no http or https address");
  const bool is_plain = url.starts_with("http://");
  const bool is_line = url.find_first_of("\r\n") == url.npos;
  if (!is_line || (!is_plain && !url.starts_with("https://"))) return no_address;
  const std::size_t begin = url.find("://") + 3;
  std::string_view place = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  place.remove_prefix(std::min(place.rfind('@') + 1, place.size()));
  auto endpoint = endpoint_in(place, is_plain ? kHttp : kHttps);
  if (!endpoint) return no_address;
  return endpoint;
}

// Whom the caller has named may be anybody; whom an index names is somebody out there.
struct Reachable {
  std::vector<Endpoint> named;
  bool are_public = false;
};

Result<Reachable> reachable_for(const PackageWish& wish) {
  Reachable reachable;
  LAZARET_TRY(const std::optional<Endpoint> index, endpoint_of(wish.index));
  if (index) reachable.named.push_back(*index);
  for (const std::string& host : wish.hosts) {
    const auto endpoint = endpoint_in(host, kHttps);
    if (host == policy::kPublicHosts)
      reachable.are_public = true;
    else if (endpoint)
      reachable.named.push_back(*endpoint);
  }
  return reachable;
}

Result<std::unique_ptr<Wire>> connect(const Reachable& reachable, const Endpoint& to,
                                      const Call& call) {
  const bool is_named = std::ranges::find(reachable.named, to) != reachable.named.end();
  if (!is_named && (!reachable.are_public || to.port != kHttps))
    return Error(Errc::permission_denied,
                 to.host + " port " + std::to_string(to.port) + " is not for packages");
  return os::connect_tcp(to.host, to.port,
                         is_named ? os::Addresses::any : os::Addresses::public_ones, call);
}

std::vector<Input> inputs_for(const PackageWish& wish) {
  std::string wanted;
  std::vector<Input> inputs;
  for (const std::string& word : wish.request.packages) {
    if (policy::is_package_file(word, wish.language))
      inputs.push_back({"packages/" + fs::path(word).filename().string(), {}, word});
    else
      wanted += word + "\n";
  }
  inputs.push_back({"wanted", wanted, {}});
  inputs.push_back({"index", wish.index.url, {}});
  if (wish.index.authorities.empty())
    inputs.push_back({"authorities", "", {}});
  else
    inputs.push_back({"authorities", {}, wish.index.authorities.string()});
  return inputs;
}

ExecutionResult run_with(Relay& relay, ExecutionRequest request, const Installer& install) {
  request.loopback = Loopback::up;  // where its installer finds the way to us
  // WHY: an index can name what its installer would build or prepare, whatever it is told: an
  // address of a source archive for pip, a repository for npm. Both would be run as programs.
  request.subprocess = Subprocess::deny;
  if (request.required_controls) request.required_controls->insert(Control::subprocess);
  request.stdin_source = [&relay](const std::stop_token& stop) { return relay.next(stop); };
  request.on_output = [&relay](Stream stream, std::string_view bytes) {
    if (stream == Stream::standard_output) relay.hear(bytes);
  };
  return install(request, policy::Streams::relayed);
}

Error not_fetched(const PackageWish& wish, const ExecutionResult& result, const Relay& relay) {
  Error error = no_packages(result, "fetched");
  const auto trouble = relay.trouble();
  if (!trouble || result.meta.cause != Cause::nonzero_exit) return error;
  const bool is_denied = trouble->code() == Errc::permission_denied;
  return Error(error.code(), error.message() + " (" + trouble->message() + ")")
      .with_hint(is_denied ? "if you know that host, add it to packages.hosts of your "
                             "configuration (LAZARET_PACKAGES_HOSTS=public,HOST:PORT)"
                           : "give their files instead, with all that they need, or set " +
                                 wish.index.variable + " to an index that answers");
}

bool is_package(const std::string& name, const PackageWish& wish) {
  if (is_lock(name)) return true;
  const bool is_built = wish.language != "python" || name.ends_with(".whl");
  return is_built && policy::package_named(name, wish.language).ok();
}

// What came out of the box, as the caller could have given it.
Result<std::vector<std::string>> files_in(const fs::path& folder, const PackageWish& wish,
                                          const TreeSize& size) try {
  TreeSize seen;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!is_package(name, wish))
      return Error(Errc::start_failed,
                   "the packages cannot be fetched: " + printable(name, '?') +
                       " is no file that can be installed as it is");
    ++seen.files;
    seen.bytes += entry.file_size();
    files.push_back(entry.path().string());
  }
  if (seen == size) return files;
  return Error(Errc::start_failed, "not all of the packages came out of the box that fetched them");
} catch (const fs::filesystem_error& problem) {
  return Error(Errc::system, std::string("packages cannot be kept: ") + problem.what());
}

}  // namespace

bool is_lock(const fs::path& file) {
  return std::ranges::find(kLocks, file.filename().string()) != kLocks.end();
}

Result<std::vector<std::string>> fetch_packages(const PackageWish& wish, const fs::path& into,
                                                const Installer& install) {
  LAZARET_TRY(const Reachable reachable, reachable_for(wish));
  if (!wish.index.authorities.empty())
    LAZARET_CHECK(look_for({{{}, {}, wish.index.authorities.string()}}).within("certificates"));
  const PackageProgram program{embedded::fetch_python, embedded::fetch_javascript};
  Relay relay([&reachable](const Endpoint& to, const Call& call) {
    return connect(reachable, to, call);
  });
  const ExecutionResult result =
      run_with(relay, request_for_packages(wish, program, inputs_for(wish), into), install);
  if (!result.success()) return not_fetched(wish, result, relay);
  return files_in(into / "packages", wish, size_said(result));
}

}  // namespace lazaret::core
