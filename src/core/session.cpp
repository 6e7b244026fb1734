#include "core/session.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "core/artifacts.hpp"
#include "core/describe.hpp"
#include "core/inputs.hpp"
#include "core/orchestrator.hpp"
#include "core/run_error.hpp"
#include "core/transfer.hpp"
#include "policy/box_path.hpp"

namespace lazaret {

std::string_view name_of(SessionState state) noexcept {
  switch (state) {
    case SessionState::ready: return "ready";
    case SessionState::expired: return "expired";
    case SessionState::lost: return "lost";
    case SessionState::closed: return "closed";
  }
  return "";
}

namespace core {
namespace {

constexpr std::chrono::seconds kEndBound{10};

Error not_ready(SessionState state) {
  return Error(Errc::conflict, "the session is not ready any more: " + std::string(name_of(state)))
      .with_hint("make another one");
}

}  // namespace

// The session as its one user has it: ready, or an error. What has no whole end loses it.
class Session::Use {
 public:
  [[nodiscard]] static Result<Use> begin(Session& session, const Call& call) {
    LAZARET_TRY(Turn::Held turn, session.turn_.take(call));
    const SessionState state = session.life_.with([&session](Life& life) {
      if (life.state == SessionState::ready && session.is_over(life))
        life.state = SessionState::expired;
      life.in_use = life.state == SessionState::ready;
      return life.state;
    });
    if (state != SessionState::ready) {
      session.dispose();
      return not_ready(state);
    }
    return Use(session, std::move(turn));
  }
  Use(Use&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {
    if (other.turn_) turn_.emplace(std::move(*other.turn_));
    other.turn_.reset();
  }
  Use& operator=(Use&&) = delete;
  ~Use() {
    if (session_ == nullptr) return;
    const SessionState state = session_->life_.with([this](Life& life) {
      life.in_use = false;
      life.used = Clock::now();
      if (!is_whole && life.state == SessionState::ready) life.state = SessionState::lost;
      return life.state;
    });
    if (state != SessionState::ready) session_->dispose();
    turn_.reset();
    // Whoever has ended it meanwhile has found it in use.
    if (session_->state() != SessionState::ready) session_->sweep();
  }

  bool is_whole = false;

 private:
  Use(Session& session, Turn::Held turn) : session_(&session) { turn_.emplace(std::move(turn)); }

  Session* session_;
  std::optional<Turn::Held> turn_;
};

Session::Session(Parts parts)
    : parts_(std::move(parts)), evidence_(parts_.box->evidence()), client_(parts_.box->wire()) {
  life_.with([](Life& life) { life.used = Clock::now(); });
}

Session::~Session() { close(); }

ExecutionResult Session::execute(const ExecutionRequest& request) {
  const auto spec = parts_.resolve(request);
  ExecutionResult result = spec.ok() ? run(request, *spec) : failed_run(spec.error());
  describe(result, request, spec.ok() ? &*spec : nullptr);
  return result;
}

// Ends with its caller's stop, and with the session.
class Session::Stop {
 public:
  Stop(const Session& session, const std::stop_token& caller)
      : by_caller_(caller, Request{source_}),
        by_closing_(session.closing_.get_token(), Request{source_}) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> by_caller_;
  std::stop_callback<Request> by_closing_;
};

ExecutionResult Session::run(const ExecutionRequest& request, const policy::Spec& spec) {
  if (const Status there = look_for(request.inputs); !there.ok()) return failed_run(there.error());
  if (request.output_directory) {
    const Status empty = check_output_directory(*request.output_directory);
    if (!empty.ok()) return failed_run(empty.error());
  }
  auto use = Use::begin(*this, Call{Deadline::never(), request.stop});
  if (!use.ok()) {
    const bool cancelled = use.error().code() == Errc::cancelled;
    return failed_run(cancelled ? use.error() : Error(use.error()).as(Errc::backend_unavailable));
  }
  const Stop stop(*this, request.stop);
  ExecutionRequest bound = request;
  bound.stop = stop.token();
  KeptRun kept = run_kept(*parts_.box, client_, bound, spec);
  use->is_whole = kept.can_go_on;
  if (!kept.can_go_on) kept.result.meta.warnings.push_back("the session ended with this run");
  kept.result.meta.backend = parts_.backend->name();
  kept.result.meta.runtime = parts_.backend->runtime();
  return std::move(kept.result);
}

Status Session::put(const std::vector<Input>& inputs, const std::stop_token& stop) {
  LAZARET_CHECK(policy::check_inputs(inputs, ""));
  LAZARET_CHECK(look_for(inputs));
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop both(*this, stop);
  const auto placed = put_inputs(client_, {inputs, "", Existing::give_way},
                                 transfer_call(parts_.spec.limits, both.token()));
  use.is_whole = client_.is_in_step();
  if (!placed.ok()) return placed.error();
  if (placed->os_error == 0) return {};
  constexpr int kNoSpace = 28;  // Linux's number, whatever we run on
  const ResultError why = place_error(*placed, parts_.spec.limits);
  return Error(placed->os_error == kNoSpace ? Errc::too_large : Errc::conflict, why.message)
      .with_hint(why.hint.value_or(""))
      .with_os_error(placed->os_error);
}

Result<std::vector<Artifact>> Session::get(const Wish& wish, const std::stop_token& stop) {
  if (wish.path != "." && !policy::is_below(wish.path))
    return Error(Errc::invalid_argument, "no path below /work: " + wish.path);
  if (wish.into) LAZARET_CHECK(check_output_directory(*wish.into));
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop both(*this, stop);
  ArtifactTaker taker({wish.into, wish.with_content, parts_.spec.limits.disk_bytes});
  const Status taken =
      taker.take_from(client_, wish.path, transfer_call(parts_.spec.limits, both.token()));
  use.is_whole = client_.is_in_step();
  if (!taken.ok()) return taken.error();
  if (taker.error_number() != 0)
    return Error(Errc::not_found, "/work/" + wish.path + " is no directory that can be read")
        .with_os_error(taker.error_number());
  return std::move(taker).artifacts();
}

void Session::close() { end(SessionState::closed); }

void Session::expire() {
  const bool over = life_.with([this](const Life& life) { return is_over(life); });
  if (over) end(SessionState::expired);
}

// Whoever uses the box meanwhile ends it when he is done.
void Session::end(SessionState state) {
  life_.with([state](Life& life) {
    if (life.state == SessionState::ready) life.state = state;
  });
  closing_.request_stop();
  sweep();
}

// Unless somebody uses it, who does it then.
void Session::sweep() {
  const auto turn = turn_.take(Call{}.within(std::chrono::seconds(0)));
  if (turn.ok()) dispose();
}

void Session::dispose() {
  if (!parts_.box) return;
  (void)parts_.box->dispose(Call{}.within(kEndBound)).ok();
  parts_.box.reset();
}

SessionState Session::state() const {
  return life_.with([](const Life& life) { return life.state; });
}

bool Session::is_over(const Life& life) const {
  const auto now = Clock::now();
  return !life.in_use && (now >= made_ + parts_.lifetime || now >= life.used + parts_.idle);
}

Session::Clock::time_point Session::expires_at() const {
  const auto used = life_.with([](const Life& life) { return life.used; });
  return std::min(made_ + parts_.lifetime, used + parts_.idle);
}

}  // namespace core
}  // namespace lazaret
