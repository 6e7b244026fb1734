#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/condition.hpp"
#include "base/endpoint.hpp"
#include "base/wire.hpp"
#include "lazaret/result.hpp"

namespace lazaret::core {

/// Carries connections for a program that has no network. It opens them and sends into them by
/// frames on its standard output, and gets what comes by frames on its standard input: a letter for
/// the kind, a connection's number and a length of two bytes each, most significant first, and that
/// many bytes. It opens (`o`, "host:port"), sends (`d`), ends what it sends (`e`) and closes (`c`);
/// it hears that a connection stands (`o`) or why not (`f`), what has come (`d`) and its end (`e`).
/// All that it says is hostile: it has 64 connections at a time, 4096 in all, 256 MiB to say, and
/// `connect` decides about each.
class Relay {
 public:
  using Connect =
      std::function<Result<std::unique_ptr<Wire>>(const Endpoint& to, const Call& call)>;

  explicit Relay(Connect connect) : connect_(std::move(connect)) {}
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  /// Takes what the program has written, and waits for nobody: a connection whose other side takes
  /// no 16 KiB within ten seconds, or to which 1 MiB more waits to be sent, is closed.
  void hear(std::string_view output);
  /// Waits for what the program shall read; empty once stopped, or when the program has said what
  /// is no frame.
  [[nodiscard]] std::string next(const std::stop_token& stop);
  /// Why a connection could not be made, the last time.
  [[nodiscard]] std::optional<Error> trouble() const;

 private:
  enum class Kind : char { open = 'o', data = 'd', end = 'e', close = 'c', failed = 'f' };
  struct Frame {
    Kind kind;
    std::uint16_t number;
    std::string_view payload;
  };
  struct Connection {
    std::stop_source stop;
    std::string unsent;
    bool has_ended = false;  ///< there will be no more to send
    bool is_over = false;
    std::jthread thread;
  };
  void obey(const Frame& frame);
  void open(std::uint16_t number, std::string_view where);
  void send(std::uint16_t number, std::string_view bytes);
  void change(std::uint16_t number, void (*how)(Connection& connection));
  void give_up();
  [[nodiscard]] bool begin(std::uint16_t number, const Endpoint& to);
  void carry(std::uint16_t number, const Endpoint& to, const std::stop_source& stop);
  [[nodiscard]] Status carry_both_ways(std::uint16_t number, const Endpoint& to,
                                       const std::stop_source& stop);
  [[nodiscard]] Status pass_in(std::uint16_t number, Wire& wire, const std::stop_token& stop);
  [[nodiscard]] Status pass_out(std::uint16_t number, Wire& wire, const std::stop_token& stop);
  [[nodiscard]] std::optional<std::string> unsent_of(std::uint16_t number,
                                                     const std::stop_token& stop);
  void say(const Frame& frame, const std::stop_token& stop);
  void forget_ended();

  Connect connect_;
  std::string heard_;  // the beginning of a frame
  std::uint64_t heard_bytes_ = 0;
  unsigned opened_ = 0;
  mutable std::mutex mutex_;
  Condition changed_;
  bool is_broken_ = false;
  std::string said_;
  std::optional<Error> trouble_;
  std::map<std::uint16_t, Connection> connections_;
};

}  // namespace lazaret::core
