#include "engine/endpoint.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "os/wire.hpp"

namespace lazaret::engine {
namespace {

struct SchemeName {
  std::string_view prefix;
  Scheme scheme;
};
constexpr std::array kSchemes = {
    SchemeName{"unix://", Scheme::unix_socket}, SchemeName{"npipe://", Scheme::named_pipe},
    SchemeName{"tcp://", Scheme::tcp},          SchemeName{"http://", Scheme::tcp},
    SchemeName{"https://", Scheme::tls},        SchemeName{"ssh://", Scheme::ssh}};

Error bad_endpoint(std::string_view text, std::string_view why) {
  return Error(Errc::invalid_argument,
               "engine endpoint \"" + std::string(text.substr(0, 256)) + "\": " + std::string(why))
      .with_hint("write it as unix:///path/to/docker.sock");
}

constexpr std::string_view kDockerFix =
    "add yourself to the group of the socket (sudo usermod -aG docker $USER, then log in again); "
    "whoever is in that group can become root on this machine, so a rootless engine is safer";
constexpr std::string_view kPodmanFix =
    "this is root's Podman; start your own with: systemctl --user start podman.socket";

/// EACCES is the commonest first failure, and it does not mean that nothing runs there (P-29).
Error dial_error(const Endpoint& endpoint, Error error) {
  if (error.code() != Errc::permission_denied) return error;
  const bool podman = endpoint.address.find("podman") != std::string::npos;
  return Error(Errc::permission_denied,
               "the socket " + endpoint.address + " is there, but this user may not use it")
      .with_os_error(error.os_error())
      .with_hint(std::string(podman ? kPodmanFix : kDockerFix));
}

class UnixDialer final : public Dialer {
 public:
  explicit UnixDialer(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  Result<std::unique_ptr<Wire>> dial(const Call& call) override {
    auto wire = os::connect_unix(std::filesystem::path(endpoint_.address), call);
    if (!wire.ok()) return dial_error(endpoint_, std::move(wire).error());
    return wire;
  }
  std::string endpoint() const override { return endpoint_.text; }

 private:
  Endpoint endpoint_;
};

std::string_view detour(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::tcp:
    case Scheme::tls:
    case Scheme::ssh:
      return "forward the engine's socket to this machine: "
             "ssh -L /tmp/engine.sock:/var/run/docker.sock user@host, "
             "then use unix:///tmp/engine.sock";
    case Scheme::named_pipe:
      return "run lazaret inside WSL, where the engine has a Unix socket";
    case Scheme::unix_socket:
      return "";
  }
  return "";
}

class RefusingDialer final : public Dialer {
 public:
  explicit RefusingDialer(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

  Result<std::unique_ptr<Wire>> dial(const Call&) override {
    return Error(Errc::unsupported,
                 "cannot reach an engine at " + endpoint_.text + ": only Unix sockets are dialled")
        .with_hint(std::string(detour(endpoint_.scheme)));
  }
  std::string endpoint() const override { return endpoint_.text; }

 private:
  Endpoint endpoint_;
};

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.find('\0') != text.npos || text.find('\n') != text.npos) {
    return bad_endpoint("", "control character");
  }
  for (const auto& [prefix, scheme] : kSchemes) {
    if (text.substr(0, prefix.size()) != prefix) continue;
    const std::string_view address = text.substr(prefix.size());
    if (address.empty()) return bad_endpoint(text, "nothing follows the scheme");
    if (scheme == Scheme::unix_socket && address.front() != '/') {
      return bad_endpoint(text, "the path of a socket begins with a slash");
    }
    return Endpoint{scheme, std::string(address), std::string(text)};
  }
  return bad_endpoint(text, "no scheme that is known");
}

std::unique_ptr<Dialer> dialer_for(Endpoint endpoint) {
  if (endpoint.scheme == Scheme::unix_socket) {
    return std::make_unique<UnixDialer>(std::move(endpoint));
  }
  return std::make_unique<RefusingDialer>(std::move(endpoint));
}

}  // namespace lazaret::engine
