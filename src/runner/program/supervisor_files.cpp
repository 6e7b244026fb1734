#include <utility>

#include "base/try.hpp"
#include "runner/program/changer.hpp"
#include "runner/program/place.hpp"
#include "runner/program/supervisor.hpp"

// What of a supervisor's life has to do with files that are put and given.
namespace lazaret::runner {
namespace {

Event::Kind kind_of(os::TreeWatch::Event::Kind kind) {
  switch (kind) {
    case os::TreeWatch::Event::Kind::created: return Event::Kind::created;
    case os::TreeWatch::Event::Kind::written: return Event::Kind::written;
    case os::TreeWatch::Event::Kind::removed: return Event::Kind::removed;
    case os::TreeWatch::Event::Kind::moved: return Event::Kind::moved;
    case os::TreeWatch::Event::Kind::missed: break;
  }
  return Event::Kind::missed;
}

}  // namespace

// Never while a program runs; in a box that is not kept, none has run when something is put.
Status Supervisor::obey_files(const Frame& frame) {
  if (frame.type == FrameType::get) {
    LAZARET_TRY(Get wish, decode_get(frame.payload));
    return give(std::move(wish));
  }
  if (had_job_ || had_compile_) return Error(Errc::protocol, "files come before the job");
  if (frame.type == FrameType::end_context) return end_context(std::string(text_of(frame.payload)));
  if (frame.type == FrameType::put_data) return importer_.take_data(frame.payload);
  if (frame.type == FrameType::put_end) {
    LAZARET_TRY(const Placed placed, importer_.end());
    had_files_ = true;
    tell_events(Room::any);
    outbox_.put(FrameType::placed, encode(placed));
    return {};
  }
  if (frame.type == FrameType::change) {
    LAZARET_TRY(const Change change, decode_change(frame.payload));
    const Placed placed = carry_out(change);
    tell_events(Room::any);
    outbox_.put(FrameType::placed, encode(placed));
    return {};
  }
  LAZARET_TRY(const Entry entry, decode_entry(frame.payload));
  return importer_.take(entry);
}

// Asked again, it says again that it has begun; what has not come by now is told behind it.
void Supervisor::begin_to_watch() {
  Event begun;
  if (!watch_) {
    auto watch = os::TreeWatch::begin(kRoot);
    if (watch.ok()) watch_.emplace(std::move(*watch));
    if (!watch.ok()) begun.os_error = number_of(watch.error());
  }
  outbox_.put(FrameType::event, encode(begun));
  if (watch_ && watch_->is_blind())
    outbox_.put(FrameType::event, encode(Event{Event::Kind::missed, false, {}, {}, 0}));
}

// The rest waits in the kernel, which says when it has lost some.
void Supervisor::tell_events(Room room) {
  constexpr int kMostReads = 64;
  for (int read = 0; watch_ && read < kMostReads; ++read) {
    if (room == Room::of_the_outbox && !outbox_.has_room()) return;
    const auto events = watch_->take();
    if (events.empty()) return;
    for (const os::TreeWatch::Event& seen : events) {
      Event event{kind_of(seen.kind), seen.is_directory, seen.path, seen.target, 0};
      const bool fits = event.path.size() <= kPathBytes && event.target.size() <= kPathBytes;
      if (!fits) event = {Event::Kind::missed, false, {}, {}, 0};
      outbox_.put(FrameType::event, encode(event));
    }
  }
}

Status Supervisor::give(Get get) {
  if (main_ || exporter_)
    return Error(Errc::protocol, "files are given between jobs, one after another");
  exporter_.emplace(std::move(get));
  return {};
}

}  // namespace lazaret::runner
