#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/result.hpp"

namespace lazaret::egress {

/// Whether an error is a denial of ours, and not the kernel's, which has reasons of its own.
[[nodiscard]] inline bool is_denial(const Error& error) {
  return error.code() == Errc::permission_denied && error.os_error() == 0;
}

/// What a way out has been asked for, and what came of it. Thread-safe.
class Ledger {
 public:
  /// One connection. Bytes are counted before they are passed on, so that none is left out.
  struct Entry {
    explicit Entry(const Endpoint& endpoint) : to(endpoint) {}
    const Endpoint to;
    std::atomic<std::uint64_t> sent = 0, received = 0;

   private:
    friend class Ledger;
    Connection::Outcome outcome_ = Connection::Outcome::failed;
    std::string reason_ = "it was not made before the end";
    std::uint64_t told_sent_ = 0, told_received_ = 0;
    bool has_news_ = true, is_over_ = false;
  };

  [[nodiscard]] std::shared_ptr<Entry> open(const Endpoint& to);
  void decide(Entry& entry, Connection::Outcome outcome, std::string reason = "");
  /// Nothing more will come of it.
  void close(Entry& entry);
  /// What was no connection, and why.
  void turn_away(const std::string& why);

  struct Seen {
    std::vector<Connection> connections;               ///< in the order of asking, 256 at most
    std::uint64_t unlisted = 0;                        ///< how many more there were
    std::map<std::string, std::uint64_t> turned_away;  ///< by reason
  };
  /// What is new since this was called last: of connections that went on, what they have carried
  /// since then.
  [[nodiscard]] Seen take();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Entry>> entries_;
  std::uint64_t unlisted_ = 0;
  std::map<std::string, std::uint64_t> turned_away_;
};

}  // namespace lazaret::egress
