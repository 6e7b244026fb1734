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

enum class Manner { close, keep, upgrade };

Manner manner_of(const Operation& operation) noexcept {
  // WHY: told to close, Docker hangs up at the tar's end marker with padding unread, and the answer
  // is lost in a connection reset.
  return operation.upload || operation.content_type == kTarType ? Manner::keep : Manner::close;
}

std::string prefix_of(const Operation& operation, ApiVersion version) {
  if (operation.surface == Surface::libpod) return std::string(kLibpodVersion);
  return version == ApiVersion{} ? std::string() : to_string(version);
}

Result<HttpRequest> request_of(const Operation& operation, ApiVersion version, Manner manner) {
  LAZARET_TRY(std::string target, operation.target.build(prefix_of(operation, version)));
  HttpRequest request{operation.method, std::move(target), {}, operation.body};
  request.headers = {{"Host", "localhost"}, {"User-Agent", "lazaret/" LAZARET_VERSION}};
  if (!operation.content_type.empty()) {
    request.headers.push_back({"Content-Type", operation.content_type});
  }
  if (manner == Manner::close) request.headers.push_back({"Connection", "close"});
  if (manner == Manner::upgrade) {
    request.headers.push_back({"Connection", "Upgrade"});
    request.headers.push_back({"Upgrade", "tcp"});
  }
  for (const HttpHeader& header : operation.headers) request.headers.push_back(header);
  return request;
}

// As much of an error's body as there is; that it ends early or late does not matter.
std::string failure_body(Exchange& exchange, const Call& call) {
  std::string text;
  const BodySink collect = [&text](Bytes piece) -> Status {
    text += text_of(piece).substr(0, kFailureBytes - text.size());
    if (text.size() < kFailureBytes) return {};
    return Error(Errc::too_large, "enough");
  };
  (void)exchange.body(collect, call).ok();
  return text;
}

Result<Exchange> sent(Dialer& dialer, const HttpRequest& request, const Operation& operation,
                      const Call& call) {
  LAZARET_TRY(std::unique_ptr<Wire> wire, dialer.dial(call));
  Exchange exchange(std::move(wire));
  if (operation.upload) {
    LAZARET_CHECK(exchange.send(request, operation.upload, call));
  } else {
    LAZARET_CHECK(exchange.send(request, call));
  }
  return exchange;
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

EngineClient::EngineClient(std::unique_ptr<Dialer> dialer, const Negotiation& options,
                           Identity identity)
    : dialer_(std::move(dialer)),
      default_timeout_(options.default_timeout),
      identity_(std::move(identity)) {}

std::string EngineClient::describe() const {
  const std::string_view name = identity_.kind == Kind::docker ? "Docker " : "Podman ";
  return std::string(name) + identity_.version + " (API " + to_string(identity_.api) + ")";
}

Call EngineClient::bounded(const Operation& operation, const Call& call) const {
  if (operation.patience == Patience::as_called || !call.deadline.is_never()) return call;
  return call.within(default_timeout_);
}

Result<Exchange> EngineClient::open(const Operation& operation, const Call& call) const {
  auto request = request_of(operation, identity_.api, manner_of(operation));
  if (!request.ok()) return std::move(request).error().within(operation.doing);
  return sent(*dialer_, *request, operation, bounded(operation, call)).within(operation.doing);
}

Result<ResponseHead> accepted_head(Exchange& exchange, const Operation& operation,
                                   const Call& call) {
  auto head = exchange.head(call);
  if (!head.ok()) return std::move(head).error().within(operation.doing);
  const int status = head->status;
  if (status / 100 == 2 || status == 101 || status == 304) return head;
  if (status < 400) {
    return Error(Errc::protocol,
                 operation.doing + ": the engine answered with status " + std::to_string(status));
  }
  const HttpResponse refusal{std::move(head).value(), failure_body(exchange, call)};
  return failure_of(refusal, operation.subject).within(operation.doing);
}

Result<HttpResponse> EngineClient::transact(const Operation& operation, const Call& call) const {
  const Call bound = bounded(operation, call);
  LAZARET_TRY(Exchange exchange, open(operation, bound));
  LAZARET_TRY(ResponseHead head, accepted_head(exchange, operation, bound));
  LAZARET_TRY(std::string body, exchange.body(operation.cap_bytes, bound).within(operation.doing));
  return HttpResponse{std::move(head), std::move(body)};
}

Result<ResponseHead> EngineClient::stream(const Operation& operation, const BodySink& sink,
                                          const Call& call) const {
  const Call bound = bounded(operation, call);
  LAZARET_TRY(Exchange exchange, open(operation, bound));
  LAZARET_TRY(ResponseHead head, accepted_head(exchange, operation, bound));
  LAZARET_CHECK(exchange.body(sink, bound).within(operation.doing));
  return head;
}

Result<Exchange::Stream> EngineClient::hijack(const Operation& operation, const Call& call) const {
  const Call bound = bounded(operation, call);
  auto request = request_of(operation, identity_.api, Manner::upgrade);
  if (!request.ok()) return std::move(request).error().within(operation.doing);
  LAZARET_TRY(Exchange exchange,
              sent(*dialer_, *request, operation, bound).within(operation.doing));
  LAZARET_TRY(const ResponseHead head, accepted_head(exchange, operation, bound));
  if (head.status != 101 && head.status != 200) {
    return Error(Errc::protocol, operation.doing + ": the engine does not open a stream");
  }
  return std::move(exchange).hijack();
}

}  // namespace lazaret::engine
