#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/wire.hpp"
#include "http/exchange.hpp"
#include "integration/support.hpp"

namespace lazaret::test {

/// What a daemon answered.
struct Reply {
  int status = 0;  ///< 0 when there was no answer
  http::ResponseHead head;
  std::string body;
  [[nodiscard]] Json json() const { return Json::parse(body, nullptr, false); }
};

/// The daemon of this build on a socket in a folder of its own, running until it is destroyed.
class Daemon {
 public:
  explicit Daemon(std::vector<std::string> arguments = {},
                  const std::map<std::string, std::string>& environment = {});
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& socket() const { return socket_; }
  [[nodiscard]] std::unique_ptr<Wire> connect() const;
  [[nodiscard]] Reply ask(const std::string& method, const std::string& target,
                          const std::string& body = {},
                          std::vector<http::Header> headers = {}) const;
  /// Sends these bytes, whatever they are, and reads until the daemon hangs up.
  [[nodiscard]] std::string say(const std::string& bytes) const;
  void signal(int number) const;
  /// Waits for its end; its exit status, or 128 and the signal.
  int wait();

 private:
  Folder folder_;
  std::string socket_;
  pid_t pid_ = -1;
};

/// The environment of a daemon, or a command, that has this backend alone, as options_for();
/// nothing where it has no endpoint.
[[nodiscard]] std::optional<std::map<std::string, std::string>> variables_for(
    const std::string& backend);
/// The body that asks for a piece of bash, with more members.
[[nodiscard]] std::string bash_body(const std::string& code, Json more = Json::object());
/// What the daemon says of its first pool; an empty object while it has none, as just after it has
/// begun.
[[nodiscard]] Json pool_of(const Daemon& daemon);
/// An answer read from a connection on which a request has been sent.
[[nodiscard]] Reply reply_on(std::unique_ptr<Wire> wire, const std::string& method,
                             const std::string& target, const std::string& body,
                             std::vector<http::Header> headers = {});
/// Everything up to a mark, and what came with its end; less when the peer hangs up or says nothing
/// for ten seconds.
[[nodiscard]] std::string text_until(Wire& wire, const std::string& mark);
/// Everything until the peer hangs up or the bound is over.
[[nodiscard]] std::string rest_of(Wire& wire, std::chrono::seconds bound);

}  // namespace lazaret::test
