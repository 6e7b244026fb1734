#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/rest/bounds.hpp"
#include "core/service.hpp"
#include "lazaret/result.hpp"

namespace lazaret::rest {

/// A numeric address and a port.
struct Place {
  std::string address;
  std::uint16_t port = 0;
};

/// "127.0.0.1:8080" or "[::1]:8080". Errors: invalid_argument.
[[nodiscard]] Result<Place> place_of(const std::string& text);

struct ServerOptions {
  std::optional<std::filesystem::path> socket;  ///< where to listen; unset: only what is inherited
  std::optional<Place> place;                   ///< TCP, beside it; needs a token
  std::optional<std::string> token;
  std::optional<std::filesystem::path> certificate;  ///< TLS on every TCP socket
  std::optional<std::filesystem::path> key;
  Bounds bounds;
  /// What a command line must be configured as to have its work done here (core::fingerprint): one
  /// of these.
  std::vector<std::string> fingerprints;
  std::function<void(const std::string& line)> log;  ///< one event for the operator
  /// What goes on beside it, on a thread of its own, once its first trial has ended or takes long;
  /// asked to stop at its end.
  std::function<void(const std::stop_token& stop)> beside;
};

/// Serves until SIGTERM or SIGINT, then lets runs end (`bounds.drain`; a second signal: not) and
/// leaves nothing behind. Blocks. Errors: those of listening.
[[nodiscard]] Status serve(core::Service& service, const ServerOptions& options);

}  // namespace lazaret::rest
