#include "core/languages.hpp"

#include "policy/hosts.hpp"
#include "policy/packages.hpp"
#include "runner/driver.hpp"

namespace lazaret::core {
namespace {

policy::Program::Ahead ahead_of(runner::Ahead ahead) {
  return {.argv = std::move(ahead.argv),
          .environment = std::move(ahead.environment),
          .says = std::string(ahead.says),
          .word = std::move(ahead.word),
          .takes_leave = ahead.takes_leave};
}

policy::Program program_of(const runner::Driver& driver, const ExecutionRequest& request,
                           const policy::Spec& spec) {
  runner::Task task{request.code, request.arguments, spec.limits.memory_bytes,
                    request.deterministic};
  for (const auto& [name, value] : spec.environment) task.variables.push_back(name);
  task.hosts = request.hosts;
  if (!task.hosts.empty()) task.way_out = policy::kWayOutPort;
  if (!request.packages.empty()) task.packages = policy::kPackages;
  task.in_context = !request.context.empty();
  runner::Recipe recipe = driver.recipe(task);
  policy::Program program;
  program.argv = std::move(recipe.argv);
  program.files = {{std::move(recipe.path), request.code}};
  program.compiler = std::move(recipe.compiler);
  program.compiler_environment = {recipe.compiler_environment.begin(),
                                  recipe.compiler_environment.end()};
  program.needs = driver.needs;
  program.seeds = std::move(recipe.seeds);
  program.environment = {recipe.environment.begin(), recipe.environment.end()};
  if (recipe.ahead) program.ahead = ahead_of(std::move(*recipe.ahead));
  program.cells = std::move(recipe.cells);
  return program;
}

policy::Language language_of(const runner::Driver& driver) {
  return {.name = std::string(driver.name),
          .aliases = {driver.aliases.begin(), driver.aliases.end()},
          .program =
              [&driver](const ExecutionRequest& request, const policy::Spec& spec) {
                return program_of(driver, request, spec);
              },
          .version = driver.version,
          .needs = std::string(driver.needs)};
}

}  // namespace

const std::vector<policy::Language>& languages() {
  static const std::vector<policy::Language> list = [] {
    std::vector<policy::Language> all;
    for (const auto& driver : runner::drivers()) all.push_back(language_of(driver));
    return all;
  }();
  return list;
}

policy::Facts facts_for(const backend::Backend& backend) {
  return {.languages = languages(),
          .default_grace = backend.default_grace(),
          .has_images = backend.has_images()};
}

}  // namespace lazaret::core
