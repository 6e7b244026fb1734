#include "runner/java_source.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace lazaret::runner {
namespace {

constexpr std::size_t kLongestName = 200;  // of a file, less its ending

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '$';
}

// JLS 3: words and braces; comments, texts and everything else are passed over.
class Tokens {
 public:
  explicit Tokens(std::string_view rest) : rest_(rest) {}

  std::string_view next() {
    while (!rest_.empty()) {
      if (skip("//", "\n") || skip("/*", "*/") || skip_text_block()) continue;
      if (rest_.front() == '"' || rest_.front() == '\'') {
        skip_quoted(rest_.front());
        continue;
      }
      const std::size_t length =
          static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_name_letter) - rest_.begin());
      const bool is_word = length > 0;
      const std::string_view found = take(is_word ? length : 1);
      if (is_word || found == "{" || found == "}" || found == "." || found == ";") return found;
    }
    return {};
  }

 private:
  std::string_view take(std::size_t length) {
    const std::string_view front = rest_.substr(0, length);
    rest_.remove_prefix(front.size());
    return front;
  }
  bool skip(std::string_view open, std::string_view close) {
    if (!rest_.starts_with(open)) return false;
    const std::size_t end = rest_.find(close, open.size());
    take(end == rest_.npos ? rest_.size() : end + close.size());
    return true;
  }
  bool skip_text_block() {
    constexpr std::string_view kQuotes = R"(""")";
    if (!rest_.starts_with(kQuotes)) return false;
    std::size_t at = kQuotes.size();
    while (at < rest_.size() && !rest_.substr(at).starts_with(kQuotes))
      at += rest_[at] == '\\' ? 2 : 1;
    take(at + kQuotes.size());
    return true;
  }
  void skip_quoted(char quote) {
    std::size_t at = 1;
    while (at < rest_.size() && rest_[at] != quote && rest_[at] != '\n')
      at += rest_[at] == '\\' ? 2 : 1;
    take(at + 1);
  }

  std::string_view rest_;
};

struct Type {
  std::string_view name;
  bool is_public = false;
  bool has_main = false;
};

bool declares_type(std::string_view word) {
  constexpr std::array<std::string_view, 4> kWords = {"class", "record", "enum", "interface"};
  return std::ranges::find(kWords, word) != kWords.end();
}

struct Outline {
  std::string package;  ///< with its last dot; empty: none
  std::vector<Type> types;
};

std::string package_in(Tokens& words) {
  std::string name;
  for (auto word = words.next(); !word.empty() && word != ";"; word = words.next()) name += word;
  return name + ".";
}

Outline outline_of(std::string_view code) {
  Outline outline;
  Tokens words(code);
  std::size_t depth = 0;
  bool is_public = false;
  std::string_view last;
  for (auto word = words.next(); !word.empty(); last = word, word = words.next()) {
    if (word == "{") ++depth;
    if (word == "}" && depth > 0) --depth;
    if (depth == 0 && (word == ";" || word == "}")) is_public = false;
    if (depth == 0 && word == "public") is_public = true;
    if (depth == 0 && word == "package" && outline.types.empty())
      outline.package = package_in(words);
    if (depth == 0 && last != "." && declares_type(word))
      outline.types.push_back({words.next(), is_public});
    if (depth == 1 && word == "main" && last == "void" && !outline.types.empty())
      outline.types.back().has_main = true;
  }
  return outline;
}

std::string name_where(const Outline& outline, bool Type::*trait, std::string otherwise) {
  const auto found = std::ranges::find_if(outline.types, trait);
  const bool usable = found != outline.types.end() &&
                      is_name_letter(found->name.empty() ? ' ' : found->name.front());
  return usable ? std::string(found->name.substr(0, kLongestName)) : otherwise;
}

}  // namespace

JavaSource java_source_of(std::string_view code) {
  const Outline outline = outline_of(code);
  const std::string file = name_where(outline, &Type::is_public, "Main");
  return {file + ".java", outline.package + name_where(outline, &Type::has_main, file)};
}

}  // namespace lazaret::runner
