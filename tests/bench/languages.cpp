#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "bench/groups.hpp"
#include "bench/sandboxes.hpp"

// Each language beside its bare runtime, and how soon a program begins.
namespace lazaret::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Language {
  const char* name;
  const char* file;  ///< "main.c"
  const char* code;  ///< which prints 1
  const char* bare;  ///< of /bin/sh, beside the file
  const char* runtime;
  int part;  ///< of the rounds, where a round takes long
};
constexpr Language kLanguages[] = {
    {"python", "main.py", "print(1)", "exec python3 -I main.py", "python3", 1},
    {"javascript", "main.js", "console.log(1)", "exec node main.js", "node", 1},
    {"typescript", "main.ts", "console.log(1 as number)",
     "exec deno run -q main.ts", "deno", 1},
    {"bash", "main.sh", "echo 1", "exec bash main.sh", "bash", 1},
    {"sh", "main.sh", "echo 1", "exec sh main.sh", "sh", 1},
    {"c", "main.c", "#include <stdio.h>\nint main(void) { puts(\"1\"); }",
     "gcc -std=gnu17 -O2 -o main main.c -lm -pthread && exec ./main", "gcc", 2},
    {"cpp", "main.cpp", "#include <cstdio>\nint main() { std::puts(\"1\"); }",
     "g++ -std=c++20 -O2 -o main main.cpp -pthread && exec ./main", "g++", 2},
    {"rust", "main.rs", "fn main() { println!(\"1\"); }",
     "rustc --edition=2021 -O -o main main.rs && exec ./main", "rustc", 4},
    {"go", "main.go", "package main\nimport \"fmt\"\nfunc main() { fmt.Println(1) }",
     "go build -buildvcs=false -o main main.go && exec ./main", "go", 4},
    {"java", "Main.java",
     "public class Main { public static void main(String[] a) { System.out.println(1); } }",
     "javac Main.java && exec java -XX:+UseSerialGC -Xshare:auto -cp . Main", "javac", 10},
};

// A directory of its own, which goes with it.
class Place {
 public:
  Place() {
    std::string name = std::filesystem::temp_directory_path() / "lazaret-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw Failure("mkdtemp");
    path_ = name;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }
  void write(const Language& language) const {
    std::ofstream(path_ / language.file) << language.code << '\n';
  }
  // What runtimes and compilers keep or have made, which a box does not have either: go makes
  // nothing that is there already.
  void clear() const {
    for (const char* const name : {"kept", "main"}) std::filesystem::remove_all(path_ / name);
  }
  // As boxes look for programs, whatever stands first in our own PATH.
  [[nodiscard]] Program program(const char* command) const {
    return {{"/bin/sh", "-c",
             "export PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin NO_COLOR=1 "
             "DENO_NO_UPDATE_CHECK=1 GOTOOLCHAIN=local CGO_ENABLED=0; cd " +
                 path_.string() +
                 "; export DENO_DIR=$PWD/kept GOCACHE=$PWD/kept GOPATH=$PWD/kept; " + command}};
  }

 private:
  std::filesystem::path path_;
};

void add_language(Group& group, const Language& language, int rounds) {
  const std::string name = language.name, bare = name + ", bare";
  if (!is_installed(language.runtime)) {
    const std::string missing = std::string(language.runtime) + " is not installed";
    group.timings.push_back({.name = name, .missing = missing});
    return;
  }
  const Place place;
  place.write(language);
  const CodeSandbox sandbox = sandbox_on(kNative);
  ExecutionRequest request;
  request.language = name;
  request.code = language.code;
  request.limits.cpus = std::max(1U, std::thread::hardware_concurrency());  // as the bare one has
  request.limits.compile_timeout = std::chrono::minutes(2);
  for (Timing& timing :
       in_turns(std::max(rounds / language.part, 3),
                {{name, Who::ours, [&] { must_succeed(sandbox, request); }},
                 {bare, Who::bare, running(place.program(language.bare), "1\n"),
                  [&place] { place.clear(); }}}))
    group.timings.push_back(std::move(timing));
  group.add_difference(name, bare, at_most(5));
}

// From the call until the first that the program says, in milliseconds.
double start_of(const CodeSandbox& sandbox) {
  const auto called = Clock::now();
  std::optional<Clock::time_point> heard;
  ExecutionRequest request = command({"echo", "1"});
  request.on_output = [&heard](Stream, std::string_view) {
    if (!heard) heard = Clock::now();
  };
  must_succeed(sandbox, request);
  if (!heard) throw Failure("a program has said nothing");
  return std::chrono::duration<double, std::milli>(*heard - called).count();
}

void add_start(Group& group, const Engine& engine, const char* name, Ahead ahead, int rounds,
               double asked) {
  const std::string row = engine.type + ", " + name;
  if (!engine.missing().empty()) {
    group.timings.push_back({.name = row, .missing = engine.missing()});
    return;
  }
  const CodeSandbox sandbox = sandbox_on(engine, ahead);
  std::vector<double> starts;
  auto timings = in_turns(rounds, {{row, Who::ours, [&] { starts.push_back(start_of(sandbox)); }}});
  // Of what was done, the last rounds are those that count.
  timings[0].ms.assign(starts.end() - static_cast<std::ptrdiff_t>(timings[0].ms.size()),
                       starts.end());
  group.timings.push_back(std::move(timings[0]));
  group.add_quantile(row, 0.5, at_most(asked));
}

}  // namespace

Group languages_group(int rounds) {
  Group group{.title = "each language, natively, beside its bare runtime"};
  for (const Language& language : kLanguages) add_language(group, language, rounds);
  return group;
}

Group begin_group(int rounds) {
  Group group{.title = "until a program begins"};
  for (const Engine& engine : {kNative, docker_engine()}) {
    add_start(group, engine, "cold", Ahead::nothing, rounds, 100);
    add_start(group, engine, "warm", Ahead::as_configured, rounds, 5);
  }
  return group;
}

}  // namespace lazaret::bench
