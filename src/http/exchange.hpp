#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/call.hpp"
#include "base/wire.hpp"
#include "lazaret/result.hpp"

namespace lazaret::http {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;
  std::string target;
  std::vector<Header> headers;
  std::string body;
};

enum class BodyFraming { content_length, chunked };

/// Head and, for content_length, body as bytes. Errors: invalid_argument for a line break or
/// another control character where it would end a field.
[[nodiscard]] Result<std::string> serialise(const Request& request, BodyFraming framing);

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers;

  /// The first field of that name, in any case; empty when there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

struct Response {
  ResponseHead head;
  std::string body;
};

/// Fills the span from the front and says how many bytes; zero is the end.
using BodySource = std::function<Result<std::size_t>(std::span<std::byte> into)>;
/// Takes the next piece of a body; an error ends the transfer and is passed on.
using BodySink = std::function<Status(Bytes piece)>;

/// A source over bytes that outlive it.
[[nodiscard]] BodySource source_of(Bytes bytes);

/// One request and one response over a connection that is not used again. The response is hostile:
/// heads end by 64 KiB, bodies by the cap of the call. Errors besides those of the Wire: protocol
/// (not HTTP), connection_lost (ended early), too_large.
class Exchange {
 public:
  explicit Exchange(std::unique_ptr<Wire> wire);
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  ~Exchange();

  [[nodiscard]] Status send(const Request& request, const Call& call);
  /// Sends the body in chunks as the source makes it.
  [[nodiscard]] Status send(const Request& request, const BodySource& body, const Call& call);

  /// Reads the head; interim answers (100, 102, 103) are skipped.
  [[nodiscard]] Result<ResponseHead> head(const Call& call);
  /// The whole body, at most `cap_bytes`. After head().
  [[nodiscard]] Result<std::string> body(std::size_t cap_bytes, const Call& call);
  /// The body piece by piece, unbounded in total: the sink bounds it. After head().
  [[nodiscard]] Status body(const BodySink& sink, const Call& call);
  /// The next piece of the body, of at most 64 KiB; empty at its end. After head().
  [[nodiscard]] Result<std::string> piece(const Call& call);

  struct Stream {
    std::unique_ptr<Wire> wire;
    std::vector<std::byte> leftover;  ///< came with the head and belongs to the stream (P-32)
  };
  /// Gives the connection away. After head(); the exchange is over.
  [[nodiscard]] Stream hijack() &&;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace lazaret::http
