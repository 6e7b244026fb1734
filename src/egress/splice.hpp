#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "base/endpoint.hpp"
#include "base/wire.hpp"
#include "egress/ledger.hpp"
#include "lazaret/result.hpp"

namespace lazaret::egress {

/// Carries one connection both ways until both have ended; when one has, the other may be silent
/// for a minute. A TLS ClientHello (RFC 8446) that is sent must ask for a host that is permitted.
class Splice {
 public:
  using Permits = std::function<bool(const Endpoint& to)>;

  Splice(Wire& inside, Wire& outside, Ledger::Entry& entry, std::stop_source stop)
      : inside_(inside), outside_(outside), entry_(entry), stop_(std::move(stop)) {}

  /// `first` is sent before what comes from inside. `on_sent` is called once nothing more is sent.
  /// The reason for which it was denied, or nothing.
  [[nodiscard]] std::string carry(std::string first, const Permits& permits,
                                  const std::function<void()>& on_sent);

 private:
  enum class Unheard { ends, goes_on };  // when the one that it goes to takes no more
  [[nodiscard]] Result<std::size_t> read(Wire& from, std::span<std::byte> into);
  [[nodiscard]] Status pass(Wire& from, Wire& to, std::atomic<std::uint64_t>& count,
                            Unheard unheard);
  [[nodiscard]] std::string send(std::string first, const Permits& permits);
  [[nodiscard]] Status pass_out(std::string first, const Permits& permits);
  [[nodiscard]] Result<std::string> first_words(std::string heard, const Permits& permits);

  Wire& inside_;
  Wire& outside_;
  Ledger::Entry& entry_;
  std::stop_source stop_;
  std::atomic<bool> one_has_ended_ = false;
};

}  // namespace lazaret::egress
