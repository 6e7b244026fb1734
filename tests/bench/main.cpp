#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/groups.hpp"
#include "bench/machine.hpp"
#include "bench/measure.hpp"

// How long things take and how much memory they need, on this machine and beside the peers that are
// installed. docs/performance.md says how it is done and what came out.
namespace lazaret::bench {
namespace {

struct Row {
  const char* name;
  Group (*measured)(int rounds);
};
constexpr Row kGroups[] = {
    {"print", print_group},         {"pool", pool_group},          {"docker", docker_group},
    {"sustained", sustained_group}, {"start", start_group},        {"true", true_group},
    {"rate", rate_group},           {"python", python_group},      {"kill", kill_group},
    {"memory", memory_group},       {"serving", serving_group},    {"files", files_group},
    {"session", session_group},     {"languages", languages_group}, {"begin", begin_group},
    {"endings", endings_group},     {"endurance", endurance_group}};

struct Options {
  std::vector<std::string> only;
  std::string json;
  int rounds = 200;
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Row& row : kGroups) all.emplace_back(row.name);
  return all;
}

constexpr int kNotHeld = 4;

void declare(CLI::App& app, Options& options) {
  app.add_option("--only", options.only, "groups to measure, with commas between; without it, all")
      ->delimiter(',')
      ->check(CLI::IsMember(names()));
  app.add_option("--json", options.json, "file for the report as JSON; - for standard output");
  app.add_option("--rounds", options.rounds, "how often each candidate is measured")
      ->check(CLI::Range(3, 10000))
      ->capture_default_str();
}

void write(const Report& report, const std::string& path) {
  const std::string text = json_of(report).dump(1) + "\n";
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream file(path);
  if (!(file << text).flush()) throw Failure("writing " + path);
}

// How many numbers are not what they are asked to be.
std::ptrdiff_t not_held(const Report& report) {
  std::ptrdiff_t count = 0;
  for (const auto& [name, group] : report.groups)
    count += std::ranges::count_if(group.figures, [](const Figure& f) { return !f.held(); });
  return count;
}

std::ptrdiff_t measure(const Options& options) {
  std::FILE* const table = options.json == "-" ? stderr : stdout;
  Report report{machine(), {}};
  for (const auto& [key, value] : report.machine.items())
    std::fprintf(table, "%-12s %s\n", key.c_str(), value.dump().c_str());
  for (const Row& row : kGroups) {
    const auto& only = options.only;
    if (!only.empty() && std::find(only.begin(), only.end(), row.name) == only.end()) continue;
    std::fprintf(stderr, "lazaret_bench: measuring %s\n", row.name);
    report.groups.emplace_back(row.name, row.measured(options.rounds));
    print_table(report.groups.back().second, table);
  }
  if (!options.json.empty()) write(report, options.json);
  return not_held(report);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Measures Lazaret and its peers on the same work, in turns.\n"
      "LAZARET_TEST_DOCKER and LAZARET_TEST_PODMAN=unix://… name the engines.");
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  listen_for_interrupts();
  try {
    const std::ptrdiff_t count = measure(options);
    if (count == 0) return 0;
    std::fprintf(stderr, "lazaret_bench: %td of the numbers asked are not held\n", count);
    return kNotHeld;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "lazaret_bench: %s\n", interrupted() ? "interrupted" : failure.what());
    return interrupted() ? 130 : 1;
  }
}

}  // namespace
}  // namespace lazaret::bench

int main(int argc, char** argv) { return lazaret::bench::run(argc, argv); }
