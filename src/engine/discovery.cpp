#include "engine/discovery.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "base/try.hpp"
#include "engine/failure.hpp"
#include "engine/json.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kFileBytes = 1UL << 20;

enum class Root { none, runtime_dir, home };
struct Place {
  Root root;
  std::string_view path;
  std::optional<Kind> expected;
};

// After everything the user has set. /var/run/docker.sock may be podman-docker's.
constexpr std::array kSockets = {
    Place{Root::none, "/var/run/docker.sock", std::nullopt},
    Place{Root::runtime_dir, "docker.sock", Kind::docker},
    Place{Root::home, ".docker/run/docker.sock", Kind::docker},
    Place{Root::home, ".docker/desktop/docker.sock", Kind::docker},
    Place{Root::home, ".colima/default/docker.sock", Kind::docker},
    Place{Root::home, ".colima/docker/docker.sock", Kind::docker},
    Place{Root::home, ".rd/docker.sock", Kind::docker},
    Place{Root::home, ".orbstack/run/docker.sock", Kind::docker},
    Place{Root::home, ".lima/default/sock/docker.sock", Kind::docker},
    Place{Root::home, ".lima/docker/sock/docker.sock", Kind::docker},
    Place{Root::runtime_dir, "podman/podman.sock", Kind::podman},
    Place{Root::none, "/run/podman/podman.sock", Kind::podman},
    Place{Root::home, ".local/share/containers/podman/machine/podman.sock", Kind::podman},
};
constexpr std::array kPipes = {
    Place{Root::none, "//./pipe/docker_engine", std::nullopt},
    Place{Root::none, "//./pipe/dockerDesktopLinuxEngine", Kind::docker},
    Place{Root::none, "//./pipe/podman-machine-default", Kind::podman},
};

std::string variable(const Surroundings& surroundings, std::string_view name) {
  if (!surroundings.variable) return {};
  return surroundings.variable(name).value_or(std::string());
}

// WHY: a fixed place stays text, as generic_string() would take a slash from "//./pipe/".
std::optional<std::string> resolve(const Surroundings& surroundings, const Place& place) {
  if (place.root == Root::none) return std::string(place.path);
  const auto root = place.root == Root::home ? surroundings.home : runtime_dir(surroundings);
  if (root.empty()) return std::nullopt;
  return (root / place.path).generic_string();
}

std::filesystem::path docker_config_dir(const Surroundings& surroundings) {
  const std::string named = variable(surroundings, "DOCKER_CONFIG");
  if (!named.empty()) return named;
  return surroundings.home.empty() ? std::filesystem::path() : surroundings.home / ".docker";
}

Result<nlohmann::json> object_in(const Surroundings& surroundings,
                                 const std::filesystem::path& path) {
  const auto text = surroundings.file ? surroundings.file(path) : std::nullopt;
  if (!text) return Error(Errc::not_found, "cannot read " + path.filename().string());
  return parse_object(*text);
}

std::string current_context(const Surroundings& surroundings) {
  std::string name = variable(surroundings, "DOCKER_CONTEXT");
  if (!name.empty()) return name;
  const auto directory = docker_config_dir(surroundings);
  if (directory.empty()) return {};
  const auto config = object_in(surroundings, directory / "config.json");
  return config.ok() ? text_at(*config, "currentContext") : std::string();
}

Result<std::string> host_of_context(const Surroundings& surroundings, const std::string& name) {
  // The docker CLI files a context under the SHA-256 of its name.
  const auto meta = docker_config_dir(surroundings) / "contexts" / "meta" /
                    to_hex(sha256(bytes_of(name))) / "meta.json";
  LAZARET_TRY(const nlohmann::json context, object_in(surroundings, meta));
  const std::string host = text_at(member(member(context, "Endpoints"), "docker"), "Host");
  if (host.empty()) return Error(Errc::not_found, "meta.json names no host");
  return host;
}

std::optional<Candidate> context_candidate(const Surroundings& surroundings) {
  const std::string name = current_context(surroundings);
  if (name.empty() || name == "default") return std::nullopt;
  Candidate candidate{"", "docker context " + one_line(name), std::nullopt, std::nullopt};
  auto host = host_of_context(surroundings, name);
  if (host.ok()) {
    candidate.endpoint = std::move(host).value();
  } else {
    candidate.trouble = std::move(host).error().within("reading the docker context");
  }
  return candidate;
}

std::vector<Candidate> chosen_by_user(const Surroundings& surroundings) {
  std::vector<Candidate> chosen;
  const std::string docker_host = variable(surroundings, "DOCKER_HOST");
  if (!docker_host.empty()) chosen.push_back({docker_host, "DOCKER_HOST", {}, {}});
  if (auto context = context_candidate(surroundings)) chosen.push_back(std::move(*context));
  const std::string container_host = variable(surroundings, "CONTAINER_HOST");
  if (!container_host.empty()) {
    chosen.push_back({container_host, "CONTAINER_HOST", Kind::podman, {}});
  }
  return chosen;
}

template <typename Places>
void add_places(std::vector<Candidate>& list, const Surroundings& surroundings,
                const Places& places, std::string_view scheme) {
  for (const Place& place : places) {
    const auto path = resolve(surroundings, place);
    if (!path) continue;
    const std::string endpoint = std::string(scheme) + *path;
    list.push_back({endpoint, "well-known", place.expected, {}});
  }
}

bool serves(Wanted wanted, Kind kind) noexcept {
  switch (wanted) {
    case Wanted::docker: return kind == Kind::docker;
    case Wanted::podman: return kind == Kind::podman;
    case Wanted::any: return true;
  }
  return false;
}

std::vector<Candidate> narrowed(std::vector<Candidate> all, Wanted wanted) {
  std::vector<Candidate> kept;
  for (Candidate& candidate : all) {
    if (candidate.expected && !serves(wanted, *candidate.expected)) continue;
    const bool known = std::any_of(kept.begin(), kept.end(), [&candidate](const Candidate& other) {
      return !candidate.endpoint.empty() && other.endpoint == candidate.endpoint;
    });
    if (!known) kept.push_back(std::move(candidate));
  }
  return kept;
}

Result<EngineClient> ask(const Candidate& candidate, const SearchOptions& options,
                         const Call& call) {
  if (candidate.trouble) return *candidate.trouble;
  LAZARET_CHECK(call.check());
  LAZARET_TRY(std::unique_ptr<Dialer> dialer, options.dialer(candidate.endpoint));
  LAZARET_TRY(EngineClient client, EngineClient::negotiate(std::move(dialer), options.negotiation,
                                                           call));
  if (serves(options.wanted, client.kind())) return client;
  return Error(Errc::unsupported, client.describe() + " answers there, which is not the engine " +
                                      "that was asked for");
}

// Where the service manager's is known by its place.
std::string how_to_start(const Attempt& attempt) {
  const auto is_at = [&attempt](std::string_view end) { return attempt.endpoint.ends_with(end); };
  if (is_at("//var/run/docker.sock") || is_at("//run/docker.sock"))
    return "start the engine, e.g. sudo systemctl start docker";
  if (is_at("//run/podman/podman.sock"))
    return "start the engine, e.g. sudo systemctl start podman.socket";
  return "start the engine";
}

// What the first of those that listened, or have listened, needs.
std::string how_to_mend(const Search& search) {
  for (const Attempt& attempt : search.attempts) {
    const Errc code = attempt.error.code();
    if (code == Errc::connection_refused)
      return "a socket is left over but nobody listens: " + how_to_start(attempt);
    if (code == Errc::timed_out || code == Errc::connection_lost || code == Errc::protocol ||
        code == Errc::too_large || code == Errc::engine)
      return "what listens there does not answer as an engine does: look at what the engine logs";
  }
  return {};
}

std::string advice(const Search& search) {
  for (const Attempt& attempt : search.attempts) {
    if (attempt.error.code() == Errc::permission_denied && !attempt.error.hint().empty()) {
      return attempt.error.hint();
    }
  }
  for (const Attempt& attempt : search.attempts) {
    if (!attempt.error.hint().empty()) return attempt.error.hint();
  }
  if (std::string words = how_to_mend(search); !words.empty()) return words;
  return "install Docker or Podman, or say where it listens with DOCKER_HOST=unix:///path";
}

}  // namespace

std::filesystem::path runtime_dir(const Surroundings& surroundings) {
  if (!surroundings.runtime_dir.empty() || !surroundings.uid) return surroundings.runtime_dir;
  return "/run/user/" + std::to_string(*surroundings.uid);
}

std::optional<std::string> read_small_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kFileBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::vector<Candidate> candidates(const Surroundings& surroundings, Wanted wanted,
                                  const std::optional<std::string>& explicit_host) {
  if (explicit_host) return {{*explicit_host, "chosen explicitly", {}, {}}};
  std::vector<Candidate> all = chosen_by_user(surroundings);
  if (surroundings.platform == Platform::windows) {
    add_places(all, surroundings, kPipes, "npipe://");
  } else {
    add_places(all, surroundings, kSockets, "unix://");
  }
  return narrowed(std::move(all), wanted);
}

Result<std::unique_ptr<Dialer>> default_dialer(const std::string& endpoint) {
  LAZARET_TRY(Endpoint parsed, parse_endpoint(endpoint));
  return dialer_for(std::move(parsed));
}

Search connect_first(const std::vector<Candidate>& candidates, const SearchOptions& options,
                     const Call& call) {
  Search search;
  for (const Candidate& candidate : candidates) {
    auto client = ask(candidate, options, call);
    if (client.ok()) {
      search.client = std::move(client).value();
      search.endpoint = candidate.endpoint;
      search.origin = candidate.origin;
      return search;
    }
    search.attempts.push_back({candidate.endpoint, candidate.origin, std::move(client).error()});
    if (!call.check().ok()) return search;
  }
  return search;
}

Error no_engine(const Search& search) {
  std::string there;
  std::string absent;
  for (const Attempt& attempt : search.attempts) {
    const std::string place =
        one_line(attempt.endpoint.empty() ? attempt.origin : attempt.endpoint);
    if (attempt.error.code() == Errc::not_found) {
      absent += (absent.empty() ? "no socket at " : ", ") + place;
    } else {
      there += (there.empty() ? "" : "; ") + place + " (" + attempt.error.message() + ")";
    }
  }
  const char* const between = there.empty() || absent.empty() ? "" : "; ";
  const char* const colon = search.attempts.empty() ? "" : ": ";
  return Error(Errc::backend_unavailable,
               std::string("no container engine answers") + colon + there + between + absent)
      .with_hint(advice(search));
}

}  // namespace lazaret::engine
