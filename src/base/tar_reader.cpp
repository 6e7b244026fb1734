#include "base/tar_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/number.hpp"
#include "base/tar_fields.hpp"
#include "base/try.hpp"

namespace lazaret {
namespace {

constexpr std::uint64_t kMostSize = (1ULL << 63) - 1;  // off_t
constexpr std::size_t kMostExtension = 1UL << 20;
constexpr std::size_t kMostTail = 1UL << 20;  // zeros behind the end, of tapes' sake
constexpr const char* kTaken = "leave it out: files, directories and links are taken";

Error not_taken(std::string_view why) { return {Errc::invalid_argument, std::string(why)}; }

Error cut_short() { return not_taken("the archive ends too early"); }

std::string_view field_of(std::string_view block, tar::Field field) {
  return block.substr(field.at, field.width);
}

std::string_view text_in_field(std::string_view block, tar::Field field) {
  const std::string_view text = field_of(block, field);
  return text.substr(0, text.find('\0'));
}

bool is_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

// GNU's spelling of what has too many digits: all bits behind the first one.
std::optional<std::uint64_t> binary_number(std::string_view field) {
  std::uint64_t number = static_cast<unsigned char>(field.front()) & 0x7f;
  for (const char byte : field.substr(1)) {
    if (number > kMostSize >> 8) return std::nullopt;
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

// Octal digits among blanks and NULs; none are 0.
std::optional<std::uint64_t> number_in_field(std::string_view field) {
  if ((static_cast<unsigned char>(field.front()) & 0x80) != 0) return binary_number(field);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::uint64_t number = 0;
  const auto end = std::from_chars(field.data(), field.data() + field.size(), number, 8);
  if (end.ec == std::errc::result_out_of_range) return std::nullopt;
  const std::string_view rest = field.substr(static_cast<std::size_t>(end.ptr - field.data()));
  if (rest.find_first_not_of(std::string_view(" \0", 2)) != rest.npos) return std::nullopt;
  return number;
}

Error refused_kind(char kind) {
  const auto refused = [](const char* what) { return not_taken(what).with_hint(kTaken); };
  switch (kind) {
    case '1': return refused("a hard link");
    case '3':
    case '4': return refused("a device");
    case '6': return refused("a fifo");
    case 'S': return refused("a sparse file");
    default: return refused("neither a file, a directory nor a link");
  }
}

Error no_archive(std::string_view block) {
  Error error = not_taken("this is no tar archive, or it is damaged: the sum of a header is wrong");
  constexpr std::string_view kPacked[] = {"\x1f\x8b", "BZh", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"};
  const bool is_packed =
      std::ranges::any_of(kPacked, [block](auto magic) { return block.starts_with(magic); });
  return is_packed ? std::move(error).with_hint("it is compressed: unpack it first") : error;
}

Status check_entry(const TarHead& head) {
  if (head.kind != TarKind::directory && head.path == ".") return not_taken("no name");
  if (head.kind == TarKind::link && (head.target.empty() || head.target.size() > kTarPathBytes))
    return not_taken("a link to nothing, or to more than 4095 bytes");
  if (head.kind != TarKind::file && head.size != 0) return not_taken("no file, and has a content");
  return {};
}

}  // namespace

struct TarReader::Header {
  std::string name;
  std::string target;
  char kind;
  std::uint64_t size;
  std::uint64_t mode;

  static Result<Header> in(std::string_view block) {
    const auto sum = number_in_field(field_of(block, tar::kChecksum));
    if (!sum || *sum != tar::checksum_of(block)) return no_archive(block);
    const auto size = number_in_field(field_of(block, tar::kSize));
    const auto mode = number_in_field(field_of(block, tar::kMode));
    if (!size || *size > kMostSize || !mode) return not_taken("a header has no right numbers");
    std::string name(text_in_field(block, tar::kName));
    const bool is_ustar = field_of(block, tar::kMagic).starts_with(std::string_view("ustar\0", 6));
    const std::string_view prefix =
        is_ustar ? text_in_field(block, tar::kPrefix) : std::string_view();
    if (!prefix.empty()) name = std::string(prefix) + "/" + name;
    return Header{std::move(name), std::string(text_in_field(block, tar::kTarget)),
                  block[tar::kKind.at], *size, *mode};
  }
};

// Whether so much of the archive is in the buffer, or all of it ends before.
Result<bool> TarReader::fill(std::size_t count) {
  while (buffer_.size() - at_ < count) {
    LAZARET_TRY(const std::string more, source_());
    if (more.empty()) return false;
    buffer_.erase(0, std::exchange(at_, 0));
    buffer_ += more;
  }
  return true;
}

Result<std::string_view> TarReader::take(std::size_t count) {
  LAZARET_TRY(const bool is_there, fill(count));
  if (!is_there) return cut_short();
  const auto taken = std::string_view(buffer_).substr(at_, count);
  at_ += count;
  return taken;
}

Result<std::string_view> TarReader::payload(const Header& header) {
  if (header.size > kMostExtension) return not_taken("an extended header is longer than 1 MiB");
  const std::size_t padding = tar_padding(header.size).size();
  LAZARET_TRY(const std::string_view whole, take(header.size + padding));
  return whole.substr(0, header.size);
}

Status TarReader::skip() {
  while (left_ > 0) LAZARET_CHECK(content());
  LAZARET_CHECK(take(std::exchange(padding_, 0)));
  return {};
}

Result<Bytes> TarReader::content() {
  if (left_ == 0) return Bytes();
  LAZARET_TRY(const bool is_there, fill(1));
  if (!is_there) return cut_short();
  const auto some =
      std::string_view(buffer_).substr(at_, std::min<std::uint64_t>(left_, buffer_.size() - at_));
  at_ += some.size();
  left_ -= some.size();
  return bytes_of(some);
}

Result<std::optional<TarHead>> TarReader::next() {
  LAZARET_CHECK(skip());
  extension_ = {};
  name_.clear();
  for (;;) {
    LAZARET_TRY(const std::string_view block, take(kTarBlock));
    if (is_zero(block)) {
      LAZARET_CHECK(end());
      return std::optional<TarHead>();
    }
    LAZARET_TRY(Header header, Header::in(block));
    LAZARET_TRY(const bool is_of_the_next, extend(header));
    if (is_of_the_next) continue;
    LAZARET_TRY(TarHead head, entry_of(std::move(header)));
    left_ = head.size;
    padding_ = tar_padding(head.size).size();
    return std::optional(std::move(head));
  }
}

// Two empty blocks, and no more than zeros behind them.
Status TarReader::end() {
  if (extension_.is_there) return cut_short();
  LAZARET_TRY(const std::string_view second, take(kTarBlock));
  if (!is_zero(second)) return not_taken("an empty block stands between entries");
  std::size_t tail = 0;
  for (bool more = true; more;) {
    const auto rest = std::string_view(buffer_).substr(at_);
    tail += rest.size();
    if (!is_zero(rest) || tail > kMostTail) return not_taken("something follows the archive's end");
    at_ = buffer_.size();
    LAZARET_TRY(more, fill(1));
  }
  return {};
}

// Whether the header is one that says something of those that follow.
Result<bool> TarReader::extend(const Header& header) {
  switch (header.kind) {
    case 'x':
    case 'g': {
      LAZARET_TRY(const std::string_view records, payload(header));
      extension_.is_there = extension_.is_there || header.kind == 'x';
      LAZARET_CHECK(note_records(records, header.kind == 'x' ? Scope::entry : Scope::all));
      return true;
    }
    case 'L':
    case 'K': {
      LAZARET_TRY(const std::string_view text, payload(header));
      extension_.is_there = true;
      auto& said = header.kind == 'L' ? extension_.path : extension_.target;
      if (said) return not_taken("a name is said twice");
      said = std::string(text.substr(0, text.find('\0')));
      return true;
    }
    case 'V':  // GNU's label of the whole
      LAZARET_CHECK(payload(header));
      return true;
    default: return false;
  }
}

Status TarReader::note_records(std::string_view records, Scope scope) {
  const Error wrong = not_taken("an extended header is no list of records");
  while (!records.empty()) {
    std::size_t length = 0;
    const char* const end = records.data() + records.size();
    const auto [digits_end, error] = std::from_chars(records.data(), end, length);
    if (error != std::errc() || length > records.size() || digits_end == end || *digits_end != ' ')
      return wrong;
    const auto begin = static_cast<std::size_t>(digits_end - records.data()) + 1;
    if (length <= begin || records[length - 1] != '\n') return wrong;
    const auto record = records.substr(begin, length - begin - 1);
    const std::size_t equals = record.find('=');
    if (equals == 0 || equals == record.npos) return wrong;
    LAZARET_CHECK(note(record.substr(0, equals), record.substr(equals + 1), scope));
    records.remove_prefix(length);
  }
  return {};
}

// Owners, times, attributes and comments are let go. Where a record tells how much there is, or
// what it is called, it must tell it of one entry, and once.
Status TarReader::note(std::string_view keyword, std::string_view value, Scope scope) {
  if (keyword.starts_with("GNU.sparse.") || keyword == "SCHILY.realsize") {
    if (keyword == "GNU.sparse.name") name_ = value;
    extension_.is_sparse = true;
    return {};
  }
  const bool is_path = keyword == "path", is_target = keyword == "linkpath";
  if (!is_path && !is_target && keyword != "size") return {};
  if (scope == Scope::all) return not_taken("one name or size for all entries");
  if (!is_path && !is_target) {
    if (extension_.size) return not_taken("a size is said twice");
    extension_.size = parse_number(value);
    if (!extension_.size || *extension_.size > kMostSize) return not_taken("a size is no number");
    return {};
  }
  auto& said = is_path ? extension_.path : extension_.target;
  if (said) return not_taken("a name is said twice");
  if (value.find('\0') != value.npos) return not_taken("a name holds a NUL");
  said = std::string(value);
  return {};
}

Result<TarHead> TarReader::entry_of(Header header) {
  if (name_.empty()) name_ = extension_.path ? *extension_.path : header.name;
  if (extension_.is_sparse) return refused_kind('S');
  TarHead head;
  head.size = extension_.size.value_or(header.size);
  head.mode = static_cast<std::uint32_t>(header.mode & 0777);
  LAZARET_TRY(head.path, clean_tar_path(name_));
  const bool is_plain = header.kind == '0' || header.kind == '\0' || header.kind == '7';
  // Before there was a kind for directories their names ended so.
  if (header.kind == '5' || (is_plain && name_.back() == '/'))
    head.kind = TarKind::directory;
  else if (header.kind == '2')
    head.kind = TarKind::link;
  else if (!is_plain)
    return refused_kind(header.kind);
  if (head.kind == TarKind::link)
    head.target = extension_.target ? *extension_.target : std::move(header.target);
  LAZARET_CHECK(check_entry(head));
  return head;
}

}  // namespace lazaret
