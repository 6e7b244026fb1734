#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/command.hpp"

namespace lazaret::bench {

/// Body of a request for python's print(1).
inline constexpr const char* kPrintOne = R"json({"language": "python", "code": "print(1)"})json";

/// What makes a `lazaret`, and the daemon that shall serve it, use this backend: NAME=value.
[[nodiscard]] std::vector<std::string> configuration(const std::string& type,
                                                     const std::string& endpoint);

/// `lazaret serve` on a socket in a folder of its own, until it is destroyed.
class Daemon {
 public:
  /// Returns when it answers; a daemon that does not ends the bench.
  explicit Daemon(std::vector<std::string> configuration, std::vector<std::string> flags = {});
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  /// POST /v1/runs on a new connection. A status other than 200 ends the bench.
  [[nodiscard]] std::string run(const std::string& body) const;
  /// POST /v1/sessions; the id.
  [[nodiscard]] std::string open_session() const;
  /// GET /v1/ready, for which a box is made. A status other than 200 ends the bench.
  void must_be_ready() const;
  /// How many boxes wait in its pool (GET /v1/pool).
  [[nodiscard]] std::size_t waiting() const;
  /// What of its memory is resident, without its boxes.
  [[nodiscard]] double resident_kib() const;
  /// With which a `lazaret` finds this daemon, and is configured as it is.
  [[nodiscard]] std::vector<std::string> environment() const;

 private:
  [[nodiscard]] std::string socket() const { return folder_ / "lazaret.sock"; }
  void await() const;

  std::vector<std::string> configuration_;
  std::filesystem::path folder_;
  std::optional<os::Command> process_;
};

}  // namespace lazaret::bench
