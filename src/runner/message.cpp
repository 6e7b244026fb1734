#include "runner/message.hpp"

#include <cstring>

#include "base/try.hpp"
#include "runner/frame.hpp"

namespace lazaret::runner {
namespace {

constexpr std::uint32_t kMagic = 0x4E525A4C;  // "LZRN"
constexpr std::uint32_t kMostItems = 4096;    // of any list in a job

class Writer {
 public:
  template <typename Number>
  void number(Number value) {
    for (std::size_t index = 0; index < sizeof value; ++index) {
      bytes_.push_back(
          static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * index)) & 0xFF));
    }
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    const Bytes raw = bytes_of(value);
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void list(const std::vector<std::string>& values) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  void size(const TerminalSize& value) {
    number(value.rows);
    number(value.columns);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads in order; the first short read makes everything after it zero and `whole()` false.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  template <typename Number>
  [[nodiscard]] Number number() {
    const Bytes raw = take(sizeof(Number));
    std::uint64_t value = 0;
    for (std::size_t index = 0; index < raw.size(); ++index) {
      value |= std::to_integer<std::uint64_t>(raw[index]) << (8 * index);
    }
    return static_cast<Number>(value);
  }
  [[nodiscard]] std::string text() { return std::string(text_of(take(number<std::uint32_t>()))); }
  [[nodiscard]] std::uint32_t count() {
    const auto value = number<std::uint32_t>();
    if (value <= kMostItems) return value;
    short_ = true;
    return 0;
  }
  [[nodiscard]] std::vector<std::string> list() {
    std::vector<std::string> values;
    for (std::uint32_t left = count(); left > 0 && !short_; --left) values.push_back(text());
    return values;
  }
  [[nodiscard]] bool yes_or_no() {
    const auto value = number<std::uint8_t>();
    short_ = short_ || value > 1;
    return value == 1;
  }
  [[nodiscard]] TerminalSize size() {
    const auto rows = number<std::uint16_t>();
    const TerminalSize value{rows, number<std::uint16_t>()};
    short_ = short_ || value.rows == 0 || value.columns == 0;
    return value;
  }
  [[nodiscard]] bool failed() const noexcept { return short_; }
  [[nodiscard]] bool whole() const noexcept { return !short_ && bytes_.empty(); }

 private:
  [[nodiscard]] Bytes take(std::size_t size) {
    if (short_ || size > bytes_.size()) {
      short_ = true;
      return {};
    }
    const Bytes front = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return front;
  }

  Bytes bytes_;
  bool short_ = false;
};

Error malformed(std::string_view what) {
  return Error(Errc::protocol, "malformed " + std::string(what) + " from the runner's stream");
}

// A path and what it leads to or becomes; whether neither is longer than a path may be.
bool take_paths(Reader& reader, std::string& path, std::string& target) {
  path = reader.text();
  target = reader.text();
  return path.size() <= kPathBytes && target.size() <= kPathBytes;
}

}  // namespace

std::vector<std::byte> encode(const Hello& hello) {
  Writer writer;
  writer.number(kMagic);
  writer.number(hello.version);
  writer.number(hello.pid);
  return writer.take();
}

std::vector<std::byte> encode(const Job& job) {
  Writer writer;
  writer.list(job.argv);
  writer.list(job.environment);
  writer.text(job.working_directory);
  writer.number(static_cast<std::uint32_t>(job.files.size()));
  for (const Job::File& file : job.files) {
    writer.text(file.path);
    writer.text(file.content);
  }
  writer.number(job.cpu_seconds);
  writer.text(job.word);
  writer.text(job.farewell);
  writer.number(static_cast<std::uint8_t>(job.keeps_box));
  writer.text(job.context);
  writer.number(static_cast<std::uint8_t>(job.begins_context));
  writer.number(static_cast<std::uint8_t>(job.terminal.has_value()));
  if (job.terminal) writer.size(*job.terminal);
  return writer.take();
}

std::vector<std::byte> encode(const Exited& exited) {
  Writer writer;
  writer.number(static_cast<std::uint8_t>(exited.how));
  writer.number(exited.code);
  writer.number(exited.cpu_us);
  writer.number(exited.peak_rss_kib);
  writer.number(static_cast<std::uint8_t>(exited.has_artifacts));
  writer.number(static_cast<std::uint8_t>(exited.full));
  writer.number(static_cast<std::uint8_t>(exited.keeps_context));
  return writer.take();
}

std::vector<std::byte> encode(const Failed& failed) {
  Writer writer;
  writer.text(failed.step);
  writer.number(static_cast<std::uint32_t>(failed.os_error));
  return writer.take();
}

std::vector<std::byte> encode(const Entry& entry) {
  Writer writer;
  writer.number(static_cast<std::uint8_t>(entry.kind));
  writer.number(static_cast<std::uint8_t>(entry.executable));
  writer.number(entry.size);
  writer.text(entry.path);
  writer.text(entry.target);
  writer.number(static_cast<std::uint8_t>(entry.existing));
  return writer.take();
}

std::vector<std::byte> encode(const Placed& placed) {
  Writer writer;
  writer.text(placed.path);
  writer.number(static_cast<std::uint32_t>(placed.os_error));
  return writer.take();
}

std::vector<std::byte> encode(const Change& change) {
  Writer writer;
  writer.number(static_cast<std::uint8_t>(change.kind));
  writer.text(change.path);
  writer.text(change.target);
  return writer.take();
}

std::vector<std::byte> encode(const Event& event) {
  Writer writer;
  writer.number(static_cast<std::uint8_t>(event.kind));
  writer.number(static_cast<std::uint8_t>(event.is_directory));
  writer.text(event.path);
  writer.text(event.target);
  writer.number(static_cast<std::uint32_t>(event.os_error));
  return writer.take();
}

std::vector<std::byte> encode(const Get& get) {
  Writer writer;
  writer.text(get.path);
  writer.number(get.most);
  writer.number(static_cast<std::uint8_t>(get.content));
  writer.number(get.offset);
  writer.number(get.length);
  return writer.take();
}

std::vector<std::byte> encode(const Got& got) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(got.os_error));
  writer.number(got.left_out);
  return writer.take();
}

std::vector<std::byte> encode(const TerminalSize& size) {
  Writer writer;
  writer.size(size);
  return writer.take();
}

std::vector<std::byte> encode(std::uint32_t number) {
  Writer writer;
  writer.number(number);
  return writer.take();
}

Result<Hello> decode_hello(Bytes payload) {
  Reader reader(payload);
  const auto magic = reader.number<std::uint32_t>();
  Hello hello;
  hello.version = reader.number<std::uint16_t>();
  hello.pid = reader.number<std::uint32_t>();
  if (!reader.whole() || magic != kMagic) return malformed("hello");
  return hello;
}

namespace {

bool has_whole_context(const Job& job) {
  if (job.context.empty()) return !job.begins_context;
  if (job.terminal) return false;
  return job.context.size() <= kContextBytes && job.keeps_box && !job.farewell.empty();
}

}  // namespace

Result<Job> decode_job(Bytes payload) {
  Reader reader(payload);
  Job job;
  job.argv = reader.list();
  job.environment = reader.list();
  job.working_directory = reader.text();
  for (std::uint32_t left = reader.count(); left > 0 && !reader.failed(); --left) {
    std::string path = reader.text();
    job.files.push_back({std::move(path), reader.text()});
  }
  job.cpu_seconds = reader.number<std::uint32_t>();
  job.word = reader.text();
  job.farewell = reader.text();
  job.keeps_box = reader.yes_or_no();
  job.context = reader.text();
  job.begins_context = reader.yes_or_no();
  if (reader.yes_or_no()) job.terminal = reader.size();
  if (!reader.whole() || job.argv.empty() || !has_whole_context(job)) return malformed("job");
  return job;
}

Result<Exited> decode_exited(Bytes payload) {
  Reader reader(payload);
  Exited exited;
  const auto how = reader.number<std::uint8_t>();
  exited.how = static_cast<Exited::How>(how);
  exited.code = reader.number<std::uint32_t>();
  exited.cpu_us = reader.number<std::uint64_t>();
  exited.peak_rss_kib = reader.number<std::uint64_t>();
  exited.has_artifacts = reader.yes_or_no();
  const auto full = reader.number<std::uint8_t>();
  exited.full = static_cast<Exited::Full>(full);
  exited.keeps_context = reader.yes_or_no();
  const std::uint32_t most = exited.how == Exited::How::exit ? 255 : 64;
  if (!reader.whole() || how > 1 || full > 3 || exited.code > most) return malformed("exit");
  return exited;
}

Result<Failed> decode_failed(Bytes payload) {
  Reader reader(payload);
  Failed failed;
  failed.step = reader.text();
  failed.os_error = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  if (!reader.whole() || failed.step.size() > 64) return malformed("failure");
  return failed;
}

Result<Entry> decode_entry(Bytes payload) {
  Reader reader(payload);
  Entry entry;
  const auto kind = reader.number<std::uint8_t>();
  entry.kind = static_cast<Entry::Kind>(kind);
  entry.executable = reader.yes_or_no();
  entry.size = reader.number<std::uint64_t>();
  const bool fits = take_paths(reader, entry.path, entry.target);
  const auto existing = reader.number<std::uint8_t>();
  entry.existing = static_cast<Entry::Existing>(existing);
  if (!reader.whole() || kind > 3 || existing > 2 || entry.path.empty() || !fits)
    return malformed("entry");
  return entry;
}

Result<Placed> decode_placed(Bytes payload) {
  Reader reader(payload);
  Placed placed;
  placed.path = reader.text();
  placed.os_error = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  if (!reader.whole() || placed.path.size() > kPathBytes) return malformed("answer to files");
  return placed;
}

Result<Event> decode_event(Bytes payload) {
  Reader reader(payload);
  Event event;
  const auto kind = reader.number<std::uint8_t>();
  event.kind = static_cast<Event::Kind>(kind);
  event.is_directory = reader.yes_or_no();
  const bool fits = take_paths(reader, event.path, event.target);
  event.os_error = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  const bool is_moved = event.kind == Event::Kind::moved;
  const bool is_begun = event.kind == Event::Kind::begun;
  const bool may_be_empty = is_begun || event.kind == Event::Kind::missed;
  if (!reader.whole() || kind > 5 || !fits || (event.path.empty() && !may_be_empty) ||
      (is_begun && (!event.path.empty() || event.is_directory)) ||
      (event.os_error != 0 && !is_begun) || event.target.empty() == is_moved)
    return malformed("event");
  return event;
}

Result<Change> decode_change(Bytes payload) {
  Reader reader(payload);
  Change change;
  const auto kind = reader.number<std::uint8_t>();
  change.kind = static_cast<Change::Kind>(kind);
  const bool fits = take_paths(reader, change.path, change.target);
  const bool has_target = change.kind == Change::Kind::move;
  if (!reader.whole() || kind > 1 || change.path.empty() || !fits ||
      change.target.empty() == has_target)
    return malformed("change of a name");
  return change;
}

Result<Get> decode_get(Bytes payload) {
  Reader reader(payload);
  Get get;
  get.path = reader.text();
  get.most = reader.number<std::uint32_t>();
  const auto content = reader.number<std::uint8_t>();
  get.content = static_cast<Get::Content>(content);
  get.offset = reader.number<std::uint64_t>();
  get.length = reader.number<std::uint64_t>();
  const bool has_place = get.offset > 0 || get.length > 0;
  const bool fits = content <= 2 && (content == 2 || !has_place);
  if (!reader.whole() || !fits || get.path.empty() || get.path.size() > kPathBytes)
    return malformed("wish for files");
  return get;
}

Result<Got> decode_got(Bytes payload) {
  Reader reader(payload);
  Got got;
  got.os_error = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  got.left_out = reader.number<std::uint32_t>();
  if (!reader.whole()) return malformed("end of files");
  return got;
}

Result<TerminalSize> decode_terminal_size(Bytes payload) {
  Reader reader(payload);
  const TerminalSize size = reader.size();
  if (!reader.whole()) return malformed("size of a terminal");
  return size;
}

Result<std::uint32_t> decode_number(Bytes payload) {
  Reader reader(payload);
  const auto number = reader.number<std::uint32_t>();
  if (!reader.whole()) return malformed("number");
  return number;
}

}  // namespace lazaret::runner
