#include "runner/client.hpp"

#include <algorithm>

#include "base/linux_error.hpp"
#include "base/try.hpp"

namespace lazaret::runner {
namespace {

Error out_of_place() { return Error(Errc::protocol, "runner frame out of place"); }

}  // namespace

// The next that is no event; those are told.
Result<std::optional<Frame>> Client::next_of_what_came() {
  for (;;) {
    LAZARET_TRY(const auto frame, reader_.next());
    if (!frame || frame->type != FrameType::event) return frame;
    if (!watches_) return out_of_place();
    LAZARET_TRY(Event event, decode_event(frame->payload));
    hear_(std::move(event));
  }
}

Result<Frame> Client::next_frame(const Call& call) {
  for (;;) {
    LAZARET_TRY(const auto frame, next_of_what_came());
    if (frame) return *frame;
    LAZARET_CHECK(call.check());
    LAZARET_TRY(const std::size_t count, wire_.read(reader_.space(), call));
    if (count == 0) return Error(Errc::connection_lost, "the runner's stream ended");
    reader_.commit(count);
  }
}

// After an error nobody knows how much of the frame has arrived.
Status Client::send(FrameType type, Bytes payload, const Call& call) {
  const auto frame = encode_frame(type, payload);
  LAZARET_TRY(const Turn::Held turn, sending_.take(call));
  if (cut_) return Error(Errc::connection_lost, "the last frame did not get through");
  Status written = wire_.write(frame, call);
  cut_ = !written.ok();
  return written;
}

Result<Greeting> Client::greet(const Call& call) {
  LAZARET_TRY(const Frame first, next_frame(call));
  if (first.type == FrameType::failed) {
    LAZARET_TRY(const Failed failed, decode_failed(first.payload));
    return Error(Errc::system, "making the box: " + failed.step +
                                   " failed: " + text_of_linux_error(failed.os_error))
        .with_os_error(failed.os_error);
  }
  if (first.type != FrameType::hello) return Error(Errc::protocol, "expected the runner's hello");
  LAZARET_TRY(const Hello hello, decode_hello(first.payload));
  if (hello.version != kProtocolVersion) {
    return Error(Errc::protocol, "the runner speaks protocol version " +
                                     std::to_string(hello.version) + ", we speak " +
                                     std::to_string(kProtocolVersion));
  }
  LAZARET_TRY(const Frame second, next_frame(call));
  if (second.type != FrameType::report)
    return Error(Errc::protocol, "expected the runner's report");
  return Greeting{hello, std::string(text_of(second.payload))};
}

Result<std::uint32_t> Client::prepare(const Job& interpreter, const Call& call) {
  LAZARET_CHECK(send(FrameType::prepare, encode(interpreter), call));
  LAZARET_TRY(const Frame answer, next_frame(call));
  if (answer.type == FrameType::prepared && reader_.is_empty())
    return decode_number(answer.payload);
  if (answer.type != FrameType::failed)
    return Error(Errc::protocol, "an interpreter that shall wait has said something");
  LAZARET_TRY(const Failed failed, decode_failed(answer.payload));
  return Error(Errc::start_failed, failed.step).with_os_error(failed.os_error);
}

Status Client::send_job(FrameType type, const Job& job, const Call& call) {
  const auto payload = encode(job);
  if (payload.size() > kJobBytes) return Error(Errc::too_large, "job is larger than 4 MiB");
  heard_ = false;  // what was heard was of the step before
  asked_ = true;
  return send(type, payload, call);
}

Status Client::start(const Job& job, const Call& call) {
  return send_job(FrameType::job, job, call).within("starting the job");
}

Status Client::compile(const Job& step, const Call& call) {
  return send_job(FrameType::compile, step, call).within("starting the compile step");
}

Status Client::put(const Entry& entry, const Call& call) {
  asked_ = true;
  return send(FrameType::put, encode(entry), call);
}

Status Client::put_content(Bytes bytes, const Call& call) {
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(bytes.size(), kStreamBytes));
    LAZARET_CHECK(send(FrameType::put_data, piece, call));
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Result<Placed> Client::end_put(const Call& call) {
  asked_ = true;
  LAZARET_CHECK(send(FrameType::put_end, {}, call));
  return placed(call);
}

Result<Placed> Client::change(const Change& change, const Call& call) {
  asked_ = true;
  LAZARET_CHECK(send(FrameType::change, encode(change), call));
  return placed(call);
}

Status Client::end_context(const std::string& name, const Call& call) {
  asked_ = true;
  LAZARET_CHECK(send(FrameType::end_context, bytes_of(name), call));
  LAZARET_TRY(const Placed answer, placed(call));
  return answer.os_error == 0 ? Status() : Status(Error(Errc::not_found, "no such context"));
}

Result<Placed> Client::placed(const Call& call) {
  LAZARET_TRY(const Frame answer, next_frame(call));
  if (answer.type != FrameType::placed) return out_of_place();
  LAZARET_TRY(Placed placed, decode_placed(answer.payload));
  asked_ = false;
  return placed;
}

Result<Got> Client::get(const Get& wish, Receiver& receiver, const Call& call) {
  asked_ = true;
  LAZARET_CHECK(send(FrameType::get, encode(wish), call));
  for (;;) {
    LAZARET_TRY(const Frame frame, next_frame(call));
    if (frame.type == FrameType::got) {
      asked_ = false;
      return decode_got(frame.payload);
    }
    if (frame.type == FrameType::entry) {
      LAZARET_TRY(const Entry entry, decode_entry(frame.payload));
      LAZARET_CHECK(receiver.entry(entry));
    } else if (frame.type == FrameType::entry_data) {
      LAZARET_CHECK(receiver.content(frame.payload));
    } else {
      return out_of_place();
    }
  }
}

Status Client::send_stdin(Bytes bytes, const Call& call) {
  return send(FrameType::stdin_data, bytes, call);
}

Status Client::end_stdin(const Call& call) { return send(FrameType::stdin_end, {}, call); }

Status Client::signal(std::uint32_t number, const Call& call) {
  return send(FrameType::signal, encode(number), call);
}

Status Client::resize(const TerminalSize& size, const Call& call) {
  return send(FrameType::resize, encode(size), call);
}

Status Client::watch(const Call& call) {
  if (!hear_) return Error(Errc::unsupported, "nobody hears what changes");
  watches_ = true;
  return send(FrameType::watch, {}, call);
}

Status Client::listen(const Call& call) {
  const auto frame = next_frame(call);
  if (frame.ok()) return out_of_place();
  return frame.error().code() == Errc::timed_out ? Status() : frame.error();
}

bool Client::is_in_step() {
  const auto more = next_of_what_came();
  if (!more.ok() || *more) return false;
  const bool is_event = watches_ && reader_.may_begin(FrameType::event);
  return !asked_ && !cut_ && (reader_.is_empty() || is_event);
}

Result<Ending> Client::await(Sink& sink, const Call& call) {
  for (;;) {
    LAZARET_TRY(const Frame frame, next_frame(call));
    heard_ = true;
    switch (frame.type) {
      case FrameType::started: break;
      case FrameType::stdout_data:
        LAZARET_CHECK(sink.output(Stream::standard_output, frame.payload));
        break;
      case FrameType::stderr_data:
        LAZARET_CHECK(sink.output(Stream::standard_error, frame.payload));
        break;
      case FrameType::value_data: sink.value(frame.payload); break;
      case FrameType::stdin_credit: {
        LAZARET_TRY(const std::uint32_t bytes, decode_number(frame.payload));
        sink.credit(bytes);
        break;
      }
      case FrameType::exited: {
        LAZARET_TRY(const Exited exited, decode_exited(frame.payload));
        asked_ = false;
        return Ending(exited);
      }
      case FrameType::failed: {
        LAZARET_TRY(Failed failed, decode_failed(frame.payload));
        asked_ = false;
        return Ending(std::move(failed));
      }
      default: return out_of_place();
    }
    LAZARET_CHECK(call.check());  // of many small frames each may have had to wait for its reader
  }
}

}  // namespace lazaret::runner
