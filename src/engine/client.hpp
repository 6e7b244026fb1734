#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "engine/endpoint.hpp"
#include "engine/url.hpp"
#include "http/exchange.hpp"
#include "lazaret/result.hpp"

namespace lazaret::engine {

enum class Kind { docker, podman };
[[nodiscard]] std::string_view name_of(Kind kind) noexcept;  ///< "docker", "podman"

// Aligned as a whole, so that an atomic one needs no lock of a library of its own.
struct alignas(2 * sizeof(int)) ApiVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ApiVersion&) const = default;
};
[[nodiscard]] std::optional<ApiVersion> parse_api_version(std::string_view text) noexcept;
[[nodiscard]] std::string to_string(ApiVersion version);  ///< "1.41"

inline constexpr ApiVersion kOldestApi{1, 41};  ///< Debian 12's Docker 20.10, Podman 4.3
inline constexpr ApiVersion kNewestApi{1, 56};

/// What an engine says of itself, and the version spoken with it.
struct Identity {
  Kind kind = Kind::docker;
  std::string version;    ///< "20.10.24"
  ApiVersion api;         ///< agreed upon with it at first
  ApiVersion oldest_api;  ///< what it offers; ours, where its ping has said enough
  ApiVersion newest_api;
  std::string os;
};

struct Negotiation {
  std::optional<std::string> api_version = {};        ///< DOCKER_API_VERSION: this one or none
  std::chrono::milliseconds default_timeout{30'000};  ///< of a call that sets no deadline
  std::chrono::minutes long_timeout{60};  ///< of one that brings or makes an image, and sets none
};

/// What a missing thing of this call is called: Docker says 404 for all of them.
enum class Subject { other, image };
/// Which timeout applies to a call without a deadline; none to one that ends when it is stopped.
enum class Patience { default_timeout, long_timeout, as_called };

/// Which of an engine's APIs a call belongs to: the one that all speak, or Podman's own.
enum class Surface { docker, libpod };

/// One call of the Engine API.
struct Operation {
  std::string doing;  ///< "starting container ab12", context of every error
  std::string method;
  Target target;
  std::string body = {};
  std::string content_type = {};
  std::vector<http::Header> headers = {};
  http::BodySource upload = {};  ///< instead of `body`: a tar stream, sent in chunks
  Subject subject = Subject::other;
  Surface surface = Surface::docker;
  Patience patience = Patience::default_timeout;
  std::size_t cap_bytes = 8UL << 20;  ///< most of a body that is held in memory
};

/// A version-negotiated conversation with one engine: one connection for each call. Thread-safe
/// once made; move-only. An engine that was exchanged for another version and refuses ours (400) is
/// asked once what it speaks now, and the call is made again (P-27). Errors of every call:
/// not_found or image_missing (404), conflict (409), permission_denied (401, 403), invalid_argument
/// (400), engine (everything else it refuses), and those of the connection.
class EngineClient {
 public:
  /// By /_ping, and /version where that leaves something open. Errors: unsupported when no API
  /// version is common; those of the connection.
  [[nodiscard]] static Result<EngineClient> negotiate(std::unique_ptr<Dialer> dialer,
                                                      const Negotiation& options, const Call& call);

  [[nodiscard]] const Identity& identity() const noexcept { return identity_; }
  [[nodiscard]] Kind kind() const noexcept { return identity_.kind; }
  [[nodiscard]] std::string endpoint() const { return dialer_->endpoint(); }
  /// "Docker 20.10.24 (API 1.41)".
  [[nodiscard]] std::string describe() const;

  /// The whole answer, its status below 400.
  [[nodiscard]] Result<http::Response> transact(const Operation& operation, const Call& call) const;
  /// The answer's body piece by piece, once its status is known to be below 400.
  [[nodiscard]] Result<http::ResponseHead> stream(const Operation& operation,
                                                  const http::BodySink& sink,
                                                  const Call& call) const;
  /// Upgrades the connection to a raw stream: 101, or 200 from engines that do not say so (P-32).
  [[nodiscard]] Result<http::Exchange::Stream> hijack(const Operation& operation,
                                                      const Call& call) const;
  /// Sends the request and leaves the answer to be read later.
  [[nodiscard]] Result<http::Exchange> open(const Operation& operation, const Call& call) const;
  /// The call, with the operation's timeout where it has no deadline.
  [[nodiscard]] Call bounded(const Operation& operation, const Call& call) const;

 private:
  struct Answered;
  enum class Manner { close, keep, upgrade };
  EngineClient(std::unique_ptr<Dialer> dialer, Negotiation options, Identity identity);

  [[nodiscard]] static Manner manner_of(const Operation& operation) noexcept;
  [[nodiscard]] Result<http::Exchange> send(const Operation& operation, Manner manner,
                                            ApiVersion version, const Call& call) const;
  [[nodiscard]] Result<Answered> ask(const Operation& operation, Manner manner,
                                     const Call& call) const;
  [[nodiscard]] Result<http::Response> ask_plainly(const char* word, const Call& call) const;
  [[nodiscard]] Result<Identity> identify(const Call& call) const;
  [[nodiscard]] bool renegotiated(ApiVersion refused, const Call& call) const;

  std::unique_ptr<Dialer> dialer_;
  Negotiation options_;
  Identity identity_;
  std::unique_ptr<std::atomic<ApiVersion>> spoken_;  // on the heap, as it cannot be moved
};

/// The head of an answer, or the Error that a status of 400 and above means.
[[nodiscard]] Result<http::ResponseHead> accepted_head(http::Exchange& exchange,
                                                       const Operation& operation,
                                                       const Call& call);

}  // namespace lazaret::engine
