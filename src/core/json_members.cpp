#include "core/json_members.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lazaret::core {
namespace {

using nlohmann::json;

// Writes down what the parser reports. WHY no tree: one that keeps the order of keys compares each
// new key with all before it, and one of small things is many times as large as its text.
class Writer final : public nlohmann::json_sax<json> {
 public:
  enum class Of { object, array };
  Writer(Of whole, std::initializer_list<std::string_view> names, int most_depth)
      : whole_(whole), names_(names), most_depth_(most_depth) {}
  [[nodiscard]] JsonMembers take() { return std::move(members_); }
  [[nodiscard]] std::vector<std::string> take_elements() { return std::move(elements_); }

  bool null() override { return put("null"); }
  bool boolean(bool value) override { return put(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return put(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return put(std::to_string(value)); }
  // Among them integers that no type of the parser holds: those stay what they are.
  bool number_float(double value, const std::string& text) override {
    const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
    return put(is_integer ? text : json(value).dump());
  }
  bool string(std::string& text) override { return put(json(text).dump()); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(Of::object, "{"); }
  bool start_array(std::size_t) override { return begin(Of::array, "["); }
  bool end_object() override { return close("}"); }
  bool end_array() override { return close("]"); }
  bool key(std::string& name) override {
    if (depth_ == 1) return choose(name);
    (void)put(json(name).dump() + ":");
    between_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  bool begin(Of what, std::string_view bracket) {
    if (depth_ > 0 || what != whole_) return open(bracket);
    ++depth_;
    return true;
  }
  bool choose(const std::string& name) {
    const bool is_wanted = std::ranges::find(names_, name) != names_.end();
    member_ = is_wanted ? &members_[name] : nullptr;
    if (is_wanted) member_->clear();
    between_ = false;
    return true;
  }
  // False for what stands outside.
  bool put(std::string_view text) {
    if (whole_ == Of::array && depth_ == 1) {
      member_ = &elements_.emplace_back();
      between_ = false;
    }
    return add(text);
  }
  bool add(std::string_view text) {
    if (member_ != nullptr) member_->append(between_ ? "," : "").append(text);
    between_ = true;
    return depth_ > 0;
  }
  bool open(std::string_view bracket) {
    const bool goes_on = put(bracket) && depth_ <= most_depth_;
    ++depth_;
    between_ = false;
    return goes_on;
  }
  bool close(std::string_view bracket) {
    between_ = false;
    return --depth_ == 0 || add(bracket);
  }

  Of whole_;
  std::initializer_list<std::string_view> names_;
  int most_depth_;
  JsonMembers members_;
  std::vector<std::string> elements_;
  std::string* member_ = nullptr;  // that is being written, if anybody wants it
  int depth_ = 0;
  bool between_ = false;  // a comma stands before what comes next
};

}  // namespace

std::optional<JsonMembers> members_of(std::string_view document,
                                      std::initializer_list<std::string_view> names,
                                      int most_depth) {
  Writer writer(Writer::Of::object, names, most_depth);
  if (!json::sax_parse(document, &writer)) return std::nullopt;
  return writer.take();
}

std::optional<std::vector<std::string>> elements_of(std::string_view document, int most_depth) {
  Writer writer(Writer::Of::array, {}, most_depth);
  if (!json::sax_parse(document, &writer)) return std::nullopt;
  return writer.take_elements();
}

}  // namespace lazaret::core
