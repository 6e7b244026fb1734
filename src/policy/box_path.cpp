#include "policy/box_path.hpp"

#include <algorithm>
#include <string>

#include "base/split.hpp"
#include "base/try.hpp"
#include "policy/quantity.hpp"

namespace lazaret::policy {
namespace {

constexpr std::size_t kLongestName = 255;   // NAME_MAX
constexpr std::size_t kLongestPath = 4095;  // PATH_MAX with its NUL
constexpr std::size_t kMostInputs = 10000;
constexpr char kNul = '\0';

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kLongestName &&
         name.find(kNul) == name.npos;
}

Status check(const Input& input, std::string_view code) {
  const std::string path = in_quotes(input.path);
  const bool is_whole = input.path == "." && (input.source || input.is_archive);
  if (!is_whole && !is_below(input.path))
    return Error(Errc::invalid_argument, path + " is no path below /work")
        .with_hint("names with / between them, neither . nor .., e.g. data/input.csv");
  if (input.source && (!input.content.empty() || input.is_archive))
    return Error(Errc::invalid_argument, path + " has both a content and a source");
  if (input.source && input.source->empty())
    return Error(Errc::invalid_argument, path + " has an empty source");
  const bool is_in_its_place =
      input.path == code || input.path.starts_with(std::string(code) + "/");
  if (!code.empty() && is_in_its_place)
    return Error(Errc::invalid_argument, path + " is where the code itself lies")
        .with_hint("give it another name");
  return {};
}

}  // namespace

bool is_below(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || path.back() == '/') return false;
  const auto names = split(path, '/');
  return std::all_of(names.begin(), names.end(), is_file_name);
}

Status check_inputs(const std::vector<Input>& inputs, std::string_view code) {
  if (inputs.size() > kMostInputs)
    return Error(Errc::too_large, "more than " + std::to_string(kMostInputs) + " of them")
        .with_hint("a directory counts as one");
  for (const Input& input : inputs) LAZARET_CHECK(check(input, code));
  return {};
}

}  // namespace lazaret::policy
