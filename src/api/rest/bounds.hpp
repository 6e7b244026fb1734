#pragma once

#include <chrono>
#include <cstddef>

namespace lazaret::rest {

/// Every bound of the daemon; nothing in it grows or waits without one.
struct Bounds {
  static constexpr std::size_t kPieceBytes = 64UL << 10;  ///< of what is written at once
  static constexpr std::chrono::seconds kRetry{1};        ///< what who must wait is told

  std::size_t connections = 1024;       ///< and half as many over TCP
  unsigned runs = 8;                    ///< at the same time
  std::size_t queue = 64;               ///< runs that wait for their turn, and as many in sessions
  std::size_t chores = 16;              ///< doctor, images and trials that wait for theirs
  std::size_t signals = 64;             ///< to programs, that wait to be sent
  std::size_t head_bytes = 16UL << 10;  ///< request line and header fields
  std::size_t body_bytes = 8UL << 20;   ///< of one request: code, input and JSON's escapes
  std::size_t bodies_bytes = 64UL << 20;  ///< of all requests under way; over TCP as much again
  std::size_t sessions = 64;              ///< those that ended lately among them
  std::size_t kept_runs = 256;            ///< detached ones that have ended
  std::size_t kept_bytes = 64UL << 20;    ///< of their results
  std::chrono::seconds kept{600};         ///< since their end, and what became of sessions
  std::chrono::seconds request{30};       ///< from a request's first byte to its last
  std::chrono::seconds idle{60};          ///< between two requests
  std::chrono::seconds write{30};         ///< for a peer to take a piece of an answer
  std::chrono::seconds beat{15};          ///< a stream says something at least this often
  std::chrono::seconds drain{10};         ///< for runs to end by themselves once we are told to
};

}  // namespace lazaret::rest
