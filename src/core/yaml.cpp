#include "core/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "base/utf8.hpp"

namespace lazaret::core {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostDepth = 32;

/// Leaves the parser from inside a handler; never passes parse_yaml.
struct Refused {
  YAML::Mark mark;
  std::string why;
};

bool is_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = [&text] {
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end > 0;
  };
  bool some = digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    some = digits() || some;
  }
  if (!some) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!digits()) return false;
  }
  return text.empty();
}

json number_of(std::string_view text) {
  const auto unsigned_text = text.starts_with('+') ? text.substr(1) : text;
  if (const auto integer = parse_number<std::int64_t>(unsigned_text)) return *integer;
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0o", 8)}) {
    if (!text.starts_with(prefix)) continue;
    if (const auto natural = parse_number(text.substr(2), base)) return *natural;
  }
  double real = 0;
  const auto [end, failure] =
      std::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), real);
  if (is_float(text) && failure == std::errc{}) return real;
  return std::string(text);
}

/// YAML 1.2, section 10.3.2. ".inf" and ".nan" stay text: no setting has such a value.
json plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return nullptr;
  }
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return number_of(text);
}

/// Builds the tree from events, so that nothing is made of a document that is refused, and the
/// parser, which recurses, never gets deeper than we allow.
class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    add(mark, nullptr, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases are not supported"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    add(mark, tag == "!" ? json(value) : plain_scalar(value), value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(mark, json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(mark, json::object());
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] json take() { return std::move(root_); }

 private:
  struct Level {
    json tree;
    std::string key;
    bool has_key = false;
    YAML::Mark mark;
  };

  /// The parser gives "?" to plain scalars and collections and "!" to quoted scalars.
  static void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) throw Refused{mark, "anchors are not supported"};
    if (!tag.empty() && tag != "?" && tag != "!") throw Refused{mark, "tags are not supported"};
  }

  [[nodiscard]] bool wants_key() const {
    return !levels_.empty() && levels_.back().tree.is_object() && !levels_.back().has_key;
  }

  void add(const YAML::Mark& mark, json value, const std::string& text) {
    if (!wants_key()) return place(std::move(value));
    auto& level = levels_.back();
    if (text.empty()) throw Refused{mark, "a key is empty"};
    if (level.tree.contains(text)) throw Refused{mark, "the key " + text + " occurs twice"};
    level.key = text;
    level.has_key = true;
  }

  void open(const YAML::Mark& mark, json tree) {
    if (wants_key()) throw Refused{mark, "a key is not plain text"};
    if (levels_.size() >= kMostDepth) throw Refused{mark, "nested deeper than 32"};
    levels_.push_back({std::move(tree), {}, false, mark});
  }

  void close() {
    auto tree = std::move(levels_.back().tree);
    levels_.pop_back();
    place(std::move(tree));
  }

  void place(json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    auto& level = levels_.back();
    if (level.tree.is_array()) {
      level.tree.push_back(std::move(value));
      return;
    }
    level.tree[level.key] = std::move(value);
    level.has_key = false;
  }

  std::vector<Level> levels_;
  json root_;
};

Error refused(std::string_view name, const YAML::Mark& mark, const std::string& why) {
  return Error(Errc::invalid_argument, std::string(name) + ":" + std::to_string(mark.line + 1) +
                                           ":" + std::to_string(mark.column + 1) + ": " +
                                           to_utf8(why));
}

json parsed(std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder;
  if (!parser.HandleNextDocument(builder)) return json::object();
  TreeBuilder more;
  if (parser.HandleNextDocument(more)) throw Refused{{}, "there is more than one document"};
  auto tree = builder.take();
  return tree.is_null() ? json::object() : tree;
}

}  // namespace

Result<json> parse_yaml(std::string_view text, std::string_view name) {
  if (text.size() > kMostBytes) {
    return Error(Errc::too_large, std::string(name) + " is larger than 1 MiB");
  }
  if (!is_utf8(text) || text.find('\0') != text.npos) {
    return Error(Errc::invalid_argument, std::string(name) + " is not UTF-8 text");
  }
  try {
    return parsed(text);
  } catch (const Refused& refusal) {
    return refused(name, refusal.mark, refusal.why);
  } catch (const YAML::Exception& failure) {
    return refused(name, failure.mark, failure.msg);
  } catch (const std::exception&) {
    return Error(Errc::invalid_argument, std::string(name) + " cannot be read as YAML");
  }
}

}  // namespace lazaret::core
