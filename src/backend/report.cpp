#include "backend/report.hpp"

#include <algorithm>

#include "base/number.hpp"
#include "base/split.hpp"

namespace lazaret::backend {
namespace {

bool is_space(char letter) { return letter == ' ' || letter == '\t'; }

void add_status(SelfReport& report, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto value = std::find_if_not(line.begin() + colon + 1, line.end(), is_space);
  report.status.add(line.substr(0, colon), {value, line.end()});
}

// "  lo:  0 0 …": the two header lines of /proc/net/dev hold a bar.
void add_interface(SelfReport& report, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.find('|') != std::string_view::npos) return;
  const auto begin = std::find_if_not(line.begin(), line.begin() + colon, is_space);
  report.interfaces.emplace_back(begin, line.begin() + colon);
}

// Takes the first word, and the white space before it. By hand: of a set of two find_first_of looks
// each letter up by memchr(3), and a report has thousands.
std::string_view next_word(std::string_view& rest) {
  const auto begin = std::find_if_not(rest.begin(), rest.end(), is_space);
  const auto end = std::find_if(begin, rest.end(), is_space);
  const std::string_view word(begin, end);
  rest = std::string_view(end, rest.end());
  return word;
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"
void add_mount(SelfReport& report, std::string_view line) {
  for (int skipped = 0; skipped < 4; ++skipped) (void)next_word(line);
  const std::string_view target = next_word(line), options = next_word(line);
  for (std::string_view word = next_word(line); word != "-"; word = next_word(line)) {
    if (word.empty()) return;
  }
  const std::string_view type = next_word(line);
  (void)next_word(line);  // its source
  if (type.empty()) return;
  report.mounts.push_back({target, options, type, next_word(line)});
}

// Takes the first of a list with commas.
std::string_view next_option(std::string_view& rest) {
  const std::size_t comma = std::min(rest.find(','), rest.size());
  const std::string_view option = rest.substr(0, comma);
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  return option;
}

void add_line(SelfReport& report, std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = line.substr(0, equals);
  const std::string_view value = line.substr(equals + 1);
  if (key == "status") return add_status(report, value);
  if (key == "net") return add_interface(report, value);
  if (key == "mount") return add_mount(report, value);
  report.values.add(key, value);
}

}  // namespace

bool MountLine::has(std::string_view option) const {
  for (std::string_view rest = options; !rest.empty();) {
    if (next_option(rest) == option) return true;
  }
  return false;
}

std::optional<std::string_view> MountLine::setting(std::string_view name) const {
  for (std::string_view rest = super; !rest.empty();) {
    const std::string_view option = next_option(rest);
    const std::size_t equals = option.find('=');
    if (equals != option.npos && option.substr(0, equals) == name) return option.substr(equals + 1);
  }
  return std::nullopt;
}

std::optional<std::string_view> Fields::find(std::string_view name) const {
  const auto found = std::find_if(all_.rbegin(), all_.rend(),
                                  [name](const auto& field) { return field.first == name; });
  return found == all_.rend() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> SelfReport::value(std::string_view key) const {
  const auto found = values.find(key);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

std::optional<std::uint64_t> SelfReport::number(std::string_view key) const {
  const auto found = values.find(key);
  return found ? parse_number(*found) : std::nullopt;
}

std::optional<int> SelfReport::probe(const std::string& name) const {
  const auto code = number("probe." + name);
  if (!code || *code > 4095) return std::nullopt;
  return static_cast<int>(*code);
}

std::uint64_t SelfReport::resident_bytes() const {
  constexpr std::uint64_t kKibi = 1024;
  std::string_view said = status.find("VmRSS").value_or("");
  return parse_number(next_word(said)).value_or(0) * kKibi;
}

SelfReport parse_report(std::string text) {
  SelfReport report{std::make_shared<const std::string>(std::move(text)), {}, {}, {}, {}};
  for (const std::string_view line : split(*report.text, '\n')) add_line(report, line);
  return report;
}

SelfReport parse_status(std::string text) {
  SelfReport report{std::make_shared<const std::string>(std::move(text)), {}, {}, {}, {}};
  for (const std::string_view line : split(*report.text, '\n')) add_status(report, line);
  return report;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text))
    words.emplace_back(word);
  return words;
}

}  // namespace lazaret::backend
