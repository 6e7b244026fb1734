#include "backend/docker/image_variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/json.hpp"
#include "policy/environment.hpp"

namespace lazaret::backend::docker {

std::vector<std::string> variables_of_image(const nlohmann::json& seen) {
  constexpr std::array<std::string_view, 4> kOfEngines = {"HOME=", "HOSTNAME=", "TERM=",
                                                          "container="};
  std::vector<std::string> variables;
  for (const nlohmann::json& each : engine::member(engine::member(seen, "Config"), "Env")) {
    if (!each.is_string()) continue;
    const auto& text = each.get_ref<const std::string&>();
    const auto begins = [&text](std::string_view name) { return text.starts_with(name); };
    if (std::ranges::none_of(kOfEngines, begins)) variables.push_back(text);
  }
  return variables;
}

std::optional<Reading> read_variables(std::span<const std::string> of_image,
                                      const policy::Spec& spec) {
  auto all = spec.environment;
  policy::add_of_image(all, of_image, !spec.fixed.empty());
  if (all == spec.environment) return std::nullopt;
  const std::size_t more = all.size() - spec.environment.size();
  return Reading{Control::environment, EvidenceStatus::enforced,
                 std::to_string(more) + " more of the image's",
                 "engine inspect"};
}

}  // namespace lazaret::backend::docker
