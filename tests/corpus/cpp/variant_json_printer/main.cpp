#include <cstddef>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct Value;
using List = std::vector<Value>;
using Object = std::map<std::string, Value>;

struct Value {
  std::variant<std::nullptr_t, bool, long, std::string, List, Object> held;
};

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string text(const Value& value) {
  return std::visit(
      Overloaded{
          [](std::nullptr_t) -> std::string { return "null"; },
          [](bool yes) -> std::string { return yes ? "true" : "false"; },
          [](long number) { return std::to_string(number); },
          [](const std::string& word) { return '"' + word + '"'; },
          [](const List& list) {
            std::string all = "[";
            for (const Value& one : list) all += (all.size() > 1 ? "," : "") + text(one);
            return all + "]";
          },
          [](const Object& object) {
            std::string all = "{";
            for (const auto& [key, one] : object)
              all += (all.size() > 1 ? ",\"" : "\"") + key + "\":" + text(one);
            return all + "}";
          },
      },
      value.held);
}

int main() {
  Object box{{"name", {"lazy dog"}}, {"size", {List{{1L}, {20L}, {-3L}}}}, {"empty", {Object{}}}};
  box["open"] = {false};
  box["next"] = {nullptr};
  std::cout << text({box}) << '\n';

  Value& size = box.at("size");
  if (List* list = std::get_if<List>(&size.held)) list->push_back({std::string("end")});
  std::cout << text(size) << ", alternative " << size.held.index() << '\n';
  try {
    std::cout << std::get<long>(box["name"].held) << '\n';
  } catch (const std::bad_variant_access&) {
    std::cout << "the name is no number\n";
  }
}
