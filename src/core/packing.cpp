#include "core/packing.hpp"

#include <algorithm>
#include <utility>

#include "base/tar.hpp"
#include "base/try.hpp"
#include "policy/box_path.hpp"
#include "policy/quantity.hpp"

namespace lazaret::core {
namespace {

using runner::Entry;

constexpr std::size_t kArchivePiece = 64UL << 10;

Error not_packed(const std::string& path) {
  return Error(Errc::protocol, "the box names what cannot be: " + policy::in_quotes(path));
}

TarHead head_of(const Entry& entry, std::uint64_t time) {
  switch (entry.kind) {
    case Entry::Kind::directory: return {entry.path, TarKind::directory, 0755, 0, {}, time};
    case Entry::Kind::link: return {entry.path, TarKind::link, 0777, 0, entry.target, time};
    case Entry::Kind::file:
    case Entry::Kind::other: break;
  }
  const std::uint32_t mode = entry.executable ? 0755 : 0644;
  return {entry.path, TarKind::file, mode, entry.size, {}, time};
}

}  // namespace

Packer::Packer(Wish wish, ArchiveSink sink, Call call)
    : wish_(wish), sink_(std::move(sink)), call_(std::move(call)), levels_(1) {}

Result<int> Packer::pack(runner::Client& client, const std::string& path, const Call& call) {
  const runner::Get all{path, wish_.most_entries, runner::Get::Content::whole, 0, 0};
  LAZARET_TRY(const runner::Got got, client.get(all, *this, call));
  if (got.os_error != 0) return int{got.os_error};
  if (is_open_) return not_packed(path_);
  if (got.left_out > 0)
    spoil(Error(Errc::conflict, std::to_string(got.left_out) +
                                    " entries cannot be read, are too many, or lie too deep"));
  write(tar_end());
  flush();
  return 0;
}

// A directory comes before what is in it, and all of that before anything else. What comes twice
// could have a link in front of it, wherever it is unpacked.
bool Packer::is_in_order(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  while (levels_.size() > 1 && levels_.back().path != above) levels_.pop_back();
  return levels_.back().path == above &&
         levels_.back().names.insert(std::hash<std::string>{}(path)).second;
}

Status Packer::entry(const Entry& entry) {
  if (is_open_ || !policy::is_below(entry.path) || !is_in_order(entry.path))
    return not_packed(entry.path);
  if (++entries_ > wish_.most_entries)
    return Error(Errc::protocol, "the box gives more than it was asked for");
  if (entry.kind == Entry::Kind::directory) levels_.push_back({entry.path + "/"});
  is_open_ = entry.kind == Entry::Kind::file;
  path_ = entry.path;
  due_ = size_ = is_open_ ? entry.size : 0;
  // Sockets and fifos have no content that could be taken.
  if (entry.kind != Entry::Kind::other) write_head(entry);
  return {};
}

void Packer::write_head(const Entry& entry) {
  const auto head = tar_head(head_of(entry, wish_.time));
  if (head.ok())
    write(*head);
  else
    spoil(Error(head.error()).within(policy::in_quotes(entry.path)));
}

// A file that grows is taken as long as it was when it was looked at.
Status Packer::content(Bytes bytes) {
  if (!is_open_) return not_packed(path_);
  if (bytes.empty()) {
    is_open_ = false;
    if (due_ > 0)
      give_up(Error(Errc::conflict, policy::in_quotes(path_) + " could not be read to its end"));
    write(tar_padding(size_));
    return {};
  }
  taken_ += bytes.size();
  if (taken_ > wish_.most_bytes)
    return Error(Errc::too_large, "more than " + std::to_string(wish_.most_bytes) +
                                      " bytes; what is sparse or linked counts in full");
  const Bytes wanted = bytes.first(std::min<std::uint64_t>(due_, bytes.size()));
  due_ -= wanted.size();
  write(lazaret::text_of(wanted));
  return {};
}

void Packer::write(std::string_view bytes) {
  if (trouble_) return;
  piece_ += bytes;
  if (piece_.size() >= kArchivePiece) flush();
}

void Packer::flush() {
  if (trouble_ || piece_.empty()) return;
  const Status taken = sink_(std::exchange(piece_, {}), call_);
  if (!taken.ok()) give_up(taken.error());
}

// Ends between two entries with what is none: there a tool could take the end for a whole one.
void Packer::spoil(Error error) {
  write(std::string(kTarBlock, '\xff'));
  give_up(std::move(error));
}

// What came before is taken all the same.
void Packer::give_up(Error error) {
  flush();
  if (!trouble_) trouble_ = std::move(error);
}

}  // namespace lazaret::core
