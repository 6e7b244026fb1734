#include <utility>

#include "base/try.hpp"
#include "runner/program/changer.hpp"
#include "runner/program/supervisor.hpp"

// What of a supervisor's life has to do with files that are put and given.
namespace lazaret::runner {

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
    outbox_.put(FrameType::placed, encode(placed));
    return {};
  }
  if (frame.type == FrameType::change) {
    LAZARET_TRY(const Change change, decode_change(frame.payload));
    outbox_.put(FrameType::placed, encode(carry_out(change)));
    return {};
  }
  LAZARET_TRY(const Entry entry, decode_entry(frame.payload));
  return importer_.take(entry);
}

Status Supervisor::give(Get get) {
  if (main_ || exporter_)
    return Error(Errc::protocol, "files are given between jobs, one after another");
  exporter_.emplace(std::move(get));
  return {};
}

}  // namespace lazaret::runner
