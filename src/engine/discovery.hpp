#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "engine/client.hpp"
#include "engine/endpoint.hpp"

namespace lazaret::engine {

enum class Platform { posix, windows };
enum class Wanted { docker, podman, any };

/// What discovery may know about the user's machine; everything comes from the caller.
struct Surroundings {
  Platform platform = Platform::posix;
  std::function<std::optional<std::string>(std::string_view name)> variable = {};
  /// Contents of a small text file, or nothing.
  std::function<std::optional<std::string>(const std::filesystem::path& path)> file = {};
  std::filesystem::path home = {};
  std::optional<std::uint64_t> uid = {};
  std::filesystem::path runtime_dir = {};  ///< XDG_RUNTIME_DIR; empty when unset
};

/// Where sockets of this user's own lie: XDG_RUNTIME_DIR, or what it would be.
[[nodiscard]] std::filesystem::path runtime_dir(const Surroundings& surroundings);

/// A place where an engine may listen, and who said so.
struct Candidate {
  std::string endpoint;  ///< not parsed yet: a malformed DOCKER_HOST is reported, not skipped
  std::string origin;    ///< "DOCKER_HOST", "docker context desktop-linux", "well-known"
  std::optional<Kind> expected = {};  ///< unset where either engine may answer
  std::optional<Error> trouble = {};  ///< it is known already why this one cannot be tried
};

/// At most 1 MiB of the file; nothing when it cannot be read. The usual `Surroundings::file`.
[[nodiscard]] std::optional<std::string> read_small_file(const std::filesystem::path& path);

/// Candidates in the order in which they are tried (P-28). An explicit host is the only one.
[[nodiscard]] std::vector<Candidate> candidates(const Surroundings& surroundings, Wanted wanted,
                                                const std::optional<std::string>& explicit_host);

/// One candidate that did not serve, and why.
struct Attempt {
  std::string endpoint;
  std::string origin;
  Error error;
};

struct Search {
  std::optional<EngineClient> client;  ///< the first engine that answered and was wanted
  std::string endpoint;                ///< where it answered
  std::string origin;
  std::vector<Attempt> attempts;  ///< everything that was tried before it
};

using DialerFactory = std::function<Result<std::unique_ptr<Dialer>>(const std::string& endpoint)>;
/// parse_endpoint and dialer_for.
[[nodiscard]] Result<std::unique_ptr<Dialer>> default_dialer(const std::string& endpoint);

struct SearchOptions {
  Wanted wanted = Wanted::any;
  Negotiation negotiation = {};
  DialerFactory dialer = default_dialer;
};

/// Asks each candidate in turn, two seconds at most for its first answer; a dead one is passed over
/// (P-28).
[[nodiscard]] Search connect_first(const std::vector<Candidate>& candidates,
                                   const SearchOptions& options, const Call& call);

/// Errc::backend_unavailable that names every endpoint tried and why it failed; the hint is the one
/// of the attempt that came closest.
[[nodiscard]] Error no_engine(const Search& search);

}  // namespace lazaret::engine
