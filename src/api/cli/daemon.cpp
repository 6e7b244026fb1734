#include "api/cli/daemon.hpp"

#include <nlohmann/json.hpp>
#include <thread>

#include "base/try.hpp"
#include "core/environment.hpp"
#include "core/json_members.hpp"
#include "core/orchestrator.hpp"
#include "core/request_json.hpp"
#include "core/result_reading.hpp"
#include "http/websocket.hpp"
#include "os/wire.hpp"

namespace lazaret::cli {
namespace {

using http::WebSocket;

constexpr std::size_t kResultFrameBytes = 1UL << 20;  // what else is in a result
constexpr std::chrono::seconds kOpenBound{2};
constexpr std::chrono::seconds kAnswerBound{30};  // a loop that is busy; nobody may run it again
// Of 10,000 artifacts, 1 MiB of names, as letters, and 150 letters about each; none with content.
constexpr std::size_t kArtifactsBytes = 8UL << 20;
constexpr std::chrono::seconds kCancelBound{60};  // the grace that a run may have, and its end

// No request may ask for more. A byte is six letters at most: \\u0000.
std::size_t most_result_bytes(const Limits& maxima) {
  return 6 * (maxima.stdout_bytes + maxima.stderr_bytes + maxima.value_bytes) + kArtifactsBytes +
         kResultFrameBytes;
}

// One run in the daemon, as seen from here.
class Client {
 public:
  Client(std::unique_ptr<WebSocket> socket, const ExecutionRequest& request)
      : socket_(std::move(socket)), request_(request) {}

  /// False when the daemon cannot have understood the order, which then is nobody's.
  [[nodiscard]] bool send_order(const Call& call) {
    nlohmann::json order = core::json_of(request_);
    if (request_.stdin_source) order["stream_stdin"] = true;
    return socket_->send(WebSocket::Kind::text, order.dump(), call).ok();
  }

  /// Nothing when the daemon has refused the run. After an error the code may have run.
  [[nodiscard]] Result<std::optional<ExecutionResult>> finish() {
    LAZARET_TRY(const auto begin, await_event(Deadline::after(kAnswerBound)));
    if (begin.contains("problem")) return std::optional<ExecutionResult>();
    std::jthread feed;
    if (request_.stdin_source)
      feed = std::jthread([this](const std::stop_token& stop) { carry_input(stop); });
    LAZARET_TRY(const auto end, await_event(Deadline::never()));
    if (!end.contains("result")) return Error(Errc::protocol, "the daemon gave no result");
    LAZARET_TRY(ExecutionResult result, core::result_of(end.at("result")));
    return std::optional(std::move(result));
  }

 private:
  // An interrupt is told to the daemon, which then has something to say.
  Result<core::JsonMembers> await_event(Deadline deadline) {
    auto event = next_event({deadline, request_.stop});
    if (event.ok() || event.error().code() != Errc::cancelled) return event;
    const Call call = Call{}.within(kCancelBound);
    LAZARET_CHECK(socket_->send(WebSocket::Kind::text, R"({"cancel":true})", call));
    return next_event(call);
  }

  // Output on the way is passed on.
  Result<core::JsonMembers> next_event(const Call& call) {
    for (;;) {
      LAZARET_TRY(const auto message, socket_->receive(call));
      if (!message) return Error(Errc::connection_lost, "the daemon closed the stream");
      if (message->kind == WebSocket::Kind::text) {
        auto event =
            core::members_of(message->payload, {"problem", "result"}, core::kMostDepth + 1);
        if (!event) return Error(Errc::protocol, "the daemon sends no JSON object");
        return std::move(*event);
      }
      if (!request_.on_output || message->payload.empty()) continue;
      const bool is_error = message->payload.front() == '\2';
      request_.on_output(is_error ? Stream::standard_error : Stream::standard_output,
                         std::string_view(message->payload).substr(1));
    }
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
};

}  // namespace

std::optional<ExecutionResult> run_in_daemon(const policy::Config& config,
                                             const ExecutionRequest& request) {
  const auto path = core::daemon_socket();
  if (!path) return std::nullopt;
  const Call call = Call{Deadline::never(), request.stop}.within(kOpenBound);
  auto wire = os::connect_own_unix(*path, call);
  if (!wire.ok()) return std::nullopt;
  auto socket = WebSocket::open(std::move(wire).value(),
                                {.target = "/v1/stream",
                                 .headers = {{"Lazaret-Version", LAZARET_VERSION},
                                             {"Lazaret-Configuration", core::fingerprint(config)}},
                                 .most_bytes = most_result_bytes(config.maxima)},
                                call);
  if (!socket.ok()) return std::nullopt;
  Client client(std::move(socket).value(), request);
  if (!client.send_order(call)) return std::nullopt;
  auto result = client.finish();
  if (result.ok()) return std::move(result).value();
  return core::failed_run(Error(result.error()).as(Errc::connection_lost).within("the daemon"));
}

}  // namespace lazaret::cli
