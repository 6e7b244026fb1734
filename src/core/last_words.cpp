#include "core/last_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

#include "base/split.hpp"
#include "base/utf8.hpp"
#include "core/colours.hpp"
#include "core/place.hpp"

namespace lazaret::core {
namespace {

constexpr std::size_t kMostMessage = 4096, kMostStack = 64UL << 10;

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

std::string_view after_line(std::string_view text, std::size_t at) {
  return text.substr(std::min(at + line_at(text, at).size() + 1, text.size()));
}

// Where the last line begins that starts so: what a program prints before it fails is not it.
std::size_t last_line_starting(std::string_view text, std::string_view start) {
  std::size_t at = text.rfind(start);
  while (at != text.npos && at > 0 && text[at - 1] != '\n') at = text.rfind(start, at - 1);
  return at;
}

std::string_view cut(std::string_view text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, whole_prefix(text.substr(0, most)));
}

ResultError said(ErrorType type, std::string_view message, std::string_view stack = {}) {
  ResultError made{type, std::string(cut(message, kMostMessage)), {}, {}};
  if (!stack.empty()) made.stack = std::string(cut(stack, kMostStack));
  return made;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [text](auto word) { return text.find(word) != text.npos; });
}

// What the system has refused is told by its own words, in which libraries of some languages write
// small what libc begins with a large letter.
ErrorType type_of_words(std::string_view text) {
  if (has_any(text, {"out of memory", "annot allocate memory", "memory allocation of "}))
    return ErrorType::MemoryError;
  const bool is_denied = has_any(text, {"ermission denied", "peration not permitted",
                                        "ead-only file system", "AccessDeniedException"});
  return is_denied ? ErrorType::PermissionDenied : ErrorType::RuntimeError;
}

std::optional<ResultError> of_go(std::string_view text) {
  for (const std::string_view start : {"panic: ", "fatal error: "}) {
    const std::size_t at = last_line_starting(text, start);
    if (at == text.npos) continue;
    const std::string_view message = line_at(text, at).substr(start.size());
    ResultError made = said(type_of_words(message), message, after_line(text, at));
    made.line = line_after(after_line(text, at), "/main.go:");
    return made;
  }
  return std::nullopt;
}

// Said by the runtime itself, with no panic and no place, at the very end.
std::optional<ResultError> of_rusts_heap(std::string_view text) {
  const std::size_t at = last_line_starting(text, "memory allocation of ");
  const bool is_last = at != text.npos && after_line(text, at).empty();
  if (!is_last || !line_at(text, at).ends_with(" bytes failed")) return std::nullopt;
  return said(ErrorType::MemoryError, line_at(text, at));
}

// The place stands in the first line; since 1.73 the message has one of its own.
std::optional<ResultError> of_rust(std::string_view text) {
  if (auto heap = of_rusts_heap(text)) return heap;
  const std::size_t at = last_line_starting(text, "thread '");
  const std::string_view line = at == text.npos ? "" : line_at(text, at);
  const std::size_t panicked = line.find("panicked at ");
  if (panicked == line.npos) return std::nullopt;
  std::string message(line.substr(panicked));
  if (message.ends_with(':')) message += " " + std::string(line_at(after_line(text, at), 0));
  ResultError made = said(type_of_words(message), message);
  // Before 1.73 the place came last, behind a message that may have lines.
  const std::size_t last = text.rfind("', main.rs:");
  const bool is_old = line.find("panicked at '") != line.npos && last != text.npos && last > at;
  made.line = line_after(is_old ? text.substr(last) : line.substr(panicked), "main.rs:");
  return made;
}

// "\tat Main.run(Main.java:7)": the first that is of no module, of which there are only the JDK's.
std::optional<std::uint32_t> line_of_java(std::string_view stack) {
  for (; !stack.empty(); stack = after_line(stack, 0)) {
    const std::string_view line = line_at(stack, 0);
    const bool own =
        line.starts_with("\tat ") && line.substr(0, line.find('(')).find('/') == line.npos;
    if (own) return line_after(line, ".java:");
  }
  return std::nullopt;
}

// An exception says of itself what it likes.
bool is_of_a_class_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '_' ||
         letter == '$';
}

std::optional<ResultError> of_java(std::string_view text) {
  const std::size_t at = last_line_starting(text, "Exception in thread \"");
  if (at == text.npos) return std::nullopt;
  const std::string_view line = line_at(text, at);
  const std::string_view message = line.substr(std::min(line.find("\" ") + 2, line.size()));
  const bool is_heap = message.starts_with("java.lang.OutOfMemoryError");
  ResultError made =
      said(is_heap ? ErrorType::MemoryError : type_of_words(message), message, text.substr(at));
  const std::string_view name = message.substr(0, message.find(':'));
  if (std::ranges::all_of(name, is_of_a_class_name)) made.name = name_from(name);
  made.line = line_of_java(text.substr(at));
  return made;
}

std::optional<ResultError> of_cpp(std::string_view text) {
  constexpr std::string_view kStart = "terminate called after throwing an instance of '";
  const std::size_t at = last_line_starting(text, kStart);
  if (at == text.npos) return std::nullopt;
  const std::string_view line = line_at(text, at).substr(kStart.size());
  const std::string name(line.substr(0, line.find('\'')));
  const std::string_view what = line_at(after_line(text, at), 0);
  const bool is_heap = name == "std::bad_alloc";
  constexpr std::string_view kWhat = "  what():  ";
  ResultError made =
      said(is_heap ? ErrorType::MemoryError : type_of_words(what),
           what.starts_with(kWhat) ? name + ": " + std::string(what.substr(kWhat.size())) : name);
  made.name = name_from(name);
  return made;
}

// As perror(3) ends a line.
bool ends_with_a_denial(std::string_view line) {
  constexpr std::array<std::string_view, 3> kDenied = {
      ": Permission denied", ": Operation not permitted", ": Read-only file system"};
  return std::ranges::any_of(kDenied, [line](auto words) { return line.ends_with(words); });
}

// A program of C says what it has been refused in its last line, if at all.
std::optional<ResultError> of_c(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t last = text.rfind('\n');
  const std::string_view line = last == text.npos ? text : text.substr(last + 1);
  if (!ends_with_a_denial(line)) return std::nullopt;
  return said(ErrorType::PermissionDenied, line);
}

ErrorType type_of_complaint(std::string_view line) {
  if (ends_with_a_denial(line)) return ErrorType::PermissionDenied;
  if (line.find("alloc: cannot allocate ") != line.npos) return ErrorType::MemoryError;
  const bool is_syntax =
      line.find("yntax error") != line.npos || line.find("unexpected EOF") != line.npos;
  return is_syntax ? ErrorType::SyntaxError : ErrorType::RuntimeError;
}

std::optional<ResultError> of_shell(std::string_view text) {
  constexpr std::string_view kFolder = "/work/";
  constexpr std::string_view kStart = "/work/main.sh: ";
  std::size_t at = last_line_starting(text, kStart);
  if (at == text.npos) return std::nullopt;
  // After a syntax error bash shows the line in question; after anything else a shell went on.
  const std::string_view rest = after_line(text, at);
  if (std::ranges::count(rest, '\n') > 1) return std::nullopt;
  const std::size_t before = last_line_starting(text.substr(0, at), kStart);
  if (line_at(text, at).find(": `") != text.npos && before != text.npos) at = before;
  const std::string_view line = line_at(text, at).substr(kFolder.size());
  ResultError made = said(type_of_complaint(line), line);
  constexpr std::string_view kFile = "main.sh: ", kWord = "line ";  // bash says it, dash does not
  const std::string_view place = line.substr(kFile.size());
  const std::string_view number = place.substr(place.starts_with(kWord) ? kWord.size() : 0);
  if (number.substr(0, number.find(' ')).ends_with(':')) made.line = line_at_start_of(number);
  return made;
}

std::optional<ResultError> of_node(std::string_view text) {
  const std::size_t at = last_line_starting(text, "FATAL ERROR: ");
  if (at == text.npos) return std::nullopt;
  if (line_at(text, at).find("JavaScript heap out of memory") == text.npos) return std::nullopt;
  ResultError full = said(ErrorType::MemoryError, "the heap of the runtime is full");
  full.hint = "raise --memory";
  return full;
}

std::optional<ResultError> of_denos_heap(std::string_view text) {
  if (last_line_starting(text, "# Fatal JavaScript out of memory: ") == text.npos)
    return std::nullopt;
  ResultError full = said(ErrorType::MemoryError, "the heap of the runtime is full");
  full.hint = "raise --memory";
  return full;
}

bool names_a_place(std::string_view text) {
  return std::ranges::any_of(split(text, '\n'), [](std::string_view line) {
    return line.starts_with("    at ") && line.find("file:///work/") != line.npos;
  });
}

// What became of a program that its driver has never seen: one that does not compile, or a module
// of its own that is not there. Deno names the place; whoever only complains and ends does not.
std::optional<ResultError> of_deno(std::string_view text) {
  constexpr std::string_view kStart = "error: ", kUncaught = "Uncaught ", kSyntax = "SyntaxError";
  const std::size_t at = last_line_starting(text, kStart);
  if (at == text.npos || !names_a_place(after_line(text, at))) return std::nullopt;
  std::string_view message = line_at(text, at).substr(kStart.size());
  if (message.starts_with(kUncaught)) message.remove_prefix(kUncaught.size());
  const bool is_syntax = message.starts_with(kSyntax);
  ResultError made = said(is_syntax ? ErrorType::SyntaxError : ErrorType::RuntimeError, message,
                          after_line(text, at));
  if (is_syntax) made.name = kSyntax;
  made.line = line_after(after_line(text, at), "file:///work/main.ts:");
  return made;
}

constexpr std::uint32_t kAbort = 6;  // SIGABRT

// How a runtime ends a program that it has given up. Whoever ends otherwise has only said the
// words.
bool by_signal(const runner::Exited& exited) { return exited.how == runner::Exited::How::signal; }
bool by_abort(const runner::Exited& exited) { return by_signal(exited) && exited.code == kAbort; }
bool with_two(const runner::Exited& exited) {
  return exited.how == runner::Exited::How::exit && exited.code == 2;
}
bool as_rust(const runner::Exited& exited) {
  return by_abort(exited) || (exited.how == runner::Exited::How::exit && exited.code == 101);
}
bool with_one(const runner::Exited& exited) {
  return exited.how == runner::Exited::How::exit && exited.code == 1;
}
bool by_itself(const runner::Exited& exited) { return exited.how == runner::Exited::How::exit; }

struct Reader {
  std::string_view language;
  std::optional<ResultError> (*read)(std::string_view text);
  bool (*ends_so)(const runner::Exited& exited);
};

constexpr std::array kReaders = {
    Reader{"go", of_go, with_two},
    Reader{"rust", of_rust, as_rust},
    Reader{"java", of_java, by_itself},
    Reader{"c", of_c, by_itself},
    Reader{"cpp", of_cpp, by_abort},
    Reader{"cpp", of_c, by_itself},
    Reader{"bash", of_shell, by_itself},
    Reader{"sh", of_shell, by_itself},
    Reader{"javascript", of_node, by_signal},
    Reader{"typescript", of_denos_heap, by_signal},
    Reader{"typescript", of_deno, with_one},
};

}  // namespace

std::optional<ResultError> last_words_of(std::string_view language, const runner::Exited& exited,
                                         std::string_view stderr_text) {
  const auto* const found = std::ranges::find_if(kReaders, [&](const Reader& reader) {
    return reader.language == language && reader.ends_so(exited);
  });
  return found == kReaders.end() ? std::nullopt : found->read(without_colours(stderr_text));
}

}  // namespace lazaret::core
