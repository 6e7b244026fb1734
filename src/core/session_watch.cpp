#include <algorithm>
#include <chrono>

#include "base/linux_error.hpp"
#include "base/try.hpp"
#include "core/session_inside.hpp"

// How a session's watchers hear what changes in it.
namespace lazaret::core {
namespace {

// How often those who watch listen for themselves, for how long, and how long asking may take.
constexpr std::chrono::milliseconds kListenPause{50}, kListenMoment{1};
constexpr std::chrono::seconds kAskBound{10};

}  // namespace

// Whoever uses the box hears what changes; while nobody does, the watchers themselves.
Status Session::watch(const std::string& path, const OnChange& on_change,
                      const std::stop_token& stop) {
  if (path != ".") LAZARET_CHECK(check_path(path));
  const Stop both(*this, stop);
  const auto watcher = watchers_.join(path);
  LAZARET_CHECK(begin_to_watch());
  while (!both.token().stop_requested()) {
    const auto changes = watcher->wait(Clock::now() + kListenPause, both.token());
    std::ranges::for_each(changes, on_change);
    if (changes.empty()) LAZARET_CHECK(listen(Call{Deadline::never(), both.token()}));
  }
  if (stop.stop_requested()) return {};
  std::ranges::for_each(watcher->wait(Clock::now(), stop), on_change);  // what came before the end
  return not_ready(state());
}

// WHY no stop: half a frame would be the end of all that is said to the box.
Status Session::begin_to_watch() {
  const std::scoped_lock lock(asking_);
  return parts_.box ? client_.watch(Call{}.within(kAskBound)) : Status(not_ready(state()));
}

// Not a use: it keeps nobody waiting, and no session from its end, which finds it here at times.
Status Session::listen(const Call& call) {
  if (const auto number = watchers_.failure())
    return Error(Errc::unsupported, "the box cannot watch: " + text_of_linux_error(*number))
        .with_os_error(*number);
  const Status heard = hear(call);
  if (state() != SessionState::ready) sweep();
  return heard;
}

Status Session::hear(const Call& call) {
  if (state() != SessionState::ready) return not_ready(state());
  const auto turn = turn_.take(call.within(std::chrono::milliseconds(0)));
  if (!turn.ok() || !parts_.box) return {};
  const Status heard = client_.listen(call.within(kListenMoment));
  const bool is_lost = !heard.ok() && heard.error().code() != Errc::cancelled;
  if (!is_lost) return {};
  life_.with([](Life& life) {
    if (life.state == SessionState::ready) life.state = SessionState::lost;
  });
  dispose();
  return heard;
}

}  // namespace lazaret::core
