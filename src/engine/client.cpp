#include "engine/client.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/try.hpp"
#include "engine/failure.hpp"

namespace lazaret::engine {
namespace {

constexpr std::size_t kFailureBytes = 64UL << 10;
constexpr std::string_view kTarType = "application/x-tar";
// The oldest that every Podman from 4.0 on speaks, 5 and 6 among them.
constexpr std::string_view kLibpodVersion = "4.0.0";

std::string prefix_of(const Operation& operation, ApiVersion version) {
  if (operation.surface == Surface::libpod) return std::string(kLibpodVersion);
  return version == ApiVersion{} ? std::string() : to_string(version);
}

Result<http::Request> request_of(const Operation& operation, ApiVersion version) {
  LAZARET_TRY(std::string target, operation.target.build(prefix_of(operation, version)));
  http::Request request{operation.method, std::move(target), {}, operation.body};
  request.headers = {{"Host", "localhost"}, {"User-Agent", "lazaret/" LAZARET_VERSION}};
  if (!operation.content_type.empty()) {
    request.headers.push_back({"Content-Type", operation.content_type});
  }
  for (const http::Header& header : operation.headers) request.headers.push_back(header);
  return request;
}

// WHY: of an engine that was there, not_found is what it says of a container that is gone; a socket
// that has vanished says nothing of containers. A search for engines wants to know the difference.
Error undialled(Error error, ApiVersion version) {
  const bool vanished = error.code() == Errc::not_found && version != ApiVersion{};
  return vanished ? std::move(error).as(Errc::connection_refused) : error;
}

// As much of an error's body as there is; that it ends early or late does not matter.
std::string failure_body(http::Exchange& exchange, const Call& call) {
  std::string text;
  const http::BodySink collect = [&text](Bytes piece) -> Status {
    text += text_of(piece).substr(0, kFailureBytes - text.size());
    if (text.size() < kFailureBytes) return {};
    return Error(Errc::too_large, "enough");
  };
  (void)exchange.body(collect, call).ok();
  return text;
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::docker: return "docker";
    case Kind::podman: return "podman";
  }
  return "";
}

std::optional<ApiVersion> parse_api_version(std::string_view text) noexcept {
  ApiVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  if (version.major < 1 || version.minor < 0) return std::nullopt;
  return version;
}

std::string to_string(ApiVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

EngineClient::EngineClient(std::unique_ptr<Dialer> dialer, Negotiation options, Identity identity)
    : dialer_(std::move(dialer)),
      options_(std::move(options)),
      identity_(std::move(identity)),
      spoken_(std::make_unique<std::atomic<ApiVersion>>(identity_.api)) {}

std::string EngineClient::describe() const {
  const std::string_view name = identity_.kind == Kind::docker ? "Docker " : "Podman ";
  return std::string(name) + identity_.version + " (API " + to_string(spoken_->load()) + ")";
}

Call EngineClient::bounded(const Operation& operation, const Call& call) const {
  if (operation.patience == Patience::as_called || !call.deadline.is_never()) return call;
  const bool is_long = operation.patience == Patience::long_timeout;
  return call.within(is_long ? options_.long_timeout : options_.default_timeout);
}

EngineClient::Manner EngineClient::manner_of(const Operation& operation) noexcept {
  // WHY: told to close, Docker hangs up at the tar's end marker with padding unread, and the answer
  // is lost in a connection reset.
  return operation.upload || operation.content_type == kTarType ? Manner::keep : Manner::close;
}

Result<http::Exchange> EngineClient::send(const Operation& operation, Manner manner,
                                          ApiVersion version, const Call& call) const {
  auto request = request_of(operation, version);
  if (!request.ok()) return std::move(request).error();
  if (manner == Manner::close) request->headers.push_back({"Connection", "close"});
  if (manner == Manner::upgrade) {
    request->headers.push_back({"Connection", "Upgrade"});
    request->headers.push_back({"Upgrade", "tcp"});
  }
  auto wire = dialer_->dial(call);
  if (!wire.ok()) return undialled(std::move(wire).error(), version);
  http::Exchange exchange(std::move(wire).value());
  if (operation.upload) {
    LAZARET_CHECK(exchange.send(*request, operation.upload, call));
  } else {
    LAZARET_CHECK(exchange.send(*request, call));
  }
  return exchange;
}

Result<http::Exchange> EngineClient::open(const Operation& operation, const Call& call) const {
  return send(operation, manner_of(operation), *spoken_, bounded(operation, call))
      .within(operation.doing);
}

Result<http::ResponseHead> accepted_head(http::Exchange& exchange, const Operation& operation,
                                         const Call& call) {
  auto head = exchange.head(call);
  if (!head.ok()) return std::move(head).error().within(operation.doing);
  const int status = head->status;
  if (status / 100 == 2 || status == 101 || status == 304) return head;
  if (status < 400) {
    return Error(Errc::protocol,
                 operation.doing + ": the engine answered with status " + std::to_string(status));
  }
  const http::Response refusal{std::move(head).value(), failure_body(exchange, call)};
  return failure_of(refusal, operation.subject).within(operation.doing);
}

struct EngineClient::Answered {
  http::Exchange exchange;
  http::ResponseHead head;
};

Result<EngineClient::Answered> EngineClient::ask(const Operation& operation, Manner manner,
                                                 const Call& call) const {
  // What has been sent of an upload cannot be sent again.
  const bool repeatable = operation.surface == Surface::docker && !operation.upload;
  for (bool again = false;; again = true) {
    const ApiVersion version = *spoken_;
    LAZARET_TRY(http::Exchange exchange,
                send(operation, manner, version, call).within(operation.doing));
    auto head = accepted_head(exchange, operation, call);
    if (head.ok()) return Answered{std::move(exchange), std::move(head).value()};
    const bool refused = head.error().code() == Errc::invalid_argument;
    if (!refused || !repeatable || again || !renegotiated(version, call)) {
      return std::move(head).error();
    }
  }
}

Result<http::Response> EngineClient::transact(const Operation& operation, const Call& call) const {
  const Call bound = bounded(operation, call);
  LAZARET_TRY(Answered answer, ask(operation, manner_of(operation), bound));
  LAZARET_TRY(std::string body,
              answer.exchange.body(operation.cap_bytes, bound).within(operation.doing));
  return http::Response{std::move(answer.head), std::move(body)};
}

Result<http::ResponseHead> EngineClient::stream(const Operation& operation,
                                                const http::BodySink& sink,
                                                const Call& call) const {
  const Call bound = bounded(operation, call);
  LAZARET_TRY(Answered answer, ask(operation, manner_of(operation), bound));
  LAZARET_CHECK(answer.exchange.body(sink, bound).within(operation.doing));
  return std::move(answer.head);
}

Result<http::Exchange::Stream> EngineClient::hijack(const Operation& operation,
                                                    const Call& call) const {
  LAZARET_TRY(Answered answer, ask(operation, Manner::upgrade, bounded(operation, call)));
  if (answer.head.status != 101 && answer.head.status != 200) {
    return Error(Errc::protocol, operation.doing + ": the engine does not open a stream");
  }
  return std::move(answer.exchange).hijack();
}

}  // namespace lazaret::engine
