#include "core/unpacking.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/tar_reader.hpp"
#include "base/try.hpp"
#include "core/inputs.hpp"
#include "core/run_error.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core {
namespace {

using runner::Entry;

// After so much the box is asked what became of it: what it has no room for is not all sent.
constexpr std::uint64_t kBatchBytes = 16ULL << 20;
constexpr std::size_t kBatchEntries = 1000;
// Linux's numbers, whatever we run on.
constexpr int kTooLarge = 27, kNoRoom = 28;

class Unpacker {
 public:
  Unpacker(runner::Client& client, const Destination& destination, const ArchiveSource& source,
           const Calls& calls)
      : client_(client),
        destination_(destination),
        calls_(calls),
        reader_([&source, &calls] { return source(calls.archive); }) {}

  // What the box says of what came before goes before what is wrong with the archive.
  Status unpack() {
    const Status all = put_all();
    if (is_broken_) return all;
    LAZARET_CHECK(settle());
    if (!cut_.empty()) LAZARET_CHECK(remove(cut_));
    return all;
  }

 private:
  Status put_all() {
    LAZARET_CHECK(put({.path = ".", .kind = TarKind::directory}));
    for (;;) {
      auto head = reader_.next();
      if (!head.ok()) return named(head.error());
      if (!*head) return {};
      LAZARET_CHECK(put(**head));
    }
  }

  Status put(const TarHead& head) {
    if (head.path == "." && destination_.directory == ".") return {};
    LAZARET_TRY(const Entry entry, entry_of(head));
    LAZARET_CHECK(told(client_.put(entry, calls_.box)));
    LAZARET_CHECK(put_content(entry));
    batch_bytes_ += entry.size;
    if (++batch_entries_ < kBatchEntries && batch_bytes_ < kBatchBytes) return {};
    return settle();
  }

  Result<Entry> entry_of(const TarHead& head) const {
    Entry entry{
        Entry::Kind::directory,    (head.mode & 0100) != 0, head.size, path_of(head), head.target,
        Entry::Existing::gives_way};
    if (!policy::is_below(entry.path)) return named(unfit("a path with too long names"));
    if (head.kind == TarKind::directory) {
      entry.executable = false;
      entry.existing = Entry::Existing::stays;
    } else if (head.kind == TarKind::link) {
      entry.executable = false;
      entry.kind = Entry::Kind::link;
      if (leads_out(head.path, head.target))
        return named(unfit("a link that leads out of the archive"));
    } else {
      entry.kind = Entry::Kind::file;
      const Limits& limits = destination_.limits;
      if (head.size > limits.disk_bytes) return place_error({entry.path, kNoRoom}, limits);
      if (head.size > limits.file_bytes) return place_error({entry.path, kTooLarge}, limits);
    }
    return entry;
  }

  std::string path_of(const TarHead& head) const {
    if (destination_.directory == ".") return head.path;
    return head.path == "." ? destination_.directory : destination_.directory + "/" + head.path;
  }

  // As much as was said, come what may: what is missing is filled up, and the file removed.
  Status put_content(const Entry& entry) {
    for (std::uint64_t left = entry.size; left > 0;) {
      const auto some = reader_.content();
      if (!some.ok()) {
        cut_ = entry.path;
        LAZARET_CHECK(fill_up(left));
        return named(some.error());
      }
      LAZARET_CHECK(told(client_.put_content(*some, calls_.box)));
      left -= some->size();
    }
    return {};
  }

  Status fill_up(std::uint64_t left) {
    constexpr std::array<std::byte, runner::kStreamBytes> kNothing{};
    while (left > 0) {
      const Bytes some = Bytes(kNothing).first(std::min<std::uint64_t>(left, kNothing.size()));
      LAZARET_CHECK(told(client_.put_content(some, calls_.box)));
      left -= some.size();
    }
    return {};
  }

  // What became of what was put since the last time.
  Status settle() {
    batch_bytes_ = batch_entries_ = 0;
    auto placed = client_.end_put(calls_.box);
    if (!placed.ok()) return told(placed.error());
    if (placed->os_error == 0) return {};
    // The file that there was no room for may have begun.
    if (placed->os_error == kNoRoom || placed->os_error == kTooLarge)
      LAZARET_CHECK(remove(placed->path));
    return place_error(*placed, destination_.limits);
  }

  // One that is not there is well.
  Status remove(const std::string& path) {
    auto removed = client_.change({runner::Change::Kind::remove, path, {}}, calls_.box);
    return removed.ok() ? Status() : told(removed.error());
  }

  Status told(Status status) {
    is_broken_ = is_broken_ || !status.ok();
    return status;
  }

  static Error unfit(const char* what) {
    return Error(Errc::invalid_argument, what).with_hint("leave it out, or give it another name");
  }

  [[nodiscard]] Error named(Error error) const {
    const std::string& name = reader_.name();
    return std::move(error).within(name.empty() ? "the archive" : policy::in_quotes(name));
  }

  runner::Client& client_;
  const Destination& destination_;
  const Calls& calls_;
  TarReader reader_;
  std::uint64_t batch_bytes_ = 0;
  std::size_t batch_entries_ = 0;
  std::string cut_;         // the file whose content has not come whole
  bool is_broken_ = false;  // the box cannot be asked any more
};

}  // namespace

Status unpack(runner::Client& client, const Destination& destination, const ArchiveSource& source,
              const Calls& calls) {
  return Unpacker(client, destination, source, calls).unpack();
}

}  // namespace lazaret::core
