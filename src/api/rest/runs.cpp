#include "api/rest/runs.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "api/rest/names.hpp"
#include "core/orchestrator.hpp"

namespace lazaret::rest {
namespace {

std::size_t bytes_of(const Run& run) { return run.result.size() + run.record.size(); }

// Of what a client may make long.
std::size_t bytes_of(const ExecutionRequest& request) {
  std::size_t bytes = request.code.size() + request.stdin_data.size();
  for (const Input& input : request.inputs) bytes += input.path.size() + input.content.size();
  for (const auto* const words : {&request.command, &request.arguments})
    for (const std::string& word : *words) bytes += word.size();
  for (const auto& [name, value] : request.environment) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

std::string_view name_of(RunState state) noexcept {
  switch (state) {
    case RunState::queued: return "queued";
    case RunState::running: return "running";
    case RunState::done: return "done";
  }
  return "";
}

Runs::Runs(boost::asio::io_context& loop, Execute execute, Workers& workers, const Bounds& bounds)
    : loop_(loop),
      execute_(std::move(execute)),
      workers_(workers),
      bounds_(bounds),
      expiry_(loop) {}

std::shared_ptr<Run> Runs::start(ExecutionRequest request, Tie tie, Output output,
                                 std::shared_ptr<KeptSession> session) {
  const std::size_t bytes = tie == Tie::detached ? bytes_of(request) : 0;
  if (detached_bytes_ + bytes > bounds_.bodies_bytes) return nullptr;
  auto run = std::make_shared<Run>();
  run->request_bytes = bytes;
  run->id = new_id();
  run->tie = tie;
  run->mode = output;
  run->request = std::move(request);
  run->request.stop = run->stop.get_token();
  // Each session has a line of its own, but all of them have no more than the workers have.
  if (session && session->lane->busy() && queued_ >= bounds_.queue) return nullptr;
  run->session = std::move(session);
  if (run->session) run->session_id = run->session->id;
  const Task task{[this, run] { execute(run); }, [run] { return run->taken.load(); }};
  if (!(run->session ? run->session->lane->submit(task) : workers_.submit(task))) return nullptr;
  ++queued_;
  detached_bytes_ += bytes;
  runs_.emplace(run->id, run);
  return run;
}

// On a worker.
void Runs::execute(const std::shared_ptr<Run>& run) {
  if (run->taken.exchange(true)) return;
  boost::asio::post(loop_, [this, run] {
    run->state = RunState::running;
    --queued_;
    ++running_;
  });
  if (run->mode != Output::collected) attach(run);
  ExecutionResult result =
      run->session ? run->session->session->execute(run->request) : execute_(run->request);
  end(run, std::move(result));
}

void Runs::end(const std::shared_ptr<Run>& run, ExecutionResult result) {
  result.meta.run_id = run->id;
  const Cause cause = result.meta.cause;
  const OutputCounts counts = result.meta.output;
  const auto duration = result.duration;
  boost::asio::post(loop_, [=, this, text = to_json(std::move(result))]() mutable {
    run->cause = cause;
    run->counts = counts;
    if (on_end) on_end(cause, duration);
    finish(run, std::move(text));
  });
}

// What the program does is told on the loop. It comes from the head of each output's cap, and so
// has a bound; what comes of a terminal has another one.
void Runs::attach(const std::shared_ptr<Run>& run) {
  run->request.on_output = [this, run](Stream stream, std::string_view bytes) {
    const bool has_terminal = run->request.terminal.has_value();
    if (has_terminal && !run->current.bring(bytes.size(), run->stop.get_token())) {
      run->stop.request_stop();
      return;
    }
    boost::asio::post(loop_,
                      [run, stream, text = std::string(bytes)] { notice(run, stream, text); });
  };
  run->request.on_progress = [this, run](std::string_view what) {
    if (run->mode != Output::streamed) return;
    boost::asio::post(loop_, [run, text = std::string(what)] {
      run->progress.push_back(text);
      if (const auto changed = run->changed) changed();
    });
  };
  run->request.on_start = [this, run](std::function<void(int)> signal) {
    boost::asio::post(loop_, [run, signal = std::move(signal)] { run->signal = signal; });
  };
  run->request.on_terminal = [this, run](std::function<void(TerminalSize)> resize) {
    boost::asio::post(loop_, [run, resize = std::move(resize)] {
      run->resize = resize;
      if (const auto changed = run->changed) changed();
    });
  };
}

void Runs::notice(const std::shared_ptr<Run>& run, Stream stream, std::string_view bytes) {
  if (run->mode == Output::streamed)
    run->output.put(stream, bytes);
  else
    run->record.put(stream, bytes);
  if (const auto changed = run->changed) changed();
  run->watchers.call();
}

void Runs::finish(const std::shared_ptr<Run>& run, std::string result) {
  run->state = RunState::done;
  run->result = std::move(result);
  run->ended = std::chrono::steady_clock::now();
  run->request = {};
  detached_bytes_ -= std::exchange(run->request_bytes, 0);
  run->session = nullptr;
  run->signal = nullptr;
  run->resize = nullptr;
  --running_;
  if (run->tie == Tie::detached)
    keep(run);
  else
    runs_.erase(run->id);
  if (const auto changed = std::exchange(run->changed, nullptr)) changed();
  run->watchers.call();
  if (queued_ + running_ == 0 && on_empty) on_empty();
}

// Output is in the result too: of both the record goes first. What is too large all the same takes
// nobody else's place.
void Runs::keep(const std::shared_ptr<Run>& run) {
  run->record.shrink();
  if (bytes_of(*run) > bounds_.kept_bytes) run->record = {}, run->mode = Output::collected;
  kept_.push_back(run->id);
  kept_bytes_ += bytes_of(*run);
  if (bytes_of(*run) > bounds_.kept_bytes) forget(run->id);
  drop_old();
}

void Runs::drop_old() {
  const auto limit = std::chrono::steady_clock::now() - bounds_.kept;
  while (!kept_.empty() && (kept_.size() > bounds_.kept_runs || kept_bytes_ > bounds_.kept_bytes ||
                            runs_.at(kept_.front())->ended <= limit)) {
    forget(std::string(kept_.front()));
  }
  await_oldest();
}

// Nobody need ask for a run again.
void Runs::await_oldest() {
  if (kept_.empty() || stopped_) return;
  expiry_.expires_at(runs_.at(kept_.front())->ended + bounds_.kept);
  expiry_.async_wait([this](const boost::system::error_code& error) {
    if (!error) drop_old();
  });
}

void Runs::stop() {
  stopped_ = true;
  expiry_.cancel();
}

void Runs::forget(const std::string& id) {
  const auto found = runs_.find(id);
  if (found == runs_.end() || found->second->state != RunState::done) return;
  kept_bytes_ -= bytes_of(*found->second);
  std::erase(kept_, id);
  runs_.erase(found);
}

std::shared_ptr<Run> Runs::find(const std::string& id) {
  drop_old();
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Run>> Runs::detached() {
  drop_old();
  std::vector<std::shared_ptr<Run>> detached;
  for (const auto& [id, run] : runs_) {
    if (run->tie == Tie::detached) detached.push_back(run);
  }
  std::ranges::sort(detached, {}, [](const auto& run) { return run->asked; });
  return detached;
}

void Runs::cancel(const std::shared_ptr<Run>& run) {
  run->stop.request_stop();
  if (run->taken.exchange(true)) return;
  --queued_;
  ++running_;
  end(run, core::failed_run(Error(Errc::cancelled, "it was given up before it began")));
}

void Runs::cancel_all() {
  for (const auto& [id, run] : std::map(runs_)) cancel(run);
}

std::size_t Runs::count(RunState state) const noexcept {
  switch (state) {
    case RunState::queued: return queued_;
    case RunState::running: return running_;
    case RunState::done: return kept_.size();
  }
  return 0;
}

}  // namespace lazaret::rest
