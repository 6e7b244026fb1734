#include "core/session.hpp"

#include <algorithm>
#include <utility>

#include "base/linux_error.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "core/artifacts.hpp"
#include "core/bounds.hpp"
#include "core/cause.hpp"
#include "core/describe.hpp"
#include "core/inputs.hpp"
#include "core/orchestrator.hpp"
#include "core/run_error.hpp"
#include "core/session_inside.hpp"
#include "core/transfer.hpp"
#include "core/way_out.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

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

Error not_ready(SessionState state) {
  return Error(Errc::conflict, "the session is not ready any more: " + std::string(name_of(state)))
      .with_hint("make another one");
}

Status check_path(const std::string& path) {
  if (policy::is_below(path)) return {};
  return Error(Errc::invalid_argument, "no path below /work: " + policy::in_quotes(path));
}

namespace {

std::string in_work(const std::string& path) { return "/work/" + printable(path, '?'); }

constexpr std::uint64_t kLastOffset = (1ULL << 63) - 1;  // off_t

Status check_change(const runner::Change& change) {
  LAZARET_CHECK(check_path(change.path));
  if (change.kind == runner::Change::Kind::remove) return {};
  LAZARET_CHECK(check_path(change.target));
  if (!change.target.starts_with(change.path + "/")) return {};
  return Error(Errc::invalid_argument, "nothing can be moved into itself");
}

constexpr int kNoDirectory = 20, kLoop = 40;  // Linux's numbers, whatever we run on

Error read_error(const std::string& path, int number) {
  constexpr int kNoEntry = 2;
  if (number == kNoEntry || number == kNoDirectory)
    return Error(Errc::not_found, in_work(path) + " is not there").with_os_error(number);
  return Error(Errc::conflict, in_work(path) + " cannot be read: " + text_of_linux_error(number))
      .with_os_error(number);
}

Error get_error(const Session::Wish& wish, int number) {
  constexpr int kInvalid = 22;
  const bool is_no_file = wish.piece && (number == kInvalid || number == kLoop);
  if (!is_no_file) return read_error(wish.path, number);
  return Error(Errc::invalid_argument, in_work(wish.path) + " is no file").with_os_error(number);
}

Error change_error(const runner::Placed& placed, const runner::Change& change,
                   const Limits& limits) {
  constexpr int kNoEntry = 2, kExists = 17, kOtherFolder = 18, kNoSpace = 28;
  const int number = placed.os_error;
  const std::string path = in_work(change.path);
  if (placed.path == change.path && (number == kNoEntry || number == kNoDirectory))
    return Error(Errc::not_found, path + " is not there").with_os_error(number);
  if (number == kNoSpace) return place_error(placed, limits);
  const bool removes = change.kind == runner::Change::Kind::remove;
  std::string what =
      removes ? "removing " + path : "moving " + path + " to " + in_work(change.target);
  what += " failed: " + text_of_linux_error(number);
  if (number == kExists) what += ", something is there";
  if (number == kOtherFolder) what += ", not into another directory (Landlock before Linux 5.19)";
  return Error(Errc::conflict, std::move(what)).with_os_error(number);
}

}  // namespace

// The session as its one user has it: ready, or an error. What has no whole end loses it.
class Session::Use {
 public:
  [[nodiscard]] static Result<Use> begin(Session& session, const Call& call) {
    LAZARET_CHECK(call.check());  // who has waited elsewhere may have given up meanwhile
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
    : parts_(std::move(parts)),
      evidence_(parts_.box->evidence()),
      client_(parts_.box->wire(),
              [this](const runner::Event& event) { watchers_.tell(event); }) {
  life_.with([](Life& life) { life.used = Clock::now(); });
}

Session::~Session() { close(); }

Status Session::check(const ExecutionRequest& request) const {
  ExecutionRequest whole = request;
  const auto spec = parts_.resolve(whole);
  if (!spec.ok()) return spec.error();
  return check_places(request);
}

ExecutionResult Session::execute(const ExecutionRequest& request) {
  const Stop stop(*this, request.stop);
  ExecutionRequest whole = request;
  auto spec = parts_.resolve(whole);
  ExecutionResult result = spec.ok() ? run(whole, *spec, stop.token()) : failed_run(spec.error());
  result.meta.fallback = parts_.fallback;
  describe(result, whole, spec.ok() ? &*spec : nullptr);
  return result;
}

ExecutionResult Session::run(ExecutionRequest& request, policy::Spec& spec,
                             const std::stop_token& stop) {
  if (const Status there = check_places(request); !there.ok()) return failed_run(there.error());
  auto use = Use::begin(*this, Call{Deadline::never(), request.stop});
  if (!use.ok()) return failed_run(as_unavailable(use.error()));
  request.stop = stop;
  if (const Status entered = contexts_.enter(spec); !entered.ok()) {
    use->is_whole = true;
    return failed_run(entered.error());
  }
  OneRun kept = run_kept(*parts_.box, client_, request, spec);
  contexts_.note(spec, kept);
  put_connections(kept.result, parts_.way_out.get(),
                  contexts_.has_living() ? Inside::goes_on : Inside::over, stop);
  kept.result.meta.packages = parts_.packages;
  use->is_whole = kept.can_go_on;
  if (!kept.can_go_on) kept.result.meta.warnings.push_back("the session ended with this run");
  kept.result.meta.backend = parts_.backend->name();
  kept.result.meta.runtime = parts_.backend->runtime();
  return std::move(kept.result);
}

Status Session::put(const std::vector<Input>& inputs, Existing existing,
                    const std::stop_token& stop) {
  LAZARET_CHECK(policy::check_inputs(inputs, ""));
  LAZARET_CHECK(look_for(inputs));
  const Ask put = [&](const Call& call) {
    return put_inputs(client_, {inputs, "", existing}, call);
  };
  LAZARET_TRY(const runner::Placed placed, ask(put, stop));
  return placed.os_error == 0 ? Status() : Status(place_error(placed, parts_.spec.limits));
}

Result<Session::Taken> Session::get(const Wish& wish, const std::stop_token& stop) {
  if (wish.path != "." || wish.piece) LAZARET_CHECK(check_path(wish.path));
  if (wish.piece && wish.piece->offset > kLastOffset)
    return Error(Errc::invalid_argument, "no file is that long");
  if (wish.into) LAZARET_CHECK(check_output_directory(*wish.into));
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop both(*this, stop);
  const bool with_content = (wish.with_content || wish.piece) && !wish.into;
  ArtifactTaker taker({wish.into, with_content, parts_.spec.limits.disk_bytes, true, wish.piece});
  const Status taken =
      taker.take_from(client_, wish.path, transfer_call(parts_.spec.limits, both.token()));
  use.is_whole = client_.is_in_step();
  if (!taken.ok()) return taken.error();
  if (taker.error_number() != 0) return get_error(wish, taker.error_number());
  auto warnings = taker.warnings();
  return Taken{std::move(taker).artifacts(), std::move(warnings)};
}

// Of a directory the name with a '/' behind it leads there, of anything else nowhere.
Result<Artifact> Session::stat(const std::string& path, const std::stop_token& stop) {
  const std::string inside = path == "." ? path : path + "/";
  if (path != ".") LAZARET_CHECK(check_path(path));
  if (inside.size() > runner::kPathBytes)
    return Error(Errc::invalid_argument, "a path of more bytes than can be asked for");
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop both(*this, stop);
  const Call call = transfer_call(parts_.spec.limits, both.token());
  ArtifactTaker taker({std::nullopt, false, parts_.spec.limits.disk_bytes, true});
  const auto got = client_.get({inside, 0, runner::Get::Content::none}, taker, call);
  const bool is_directory = got.ok() && got->os_error == 0;
  const bool is_else = got.ok() && (got->os_error == kNoDirectory || got->os_error == kLoop);
  const Status taken = is_else ? taker.take_from(client_, path, call) : Status();
  use.is_whole = client_.is_in_step();
  if (!got.ok()) return got.error();
  if (!taken.ok()) return taken.error();
  if (is_directory) return Artifact{path, Artifact::Kind::directory, 0, {}, {}, false};
  const int number = is_else ? taker.error_number() : got->os_error;
  if (number != 0) return read_error(path, number);
  auto artifacts = std::move(taker).artifacts();
  if (artifacts.size() != 1) return Error(Errc::conflict, in_work(path) + " is changing");
  artifacts.front().path = path;
  return std::move(artifacts.front());
}

Status Session::pack(const std::string& path, const ArchiveSink& sink,
                     const std::stop_token& stop) {
  if (path != ".") LAZARET_CHECK(check_path(path));
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop closing(*this, std::stop_token());
  const Calls calls = archive_calls(closing.token());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  Packer packer({static_cast<std::uint64_t>(seconds), parts_.spec.limits.disk_bytes}, sink,
                calls.archive);
  const auto number = packer.pack(client_, path, calls.box);
  use.is_whole = client_.is_in_step();
  if (!number.ok()) return number.error();
  if (*number != 0) return read_error(path, *number);
  return packer.trouble() ? Status(*packer.trouble()) : Status();
}

Status Session::unpack(const std::string& directory, const ArchiveSource& source,
                       const std::stop_token& stop) {
  if (directory != ".") LAZARET_CHECK(check_path(directory));
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop closing(*this, std::stop_token());
  Status status = core::unpack(client_, {directory, parts_.spec.limits}, source,
                               archive_calls(closing.token()));
  use.is_whole = client_.is_in_step();
  return status;
}

Result<runner::Placed> Session::ask(const Ask& question, const std::stop_token& stop) {
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  const Stop both(*this, stop);
  auto placed = question(transfer_call(parts_.spec.limits, both.token()));
  use.is_whole = client_.is_in_step();
  return placed;
}

Status Session::make_directory(const std::string& path, const std::stop_token& stop) {
  LAZARET_CHECK(check_path(path));
  const Ask make = [&](const Call& call) -> Result<runner::Placed> {
    LAZARET_CHECK(client_.put({runner::Entry::Kind::directory, false, 0, path, {}}, call));
    return client_.end_put(call);
  };
  LAZARET_TRY(const runner::Placed placed, ask(make, stop));
  return placed.os_error == 0 ? Status() : Status(place_error(placed, parts_.spec.limits));
}

Status Session::change(const runner::Change& change, const std::stop_token& stop) {
  LAZARET_CHECK(check_change(change));
  const Ask carry_out = [&](const Call& call) { return client_.change(change, call); };
  LAZARET_TRY(const runner::Placed placed, ask(carry_out, stop));
  return placed.os_error == 0 ? Status() : Status(change_error(placed, change, parts_.spec.limits));
}

Result<std::vector<ContextState>> Session::contexts(const std::stop_token& stop) {
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  use.is_whole = true;
  return contexts_.list();
}

Status Session::end_context(const std::string& name, const std::stop_token& stop) {
  LAZARET_TRY(Use use, Use::begin(*this, Call{Deadline::never(), stop}));
  use.is_whole = true;
  if (!contexts_.forget(name))
    return Error(Errc::not_found, "the session has no context " + policy::in_quotes(name));
  const Stop both(*this, stop);
  const Status ended = client_.end_context(name, transfer_call(parts_.spec.limits, both.token()));
  use.is_whole = client_.is_in_step();
  const bool is_gone = !ended.ok() && ended.error().code() == Errc::not_found;
  return is_gone ? Status() : ended;
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
  const std::scoped_lock lock(asking_);
  parts_.box.reset();
  parts_.way_out.reset();
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
