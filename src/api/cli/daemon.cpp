#include "api/cli/daemon.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "api/cli/app.hpp"
#include "api/cli/streamed_artifacts.hpp"
#include "api/rest/bounds.hpp"
#include "base/reach.hpp"
#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/held_inputs.hpp"
#include "core/json_members.hpp"
#include "core/orchestrator.hpp"
#include "core/request_json.hpp"
#include "core/result_reading.hpp"
#include "core/rich.hpp"
#include "core/terminal_json.hpp"
#include "http/exchange.hpp"
#include "http/websocket.hpp"
#include "os/wire.hpp"
#include "policy/packages.hpp"

namespace lazaret::cli {
namespace {

using http::WebSocket;

constexpr std::size_t kResultFrameBytes = 1UL << 20;  // what else is in a result
constexpr std::size_t kMostOrderBytes = rest::Bounds().body_bytes;
constexpr std::chrono::seconds kOpenBound{2};
constexpr std::chrono::seconds kAnswerBound{30};  // a loop that is busy; nobody may run it again
// Of 10,000 artifacts, 1 MiB of names, as letters, and 150 letters about each; none with content.
constexpr std::size_t kArtifactsBytes = 8UL << 20;
constexpr std::chrono::seconds kCancelBound{60};  // the grace that a run may have, and its end

constexpr std::size_t kMostResultBytes = 1UL << 30;  // of a daemon whose configuration is its own

// No request may ask for more. A byte is six letters at most: \\u0000. What is shown has them when
// it comes, but for numbers.
std::size_t most_result_bytes(const Limits& maxima) {
  return 6 * (maxima.stdout_bytes + maxima.stderr_bytes + maxima.value_bytes) + kArtifactsBytes +
         2 * core::kMostRichBytes + kResultFrameBytes;
}

// Empty for what is no string of JSON.
std::string word_in(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  return value.is_string() ? value.get<std::string>() : "";
}

Error no_daemon(const std::string& why) {
  return Error(Errc::backend_unavailable, "no daemon of yours answers: " + why)
      .with_hint("start one: lazaret serve &");
}

Errc code_of(int status) {
  switch (status) {
    case 400:
    case 422: return Errc::invalid_argument;
    case 403: return Errc::permission_denied;
    case 404: return Errc::not_found;
    case 409: return Errc::conflict;
    case 413: return Errc::too_large;
    default: return Errc::backend_unavailable;
  }
}

// The texts of a request may be anything.
Result<std::string> text_of(const nlohmann::json& order) {
  try {
    return order.dump();
  } catch (const nlohmann::json::type_error&) {
    return Error(Errc::invalid_argument, "code, words and environment must be UTF-8");
  }
}

// Of a run over a stream.
Result<std::string> order_for(const ExecutionRequest& request, const std::string& session) {
  nlohmann::json order = core::json_of(request);
  if (request.stdin_source) order["stream_stdin"] = true;
  if (request.output_directory) order["stream_artifacts"] = true;
  if (!session.empty()) order["session"] = session;
  LAZARET_TRY(std::string text, text_of(order));
  if (text.size() <= kMostOrderBytes) return text;
  return Error(Errc::too_large, "the daemon takes no order as long as this");
}

// With what its files hold, read here, as far as this user may; those of packages are not carried.
Result<std::string> whole_order_for(const ExecutionRequest& request) {
  auto held = core::held_by(request.inputs, kMostOrderBytes);
  if (!held || !std::ranges::all_of(request.packages, policy::is_package_wish))
    return Error(Errc::too_large, "the daemon takes no such files");
  ExecutionRequest order = request;
  order.inputs = std::move(*held);
  return order_for(order, "");
}

// What a problem says (RFC 9457).
Error error_of(const std::string& problem) {
  const auto object = nlohmann::json::parse(problem, nullptr, false);
  if (!object.is_object()) return {Errc::protocol, "the daemon refuses without saying why"};
  const auto text = [&object](const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto status = object.find("status");
  const bool told = status != object.end() && status->is_number_integer();
  return Error(code_of(told ? status->get<int>() : 0), text("detail")).with_hint(text("hint"));
}

// One run in the daemon, as seen from here.
class Client {
 public:
  Client(std::unique_ptr<WebSocket> socket, const ExecutionRequest& request)
      : socket_(std::move(socket)), request_(request) {
    if (request.output_directory) artifacts_.emplace(*request.output_directory);
  }

  /// When this fails the daemon cannot have understood the order, which then is nobody's.
  [[nodiscard]] Status send_order(const std::string& order, const Call& call) {
    return socket_->send(WebSocket::Kind::text, order, call);
  }

  /// Nothing when the daemon has refused the run. After an error the code may have run.
  [[nodiscard]] Result<std::optional<ExecutionResult>> finish() {
    LAZARET_TRY(const auto begin, await_event(Deadline::after(kAnswerBound)));
    if (const auto problem = begin.find("problem"); problem != begin.end()) {
      refusal_ = error_of(problem->second);
      return std::optional<ExecutionResult>();
    }
    const Reach<WebSocket> reach(*socket_);
    if (request_.terminal && request_.on_terminal) request_.on_terminal(reach.by(tell_size));
    std::jthread feed;
    if (request_.stdin_source)
      feed = std::jthread([this](const std::stop_token& stop) { carry_input(stop); });
    LAZARET_TRY(const auto end, await_event(Deadline::never()));
    if (!end.contains("result")) return Error(Errc::protocol, "the daemon gave no result");
    LAZARET_TRY(ExecutionResult result, core::result_of(end.at("result")));
    if (artifacts_) std::move(*artifacts_).list_in(result, {});
    return std::optional(std::move(result));
  }
  /// What is known when it does not come to its end.
  [[nodiscard]] ExecutionResult lost(const Error& error) && {
    auto result =
        core::failed_run(Error(error).as(Errc::connection_lost).within("the daemon"));
    if (artifacts_) std::move(*artifacts_).list_in(result, error);
    return result;
  }
  /// Why, in the daemon's words.
  [[nodiscard]] const Error& refusal() const { return *refusal_; }

 private:
  static void tell_size(WebSocket& socket, TerminalSize size) {
    const std::string text = nlohmann::json{{"resize", core::json_of(size)}}.dump();
    (void)socket.send(WebSocket::Kind::text, text, Call{}.within(kOpenBound)).ok();
  }

  // An interrupt is told to the daemon, which then has something to say.
  Result<core::JsonMembers> await_event(Deadline deadline) {
    auto event = next_event({deadline, request_.stop});
    if (event.ok() || event.error().code() != Errc::cancelled) return event;
    const Call call = Call{}.within(kCancelBound);
    LAZARET_CHECK(socket_->send(WebSocket::Kind::text, R"({"cancel":true})", call));
    return next_event(call);
  }

  // What comes on the way is passed on.
  Result<core::JsonMembers> next_event(const Call& call) {
    for (;;) {
      LAZARET_TRY(const auto message, socket_->receive(call));
      if (!message) return Error(Errc::connection_lost, "the daemon closed the stream");
      if (message->kind == WebSocket::Kind::binary) {
        take_bytes(message->payload);
        continue;
      }
      auto event = core::members_of(message->payload, {"progress", "artifact", "problem", "result"},
                                    core::kMostDepth + 1);
      if (!event) return Error(Errc::protocol, "the daemon sends no JSON object");
      if (!is_on_the_way(*event)) return std::move(*event);
    }
  }

  // The first byte says of what they are.
  void take_bytes(std::string_view bytes) {
    if (bytes.empty()) return;
    const char of = bytes.front();
    bytes.remove_prefix(1);
    if (of == '\3' && artifacts_) return artifacts_->content(bytes);
    if (!request_.on_output || of == '\3') return;
    request_.on_output(of == '\2' ? Stream::standard_error : Stream::standard_output, bytes);
  }

  bool is_on_the_way(const core::JsonMembers& event) {
    const auto progress = event.find("progress");
    if (progress != event.end() && request_.on_progress)
      request_.on_progress(word_in(progress->second));
    const auto artifact = event.find("artifact");
    if (artifact != event.end() && artifacts_) artifacts_->begin(artifact->second);
    return progress != event.end() || artifact != event.end();
  }

  // The empty message at the end is the end of input for the program too.
  void carry_input(const std::stop_token& stop) {
    const Call call{Deadline::never(), stop};
    for (bool more = true; more;) {
      const std::string piece = request_.stdin_source(stop);
      more = !piece.empty() && !stop.stop_requested();
      if (stop.stop_requested() || !socket_->send(WebSocket::Kind::binary, piece, call).ok())
        return;
    }
  }

  std::unique_ptr<WebSocket> socket_;
  const ExecutionRequest& request_;
  std::optional<StreamedArtifacts> artifacts_;
  std::optional<Error> refusal_;
};

Result<std::unique_ptr<Wire>> connect(const Call& call) {
  const auto path = core::daemon_socket();
  if (!path) return no_daemon("it has no place here: XDG_RUNTIME_DIR is not set");
  auto wire = os::connect_own_unix(*path, call);
  if (!wire.ok()) return no_daemon(wire.error().message());
  return wire;
}

Result<std::unique_ptr<WebSocket>> open_stream(std::unique_ptr<Wire> wire,
                                               std::vector<http::Header> headers,
                                               std::size_t most_bytes, const Call& call) {
  return WebSocket::open(
      std::move(wire),
      {.target = "/v1/stream", .headers = std::move(headers), .most_bytes = most_bytes}, call);
}

// A refusal is as short as a problem.
Status check_answer(http::Exchange& exchange, const Call& call) {
  constexpr std::size_t kMostProblem = 1UL << 20;
  LAZARET_TRY(const auto head, exchange.head(call));
  if (head.status < 300) return {};
  LAZARET_TRY(const std::string problem, exchange.body(kMostProblem, call));
  return error_of(problem);
}

}  // namespace

std::optional<ExecutionResult> run_in_daemon(const policy::Config& config,
                                             const ExecutionRequest& request) {
  const Call call = Call{Deadline::never(), request.stop}.within(kOpenBound);
  auto wire = connect(call);
  if (!wire.ok()) return std::nullopt;
  const auto order = whole_order_for(request);
  if (!order.ok()) return std::nullopt;
  const auto extent = request.packages.empty() ? core::Extent::box : core::Extent::packages;
  auto socket = open_stream(std::move(wire).value(),
                            {{"Lazaret-Version", LAZARET_VERSION},
                             {"Lazaret-Configuration", core::fingerprint(config, extent)}},
                            most_result_bytes(config.maxima), call);
  if (!socket.ok()) return std::nullopt;
  Client client(std::move(socket).value(), request);
  if (!client.send_order(*order, call).ok()) return std::nullopt;
  auto result = client.finish();
  return result.ok() ? std::move(result).value() : std::move(client).lost(result.error());
}

Result<ExecutionResult> run_in_session(const std::string& session,
                                       const ExecutionRequest& request) {
  const Call call = Call{Deadline::never(), request.stop}.within(kOpenBound);
  LAZARET_TRY(const std::string order, order_for(request, session));
  LAZARET_TRY(auto wire, connect(call));
  LAZARET_TRY(auto socket, open_stream(std::move(wire), {}, kMostResultBytes, call));
  Client client(std::move(socket), request);
  LAZARET_CHECK(client.send_order(order, call));
  auto result = client.finish();
  if (!result.ok()) return std::move(client).lost(result.error());
  if (!*result) return client.refusal();
  return std::move(**result);
}

Result<std::string> start_job(const ExecutionRequest& request, const std::string& session,
                              const Call& call) {
  nlohmann::json order = core::json_of(request);
  order["detach"] = true;
  if (!session.empty()) order["session"] = session;
  LAZARET_TRY(std::string body, text_of(order));
  LAZARET_TRY(const std::string answer, ask_daemon({"POST", "/v1/runs", std::move(body)}, call));
  const auto run = nlohmann::json::parse(answer, nullptr, false);
  const auto id = run.is_object() ? run.find("run_id") : run.end();
  if (id == run.end() || !id->is_string()) return Error(Errc::protocol, "the daemon names no run");
  return id->get<std::string>();
}

int status_of_refusal(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found:
    case Errc::too_large: return kUsage;
    case Errc::permission_denied: return kDenied;
    default: return kOurFailure;
  }
}

Result<std::string> ask_daemon(const Question& question, const Call& call) {
  LAZARET_TRY(http::Exchange exchange, open_daemon(question, call));
  return exchange.body(question.most_bytes, call);
}

Result<http::Exchange> open_daemon(const Question& question, const Call& call) {
  LAZARET_TRY(auto wire, connect(call.within(kOpenBound)));
  http::Exchange exchange(std::move(wire));
  LAZARET_CHECK(exchange.send(
      {question.method, question.target, {{"Host", "localhost"}}, question.body}, call));
  LAZARET_CHECK(check_answer(exchange, call));
  return exchange;
}

Status send_archive(const std::string& target, const http::BodySource& archive, const Call& call) {
  LAZARET_TRY(auto wire, connect(call.within(kOpenBound)));
  http::Exchange exchange(std::move(wire));
  const std::vector<http::Header> headers = {{"Host", "localhost"},
                                             {"Content-Type", "application/x-tar"}};
  LAZARET_CHECK(exchange.send({"PUT", target, headers, ""}, archive, call));
  return check_answer(exchange, call);
}

}  // namespace lazaret::cli
