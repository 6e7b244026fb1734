#include "api/rest/run_routes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/rest/order.hpp"
#include "api/rest/query.hpp"
#include "api/rest/wait.hpp"
#include "base/base64.hpp"
#include "base/try.hpp"
#include "core/cause.hpp"

namespace lazaret::rest {
namespace {

using nlohmann::ordered_json;
using RunPointer = std::shared_ptr<Run>;

constexpr std::uint64_t kLongestWait = 60;           // seconds
constexpr std::size_t kLongestOutput = 256UL << 10;  // bytes of one answer

ordered_json summary_of(const Run& run) {
  ordered_json json = {{"run_id", run.id}, {"state", name_of(run.state)}};
  if (!run.session_id.empty()) json["session_id"] = run.session_id;
  const auto age = std::chrono::steady_clock::now() - run.asked;
  json["age_s"] = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (run.state == RunState::done) json["cause"] = name_of(run.cause);
  return json;
}

std::string json_of(const Run& run) {
  ordered_json json = {{"run_id", run.id}, {"state", name_of(run.state)}};
  if (!run.session_id.empty()) json["session_id"] = run.session_id;
  std::string text = json.dump();
  if (run.state != RunState::done) return text;
  // Spliced in: to parse a result may take long, and this is the loop.
  text.pop_back();
  return text + ",\"result\":" + run.result + "}";
}

// The run ends with the client, and the answer is its result.
void wait_for(Desk& desk, const RunPointer& run, const VisitorPointer& visitor) {
  run->changed = [visitor, run = run.get()] { visitor->answer({.body = std::move(run->result)}); };
  visitor->when_gone([&runs = desk.runs, run] {
    run->changed = nullptr;
    runs.cancel(run);
  });
}

RunPointer run_of(Desk& desk, const VisitorPointer& visitor) {
  auto run = desk.runs.find(visitor->request().parameters.at("id"));
  if (!run) visitor->refuse({404, "no_such_run", "no run has this id, or its result has expired"});
  return run;
}

// Until it has ended and there is no room for it.
bool is_recorded(const Run& run) { return run.mode == Output::recorded; }

Problem not_recorded() {
  return {409, "not_recorded", "its output is in its result alone",
          "of detached runs it is kept apart, up to half of what is kept at all"};
}

bool is_done(const Run& run) { return run.state == RunState::done; }

Result<std::chrono::seconds> wait_in(const Parameters& parameters) {
  LAZARET_TRY(const std::uint64_t seconds, number_in(parameters, "wait", kLongestWait));
  return std::chrono::seconds(seconds);
}

// A part of what a run has written to one of its streams.
struct Part {
  Stream stream = Stream::standard_output;
  std::uint64_t offset = 0;
  std::chrono::seconds wait{0};

  [[nodiscard]] const std::string& all(const Run& run) const { return run.record.of(stream); }
  [[nodiscard]] bool is_cut(const Run& run) const {
    return stream == Stream::standard_output ? run.counts.stdout_truncated
                                             : run.counts.stderr_truncated;
  }
  [[nodiscard]] bool is_there(const Run& run) const { return all(run).size() > offset; }
};

Result<Part> part_of(const Request& request) {
  Part part;
  const auto named = request.query.find("stream");
  const std::string stream = named == request.query.end() ? "stdout" : named->second;
  if (stream != "stdout" && stream != "stderr")
    return Error(Errc::invalid_argument, "stream is stdout or stderr");
  if (stream == "stderr") part.stream = Stream::standard_error;
  LAZARET_TRY(part.offset, number_in(request.query, "offset", kAnyNumber));
  LAZARET_TRY(part.wait, wait_in(request.query));
  return part;
}

std::string json_of(const Run& run, const Part& part) {
  const std::string& all = part.all(run);
  const std::size_t begin = std::min<std::uint64_t>(part.offset, all.size());
  const std::string_view bytes = std::string_view(all).substr(begin, kLongestOutput);
  const std::size_t end = begin + bytes.size();
  const bool over = is_done(run) && end == all.size();
  ordered_json json = {{"run_id", run.id},
                       {"state", name_of(run.state)},
                       {"stream", part.stream == Stream::standard_output ? "stdout" : "stderr"},
                       {"offset", begin},
                       {"next_offset", end},
                       {"content", to_base64(bytes)},
                       {"complete", over},
                       {"truncated", over && part.is_cut(run)}};
  if (over) json["cause"] = name_of(run.cause);
  return json.dump();
}

// Why no program of it takes a signal.
Problem deaf(const Run& run) {
  if (is_done(run)) return {409, "not_running", "the run has ended"};
  if (run.mode != Output::collected)
    return {409, "not_running", "its program has not begun yet", "try again in a moment"};
  return {409, "not_running", "only detached and streamed runs take signals"};
}

Result<int> signal_in(const std::string& body) {
  const auto object = nlohmann::json::parse(body, nullptr, false);
  const bool named = object.is_object() && object.size() == 1 && object.contains("signal") &&
                     object["signal"].is_string();
  if (!named) return Error(Errc::invalid_argument, R"(the body is {"signal": NAME}, such as TERM)");
  const int number = core::signal_number(object["signal"].get_ref<const std::string&>());
  if (number == 0) return Error(Errc::invalid_argument, "no signal is called so");
  return int{number};
}

}  // namespace

void start_run(Desk& desk, const VisitorPointer& visitor) {
  const Request& request = visitor->request();
  const bool streamed =
      request.takes_chunks && request.accept.find(kEventType) != std::string::npos;
  auto order = order_of(request.body);
  if (!order.ok()) return visitor->refuse({400, "bad_request", order.error().message()});
  if (order->input == InputKind::streamed)
    return visitor->refuse(
        {400, "bad_request", "stream_stdin needs a WebSocket", "GET /v1/stream"});
  if (order->streams_artifacts)
    return visitor->refuse(
        {400, "bad_request", "stream_artifacts needs a WebSocket", "GET /v1/stream"});
  if (order->request.terminal)
    return visitor->refuse({400, "bad_request", "a terminal needs a WebSocket", "GET /v1/stream"});
  const bool detached = order->tie == Tie::detached;
  if (detached && streamed)
    return visitor->refuse({400, "bad_request", "what is streamed cannot be detached"});
  const Output unstreamed = detached ? Output::recorded : Output::collected;
  auto admitted = admit(desk, std::move(*order), streamed ? Output::streamed : unstreamed);
  if (const auto* const problem = std::get_if<Problem>(&admitted)) return visitor->refuse(*problem);
  const auto run = std::get<RunPointer>(std::move(admitted));
  if (streamed) return visitor->stream(run);
  if (!detached) return wait_for(desk, run, visitor);
  visitor->answer({202, "application/json", json_of(*run), {{"Location", "/v1/runs/" + run->id}}});
}

void list_runs(Desk& desk, const VisitorPointer& visitor) {
  ordered_json list = ordered_json::array();
  for (const RunPointer& run : desk.runs.detached()) list.push_back(summary_of(*run));
  visitor->answer({.body = list.dump()});
}

void show_run(Desk& desk, const VisitorPointer& visitor) {
  const auto most = wait_in(visitor->request().query);
  if (!most.ok()) return visitor->refuse({400, "bad_request", most.error().message()});
  const RunPointer run = run_of(desk, visitor);
  if (!run) return;
  Wait::begin(desk.loop, run, visitor,
              {*most, [run = run.get()] { return is_done(*run); },
               [run = run.get(), visitor] { visitor->answer({.body = json_of(*run)}); }});
}

void show_output(Desk& desk, const VisitorPointer& visitor) {
  const auto part = part_of(visitor->request());
  if (!part.ok()) return visitor->refuse({400, "bad_request", part.error().message()});
  const RunPointer run = run_of(desk, visitor);
  if (!run) return;
  Wait::begin(desk.loop, run, visitor,
              {part->wait,
               [run = run.get(), part = *part] {
                 return is_done(*run) || !is_recorded(*run) || part.is_there(*run);
               },
               [run = run.get(), part = *part, visitor] {
                 if (!is_recorded(*run)) return visitor->refuse(not_recorded());
                 visitor->answer({.body = json_of(*run, part)});
               }});
}

void signal_run(Desk& desk, const VisitorPointer& visitor) {
  const auto number = signal_in(visitor->request().body);
  if (!number.ok()) return visitor->refuse({400, "bad_request", number.error().message()});
  const RunPointer run = run_of(desk, visitor);
  if (!run) return;
  if (!run->signal) return visitor->refuse(deaf(*run));
  if (!desk.signals.submit([signal = run->signal, number = *number] { signal(number); }))
    return visitor->refuse({429, "queue_full", "too many signals wait", {}, Bounds::kRetry});
  visitor->answer({.status = 202, .body = json_of(*run)});
}

void cancel_run(Desk& desk, const VisitorPointer& visitor) {
  const RunPointer run = run_of(desk, visitor);
  if (!run) return;
  if (is_done(*run)) {
    desk.runs.forget(run->id);
    return visitor->answer({.status = 204});
  }
  desk.runs.cancel(run);
  visitor->answer({.status = 202, .body = json_of(*run)});
}

}  // namespace lazaret::rest
