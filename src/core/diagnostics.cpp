#include "core/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "core/cause.hpp"
#include "core/colours.hpp"
#include "core/place.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kLongestMessage = 4096;

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// "main.c:3:5: …", "./main.go:3:5: …", "Main.java:3: …", the linker's "main.c:(.text+0x5): …"; what
// lies elsewhere is no file of the user's.
bool names_a_place(std::string_view line) {
  if (line.starts_with("./")) line.remove_prefix(2);
  const std::size_t colon = line.find(':');
  return colon != line.npos && line.substr(0, colon).find_first_of(" /") == line.npos &&
         (begins_with_digit(line.substr(colon + 1)) || line.substr(colon + 1).starts_with("(."));
}

bool is_letter_or_digit(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= 'a' && letter <= 'z');
}

bool is_complaint(std::string_view line) {
  constexpr std::array<std::string_view, 3> kOther = {": warning: ", ": note: ", "required from"};
  return names_a_place(line) && std::ranges::none_of(kOther, [line](std::string_view word) {
           return line.find(word) != line.npos;
         });
}

// rustc says what is wrong first, and in the next line where.
std::optional<std::string> first_complaint(std::string_view text) {
  constexpr std::string_view kArrow = "--> ";
  std::string_view before;
  for (std::string_view line; !text.empty(); before = line) {
    line = next_line(text);
    const std::size_t arrow = line.find(kArrow);
    if (arrow != line.npos && before.starts_with("error"))
      return std::string(line.substr(arrow + kArrow.size())) + ": " + std::string(before);
    if (arrow == line.npos && is_complaint(line)) return std::string(line);
  }
  return std::nullopt;
}

std::string message_of(const std::string& diagnostics) {
  return diagnostics.empty() ? "the compiler refused the code without a word" : diagnostics;
}

}  // namespace

std::string with_settled_names(std::string text) {
  constexpr std::string_view kBegin = "/cc", kEnd = ".o", kInstead = "main.o";
  constexpr std::size_t kRandom = 6;  // mkstemp(3)
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != text.npos; at += kBegin.size()) {
    const std::string_view random = std::string_view(text).substr(at + kBegin.size(), kRandom);
    const std::size_t end = at + kBegin.size() + random.size();
    if (!std::ranges::all_of(random, is_letter_or_digit) ||
        !std::string_view(text).substr(end).starts_with(kEnd))
      continue;
    const std::size_t start = text.find_last_of(" \t\n'\"`(", at) + 1;
    text.replace(start, end + kEnd.size() - start, kInstead);
    at = start;
  }
  return text;
}

ResultError compile_error(const Compilation& compile) {
  if (compile.signal)
    return {ErrorType::RuntimeError,
            "the compiler was ended by " + signal_name(*compile.signal),
            {},
            {}};
  const std::string said = without_colours(compile.diagnostics);
  const auto complaint = first_complaint(said);
  std::string message = complaint ? *complaint : message_of(said);
  if (message.size() > kLongestMessage)
    message.resize(whole_prefix(std::string_view(message).substr(0, kLongestMessage)));
  ResultError error{ErrorType::SyntaxError, std::move(message), {}, {}};
  if (complaint) error.line = line_after(*complaint, ":");
  return error;
}

}  // namespace lazaret::core
