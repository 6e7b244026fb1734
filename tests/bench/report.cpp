#include "bench/report.hpp"

#include <algorithm>
#include <cmath>

namespace lazaret::bench {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Who who) {
  switch (who) {
    case Who::ours: return "ours";
    case Who::engine: return "engine";
    case Who::peer: return "peer";
    case Who::bare: return "bare";
  }
  return "";
}

const char* sign_of(Bound::Side side) { return side == Bound::Side::at_most ? "<=" : ">="; }

double rounded(double value) { return std::round(value * 1000) / 1000; }

Json json_of(const Timing& timing) {
  Json json = {{"name", timing.name}, {"who", name_of(timing.who)}};
  if (timing.failed > 0) json["failed"] = timing.failed;
  if (timing.ms.empty()) {
    json["missing"] = timing.missing;
    return json;
  }
  json["count"] = timing.ms.size();
  json["p50_ms"] = rounded(timing.p50());
  json["p99_ms"] = rounded(timing.quantile(0.99));
  json["least_ms"] = rounded(timing.quantile(0));
  json["most_ms"] = rounded(timing.quantile(1));
  return json;
}

Json json_of(const Figure& figure) {
  Json json = {{"name", figure.name}, {"value", rounded(figure.value)}, {"unit", figure.unit}};
  if (!figure.asked) return json;
  json["asked"] = {{sign_of(figure.asked->side), figure.asked->value}};
  json["held"] = figure.held();
  return json;
}

Json json_of(const std::string& name, const Group& group) {
  Json json = {{"name", name}, {"title", group.title}};
  if (!group.missing.empty()) json["missing"] = group.missing;
  json["timings"] = Json::array();
  for (const Timing& timing : group.timings) json["timings"].push_back(json_of(timing));
  json["figures"] = Json::array();
  for (const Figure& figure : group.figures) json["figures"].push_back(json_of(figure));
  return json;
}

void print_row(const Timing& timing, std::FILE* to) {
  if (timing.ms.empty())
    std::fprintf(to, "  %-58s %s\n", timing.name.c_str(), timing.missing.c_str());
  else
    std::fprintf(to, "  %-58s %9.2f %9.2f %7zu\n", timing.name.c_str(), timing.p50(),
                 timing.quantile(0.99), timing.ms.size());
  if (timing.failed > 0) std::fprintf(to, "    and %zu without a result\n", timing.failed);
}

void print_row(const Figure& figure, std::FILE* to) {
  std::fprintf(to, "  %-58s %9.2f %s", figure.name.c_str(), figure.value, figure.unit.c_str());
  if (figure.asked) {
    std::fprintf(to, "  asked %s %g: %s", sign_of(figure.asked->side), figure.asked->value,
                 figure.held() ? "held" : "NOT HELD");
  }
  std::fputc('\n', to);
}

}  // namespace

double Timing::quantile(double part) const {
  std::vector<double> values = ms;
  const auto rank = static_cast<std::ptrdiff_t>(
      std::ceil(part * static_cast<double>(values.size())));  // nearest rank
  const auto place = values.begin() + std::max<std::ptrdiff_t>(rank - 1, 0);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

bool Figure::held() const {
  if (!asked) return true;
  return asked->side == Bound::Side::at_most ? value <= asked->value : value >= asked->value;
}

const Timing* Group::timing(const std::string& name) const {
  const auto found = std::find_if(timings.begin(), timings.end(), [&name](const Timing& timing) {
    return timing.name == name && !timing.ms.empty();
  });
  return found == timings.end() ? nullptr : &*found;
}

void Group::add_quantile(const std::string& name, double part, Bound asked) {
  const Timing* const found = timing(name);
  if (found == nullptr) return;
  const std::string label = ", p" + std::to_string(std::lround(part * 100));
  figures.push_back({name + label, found->quantile(part), "ms", asked});
}

void Group::add_ratio(const std::string& slow, const std::string& fast,
                      std::optional<Bound> asked) {
  const Timing* const over = timing(slow);
  const Timing* const under = timing(fast);
  if (over == nullptr || under == nullptr) return;
  figures.push_back({slow + " / " + fast, over->p50() / under->p50(), "times", asked});
}

void Group::add_difference(const std::string& slow, const std::string& fast,
                           std::optional<Bound> asked) {
  const Timing* const more = timing(slow);
  const Timing* const less = timing(fast);
  if (more == nullptr || less == nullptr) return;
  figures.push_back({slow + ", more than " + fast, more->p50() - less->p50(), "ms", asked});
}

nlohmann::ordered_json json_of(const Report& report) {
  Json json = {{"machine", report.machine}, {"groups", Json::array()}};
  for (const auto& [name, group] : report.groups) json["groups"].push_back(json_of(name, group));
  return json;
}

void print_table(const Group& group, std::FILE* to) {
  std::fprintf(to, "\n%-60s", group.title.c_str());
  if (!group.missing.empty()) {
    std::fprintf(to, " %s\n", group.missing.c_str());
    return;
  }
  std::fprintf(to, "%s\n", group.timings.empty() ? "" : "   p50 ms    p99 ms   count");
  for (const Timing& timing : group.timings) print_row(timing, to);
  for (const Figure& figure : group.figures) print_row(figure, to);
  std::fflush(to);
}

}  // namespace lazaret::bench
