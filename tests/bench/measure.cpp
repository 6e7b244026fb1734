#include "bench/measure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace lazaret::bench {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> medians_in_turns(int rounds, const std::vector<std::function<void()>>& kinds) {
  std::vector<std::vector<double>> taken(kinds.size());
  for (const auto& kind : kinds) kind();  // what is cold only once
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t index = 0; index < kinds.size(); ++index) {
      taken[index].push_back(milliseconds_of(kinds[index]));
    }
  }
  std::vector<double> medians;
  for (auto& values : taken) medians.push_back(median(std::move(values)));
  return medians;
}

Finished run_program(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // Not fork: its cost would grow with this process.
  const pid_t child = ::vfork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 0), ::dup2(null, 1), ::dup2(null, 2);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), usage.ru_maxrss};
}

void must_run(const std::vector<std::string>& argv) {
  const Finished finished = run_program(argv);
  if (finished.status == 0) return;
  std::fprintf(stderr, "lazaret_bench: %s ended with %d\n", argv[0].c_str(), finished.status);
  std::exit(1);
}

}  // namespace lazaret::bench
