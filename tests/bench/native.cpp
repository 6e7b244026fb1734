#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "bench/measure.hpp"
#include "lazaret/lazaret.hpp"

namespace lazaret::bench {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kLazaret = LAZARET_CLI_MAIN_PATH;

std::function<void()> running(Words argv) {
  return [argv = std::move(argv)] { must_run(argv); };
}

// Everything that bubblewrap can take away, as its manual lists it.
Words bubblewrapped(const Words& argv) {
  Words words = {"bwrap",         "--unshare-all", "--die-with-parent",
                 "--new-session", "--clearenv",    "--ro-bind",
                 "/usr",          "/usr",          "--symlink",
                 "usr/bin",       "/bin",          "--symlink",
                 "usr/lib",       "/lib",          "--symlink",
                 "usr/lib64",     "/lib64",        "--proc",
                 "/proc",         "--dev",         "/dev",
                 "--tmpfs",       "/tmp",          "--tmpfs",
                 "/work",         "--chdir",       "/work",
                 "--uid",         "65534",         "--gid",
                 "65534",         "--cap-drop",    "ALL"};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

CodeSandbox native_sandbox() {
  SandboxOptions options;
  options.type = "local";
  return SandboxFactory::with(options).value();
}

ExecutionRequest command(Words argv) {
  ExecutionRequest request;
  request.command = std::move(argv);
  return request;
}

std::vector<Figure> start_figures() {
  const auto times =
      medians_in_turns(100, {running({"/bin/true"}), running({kLazaret, "--version"})});
  return {{"/bin/true", "ms", times[0]},
          {"lazaret --version", "ms", times[1]},
          {"lazaret --version minus /bin/true", "ms", times[1] - times[0]}};
}

void must_succeed(const CodeSandbox& sandbox) {
  if (!sandbox.execute(command({"true"})).success()) ::_exit(1);
}

std::vector<Figure> true_figures() {
  const CodeSandbox kept = native_sandbox();
  const auto in_process = [&kept] { must_succeed(kept); };
  const auto first = [] { must_succeed(native_sandbox()); };
  const bool peer = run_program({"bwrap", "--version"}).status == 0;
  std::vector<std::function<void()>> kinds = {running({kLazaret, "exec", "-q", "--", "true"}),
                                              in_process, first, running({"/bin/true"})};
  if (peer) kinds.push_back(running(bubblewrapped({"true"})));
  const auto times = medians_in_turns(50, kinds);
  std::vector<Figure> figures = {{"true: lazaret exec", "ms", times[0]},
                                 {"true: library", "ms", times[1]},
                                 {"true: library, first run of a sandbox", "ms", times[2]},
                                 {"true: what the library adds", "ms", times[1] - times[3]}};
  if (peer)
    figures.push_back({"true: bubblewrap, all namespaces", "ms", times[4]});
  else
    figures.push_back({"true: bubblewrap, all namespaces", "ms", {}, "bwrap is not installed"});
  return figures;
}

// As many runs as the machine makes: one thread for each processor.
std::vector<Figure> rate_figures() {
  constexpr int kRuns = 500;
  const CodeSandbox sandbox = native_sandbox();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const double time = milliseconds_of([&sandbox, threads] {
    std::vector<std::jthread> all;
    for (unsigned index = 0; index < threads; ++index) {
      all.emplace_back([&sandbox] {
        for (int run = 0; run < kRuns; ++run) must_succeed(sandbox);
      });
    }
  });
  return {{"true: library, all processors", "runs/s", kRuns * threads / time * 1000}};
}

std::vector<Figure> python_figures() {
  const CodeSandbox sandbox = native_sandbox();
  ExecutionRequest request;
  request.code = "print(1)";
  const auto times = medians_in_turns(
      50, {running({"/usr/bin/python3", "-I", "-c", "print(1)"}),
           running({kLazaret, "run", "-q", "-c", "print(1)"}), [&sandbox, &request] {
             if (!sandbox.execute(request).success()) ::_exit(1);
           }});
  return {{"python: bare", "ms", times[0]},
          {"python: lazaret run", "ms", times[1]},
          {"python: library, one process", "ms", times[2]},
          {"python: what the library adds", "ms", times[2] - times[0]}};
}

std::vector<Figure> memory_figures() {
  const long peak = run_program({kLazaret, "exec", "-q", "--", "true"}).peak_kib;
  return {{"peak memory of lazaret exec", "KiB", static_cast<double>(peak)}};
}

// VmHWM of this process, in KiB.
double peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6));
  }
  return 0;
}

std::vector<Figure> flood_figures() {
  const CodeSandbox sandbox = native_sandbox();
  ExecutionRequest request = command({"head", "-c", "1073741824", "/dev/zero"});
  request.limits.timeout = std::chrono::seconds(100);
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): the peak begins anew
  const double before = peak_kib();
  bool whole = false;
  const double time = milliseconds_of([&] {
    const ExecutionResult result = sandbox.execute(request);
    whole = result.success() && result.meta.output.stdout_bytes == 1073741824;
  });
  const double growth = peak_kib() - before;
  if (!whole) return {{"1 GiB of output", "ms", {}, "it did not come through whole"}};
  return {{"1 GiB of output: growth of memory", "KiB", growth},
          {"1 GiB of output: time", "ms", time}};
}

}  // namespace

std::vector<Figure> native_figures() {
  std::vector<Figure> all;
  for (const auto& group :
       {start_figures, true_figures, rate_figures, python_figures, memory_figures, flood_figures}) {
    const auto figures = group();
    all.insert(all.end(), figures.begin(), figures.end());
  }
  return all;
}

}  // namespace lazaret::bench
