#include "core/job.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "os/random.hpp"
#include "policy/environment.hpp"

namespace lazaret::core {
namespace {

using Environment = std::map<std::string, std::string>;
using Variables = std::span<const std::string>;

runner::Job job_with(const policy::Spec& spec, Environment environment, Variables of_image,
                     std::chrono::seconds processor_time) {
  policy::add_of_image(environment, of_image, !spec.fixed.empty());
  runner::Job job;
  job.working_directory = spec.program.working_directory;
  for (const auto& [name, value] : environment) job.environment.push_back(name + "=" + value);
  job.cpu_seconds = static_cast<std::uint32_t>(processor_time.count());
  return job;
}

// But for what to start.
runner::Job conditions_of(const policy::Spec& spec, Variables of_image) {
  return job_with(spec, spec.environment, of_image,
                  spec.limits.cpu_time.value_or(std::chrono::seconds(0)));
}

void put_files(runner::Job& job, const policy::Program& program) {
  for (const auto& file : program.files) job.files.push_back({file.path, file.content});
}

// Drawn for each job, so that none says by chance what is another's farewell.
void put_word(runner::Job& job, const policy::Program::Ahead& ahead) {
  job.word = ahead.word;
  if (!ahead.takes_leave) return;
  job.farewell = os::random_hex(32);
  job.word.append(1, '\0').append(job.farewell);
}

// A context's processor time is not its jobs': the kernel would count all of them together.
void put_cell(runner::Job& job, const policy::Program::Cell& cell) {
  job.context = cell.context;
  job.begins_context = cell.number == 1;
  job.cpu_seconds = 0;
  job.farewell = os::random_hex(32);
  job.word = job.farewell + '\0' + "<cell-" + std::to_string(cell.number) + ">" + '\0' + cell.code;
}

}  // namespace

runner::Job job_of(const policy::Spec& spec, bool has_interpreter, Variables of_image) {
  runner::Job job = has_interpreter ? runner::Job{} : conditions_of(spec, of_image);
  const auto& argv = spec.program.argv;
  job.argv.assign(argv.begin(), has_interpreter ? argv.begin() + 1 : argv.end());
  if (spec.program.compiler.empty()) put_files(job, spec.program);
  if (spec.program.ahead) put_word(job, *spec.program.ahead);
  if (spec.program.cell) put_cell(job, *spec.program.cell);
  job.keeps_box = spec.keeps_box;
  job.terminal = spec.terminal;
  return job;
}

runner::Job compiler_of(const policy::Spec& spec, Variables of_image) {
  Environment environment = spec.environment;
  for (const auto& [name, value] : spec.program.compiler_environment) environment[name] = value;
  runner::Job job = job_with(spec, std::move(environment), of_image,
                             std::chrono::ceil<std::chrono::seconds>(spec.limits.compile_timeout));
  job.argv = spec.program.compiler;
  job.working_directory = "/work";
  job.keeps_box = spec.keeps_box;
  put_files(job, spec.program);
  return job;
}

runner::Job interpreter_of(const policy::Spec& spec, Variables of_image) {
  runner::Job job = conditions_of(spec, of_image);
  const policy::Program::Ahead& ahead = *spec.program.ahead;
  job.argv = ahead.argv;
  job.environment.insert(job.environment.end(), ahead.environment.begin(), ahead.environment.end());
  job.word = ahead.says;
  return job;
}

}  // namespace lazaret::core
