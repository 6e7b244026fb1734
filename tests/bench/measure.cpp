#include "bench/measure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace lazaret::bench {
namespace {

constexpr int kRoundsBefore = 3;
volatile std::sig_atomic_t interrupt = 0;

// Ticks that all processors have spent idle, and in all: the first line of /proc/stat, proc(5).
struct Ticks {
  long idle = 0;
  long all = 0;
};

Ticks ticks() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  stat >> cpu;
  Ticks sum;
  for (long value = 0, field = 0; field < 8 && stat >> value; ++field) {
    sum.all += value;
    if (field == 3 || field == 4) sum.idle += value;
  }
  return sum;
}

double measure(const Candidate& candidate) {
  if (interrupted()) throw Failure("interrupted");
  come_to_rest();
  const double time = milliseconds_of(candidate.work);
  candidate.after();
  return time;
}

// A failure of ours ends the bench; one of a peer's is told of, and is not among its times.
void add_measurement(const Candidate& candidate, Timing& timing) {
  try {
    timing.ms.push_back(measure(candidate));
  } catch (const Failure& failure) {
    if (candidate.who == Who::ours || interrupted()) throw;
    std::fprintf(stderr, "lazaret_bench: %s: %s\n", candidate.name.c_str(), failure.what());
    ++timing.failed;
  }
}

// What they took before they had settled.
void forget(Timing& timing) {
  timing.ms.clear();
  timing.failed = 0;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string drained(int handle) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(handle, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(handle);
  return text;
}

}  // namespace

void must(const Status& status, const std::string& doing) {
  if (!status.ok()) throw Failure(doing + ": " + status.error().message());
}

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int number) { interrupt = number; };
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) (void)::sigaction(number, &action, nullptr);
}

bool interrupted() { return interrupt != 0; }

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Nine tenths idle for a moment; where others are busy for longer, it is as it is.
void come_to_rest() {
  constexpr std::chrono::milliseconds kMoment{60};
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Ticks before = ticks();
    std::this_thread::sleep_for(kMoment);
    const Ticks after = ticks();
    if (10 * (after.idle - before.idle) >= 9 * (after.all - before.all)) return;
  }
}

std::vector<Timing> in_turns(int rounds, const std::vector<Candidate>& candidates) {
  std::vector<Timing> timings;
  for (const Candidate& candidate : candidates)
    timings.push_back({candidate.name, candidate.who, {}, candidate.missing, 0});
  for (int round = -kRoundsBefore; round < rounds; ++round) {
    if (round == 0) std::for_each(timings.begin(), timings.end(), forget);
    for (std::size_t index = 0; index < candidates.size(); ++index) {
      if (candidates[index].missing.empty()) add_measurement(candidates[index], timings[index]);
    }
  }
  for (Timing& timing : timings) {
    if (timing.failed > 0 && timing.ms.empty()) timing.missing = "failed every time";
  }
  return timings;
}

std::vector<std::string> with_ours(std::vector<std::string> environment) {
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

Finished run_program(const Program& program) {
  const std::vector<char*> words = pointers_to(program.argv);
  const std::vector<std::string> names = with_ours(program.environment);
  const std::vector<char*> environment = pointers_to(names);
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw Failure("no pipe");
  // Not fork: its cost would grow with this process.
  const pid_t child = ::vfork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(null, 0), ::dup2(output[1], 1), ::dup2(null, 2);
    ::execvpe(words[0], words.data(), environment.data());
    ::_exit(127);
  }
  ::close(output[1]);
  Finished finished;
  finished.output = drained(output[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  finished.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  finished.peak_kib = usage.ru_maxrss;
  return finished;
}

void must_print(const Program& program, const std::string& output) {
  const Finished finished = run_program(program);
  if (finished.status == 0 && finished.output == output) return;
  std::ostringstream told;
  for (const std::string& word : program.environment) told << word << ' ';
  for (const std::string& word : program.argv) told << word << ' ';
  told << "ended with " << finished.status << ", its output: " << finished.output;
  throw Failure(told.str());
}

std::function<void()> running(Program program, std::string output) {
  return
      [program = std::move(program), output = std::move(output)] { must_print(program, output); };
}

bool is_installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace lazaret::bench
