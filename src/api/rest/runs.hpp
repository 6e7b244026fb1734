#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "api/rest/backlog.hpp"
#include "api/rest/bounds.hpp"
#include "api/rest/current.hpp"
#include "api/rest/record.hpp"
#include "api/rest/sessions.hpp"
#include "api/rest/watchers.hpp"
#include "api/rest/workers.hpp"
#include "lazaret/execution_result.hpp"
#include "lazaret/request.hpp"

namespace lazaret::rest {

enum class RunState { queued, running, done };
[[nodiscard]] std::string_view name_of(RunState state) noexcept;

/// What becomes of a run when whoever asked for it goes away, and of its result once it is known.
enum class Tie { attached, detached };

/// Whether output comes only with the result, is handed on while the program runs, or is kept to be
/// looked at meanwhile.
enum class Output { collected, streamed, recorded };

/// One run, from its request to its result. Touched by the loop's thread only, but for `request`,
/// which the worker reads, and `taken`.
struct Run {
  std::string id;
  Tie tie = Tie::attached;
  RunState state = RunState::queued;
  ExecutionRequest request;
  std::size_t request_bytes = 0;  ///< of a detached one, whom no connection answers for
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  std::string session_id;                ///< empty when it has a box of its own
  std::shared_ptr<KeptSession> session;  ///< whose box it runs in, until it has ended
  std::stop_source stop;
  std::atomic<bool> taken = false;  ///< by a worker, or given up before that
  std::string result;               ///< JSON, once done
  OutputCounts counts;              ///< once done
  Cause cause = Cause::exited;      ///< once done
  std::chrono::steady_clock::time_point ended;
  Output mode = Output::collected;
  Backlog output;                                 ///< streamed, and not yet taken
  std::deque<std::string> progress;               ///< likewise: what is done before the program
  Record record;                                  ///< recorded
  Current current;                                ///< of its terminal, if it has one
  std::function<void(int number)> signal;         ///< once the program has been started
  std::function<void(TerminalSize size)> resize;  ///< likewise
  std::function<void()> changed;                  ///< called on the loop at output and the end
  Watchers watchers;                              ///< likewise
};

/// The runs of this daemon. Lives on the loop's thread.
class Runs {
 public:
  using Execute = std::function<ExecutionResult(const ExecutionRequest&)>;

  Runs(boost::asio::io_context& loop, Execute execute, Workers& workers, const Bounds& bounds);

  /// Takes a run in, to be executed as soon as a worker is free, and its session if it has one;
  /// null when too many wait, or too much does.
  // Shared with the connection that waits for it and the worker that executes it.
  [[nodiscard]] std::shared_ptr<Run> start(ExecutionRequest request, Tie tie, Output output,
                                           std::shared_ptr<KeptSession> session = {});
  /// A run that has not ended, or a detached one whose result is still kept; null otherwise.
  [[nodiscard]] std::shared_ptr<Run> find(const std::string& id);
  /// The detached ones that find() would find, by their age.
  [[nodiscard]] std::vector<std::shared_ptr<Run>> detached();
  /// Gives up the result of a run that has ended.
  void forget(const std::string& id);
  /// Ends it, which one that waits does at once.
  void cancel(const std::shared_ptr<Run>& run);
  void cancel_all();
  /// Nothing waits for the time to pass any more.
  void stop();
  [[nodiscard]] std::size_t count(RunState state) const noexcept;
  /// Called when a run has ended and none is left.
  std::function<void()> on_empty;
  /// Called when a run has ended.
  std::function<void(Cause cause, std::chrono::duration<double> duration)> on_end;

 private:
  void execute(const std::shared_ptr<Run>& run);
  void attach(const std::shared_ptr<Run>& run);
  void end(const std::shared_ptr<Run>& run, ExecutionResult result);
  void finish(const std::shared_ptr<Run>& run, std::string result);
  static void notice(const std::shared_ptr<Run>& run, Stream stream, std::string_view bytes);
  void keep(const std::shared_ptr<Run>& run);
  void drop_old();
  void await_oldest();

  boost::asio::io_context& loop_;
  Execute execute_;
  Workers& workers_;
  const Bounds& bounds_;
  std::map<std::string, std::shared_ptr<Run>> runs_;
  std::deque<std::string> kept_;  // ids of detached runs that have ended, oldest first
  std::size_t kept_bytes_ = 0;    // of their results and records
  std::size_t detached_bytes_ = 0;  // of the requests of detached runs that have not ended
  std::size_t queued_ = 0;
  std::size_t running_ = 0;
  boost::asio::steady_timer expiry_;  // of the oldest result that is kept
  bool stopped_ = false;
};

}  // namespace lazaret::rest
