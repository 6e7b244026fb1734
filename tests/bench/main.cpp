#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"

// lazaret_bench [--json] [native|docker]: how long things take and how much memory they need, on
// this machine and beside the peers that are installed. Docker's figures need
// LAZARET_TEST_DOCKER=unix://….
namespace {

using lazaret::bench::Figure;

void print_table(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    if (figure.value)
      std::printf("%-42s %12.2f %s\n", figure.name.c_str(), *figure.value, figure.unit.c_str());
    else
      std::printf("%-42s not measured: %s\n", figure.name.c_str(), figure.note.c_str());
  }
}

void print_json(const std::vector<Figure>& figures) {
  auto json = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    nlohmann::ordered_json row = {{"name", figure.name}, {"unit", figure.unit}};
    if (figure.value)
      row["value"] = *figure.value;
    else
      row["not_measured"] = figure.note;
    json.push_back(row);
  }
  std::printf("%s\n", json.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const auto asked = [argc, argv](const char* word) {
    return std::any_of(argv + 1, argv + argc,
                       [word](const char* given) { return std::strcmp(given, word) == 0; });
  };
  const char* const docker = std::getenv("LAZARET_TEST_DOCKER");
  std::vector<Figure> figures;
  if (!asked("docker")) figures = lazaret::bench::native_figures();
  if (!asked("native")) {
    const auto more = lazaret::bench::docker_figures(docker == nullptr ? "" : docker);
    figures.insert(figures.end(), more.begin(), more.end());
  }
  if (asked("--json"))
    print_json(figures);
  else
    print_table(figures);
  return 0;
}
