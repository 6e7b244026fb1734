#include "runner/driver.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/base64.hpp"
#include "runner/java_source.hpp"

namespace lazaret::embedded {
extern const std::string_view python_bootstrap;  // runner/drivers/python.py
extern const std::string_view python_run;        // and python_run.py
extern const std::string_view python_rich;       // or python_rich.py
extern const std::string_view python_cells;      // and python_cells.py
extern const std::string_view node_bootstrap;    // runner/drivers/node.js
extern const std::string_view javascript;        // and javascript.js
extern const std::string_view waiting_clock;     // and waiting_clock.js
extern const std::string_view node_run;          // with node_run.js
extern const std::string_view node_cells;        // or node_cells.js
extern const std::string_view deno_run;  // javascript.js, waiting_clock.js, deno.js
}  // namespace lazaret::embedded

namespace lazaret::runner {
namespace {

constexpr std::string_view kMade = "/work/main";

Words started(std::initializer_list<std::string_view> words, const Words& arguments) {
  Words argv(words.begin(), words.end());
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

// In MiB. A quarter stays for what a runtime needs beside its heap, so that the heap ends first and
// the runtime can say so.
std::string heap_of(const Task& task) {
  return std::to_string(std::max<std::uint64_t>(task.memory_bytes / 4 * 3 >> 20, 4));
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string all;
  all.reserve(size);
  for (const std::string_view part : parts) all += part;
  return all;
}

std::string terminated(std::string_view path, const Words& arguments) {
  std::string word(path);
  for (const std::string& argument : arguments) word.append(1, '\0').append(argument);
  return word;
}

/// An interpreter that waits where it finds no file named. Its words are `interpreter`, then the
/// file and its arguments.
Recipe interpreted(const Task& task, std::string_view path, Words interpreter) {
  Ahead ahead{interpreter, {}, "waiting", terminated(path, task.arguments)};
  Words argv = std::move(interpreter);
  argv.emplace_back(path);
  argv.insert(argv.end(), task.arguments.begin(), task.arguments.end());
  return {std::string(path), std::move(argv), {}, {}, std::move(ahead)};
}

/// -I: neither PYTHON* variables nor the user's site directory have a say. A hash seed comes in
/// such a variable only.
Recipe python(const Task& task) {
  std::string see;
  if (!task.packages.empty()) see = "see_packages('" + std::string(task.packages) + "')\n";
  const auto with = [&](std::string_view then, std::string_view more = {}) -> Words {
    return {"python3", task.deterministic ? "-s" : "-I", "-c",
            joined({embedded::python_bootstrap, see, then, more})};
  };
  Recipe recipe = interpreted(task, "/work/main.py", with(embedded::python_run));
  recipe.ahead->takes_leave = true;
  if (task.in_context) recipe.cells = with(embedded::python_rich, embedded::python_cells);
  if (!task.deterministic) return recipe;
  recipe.seeds = {"hash_seed", "random_seed"};
  // Else from 3.13 on what lies in /work is imported before there is a program.
  recipe.environment = {{"PYTHONSAFEPATH", "1"}};
  return recipe;
}

Recipe shell(std::string_view program, const Task& task) {
  constexpr std::string_view kPath = "/work/main.sh";
  return {std::string(kPath), started({program, kPath}, task.arguments), {}, {}, {}};
}

std::string in_quotes(std::string_view text) {
  std::string all = "'";
  for (const char letter : text) all += letter == '\'' ? "'\\''" : std::string(1, letter);
  return all + "'";
}

// The file that BASH_ENV names comes before the script (bash(1)). What a shell shows of its start
// is put back: its clock, its random numbers and the last word that it has read.
std::string bash_word(const Words& arguments) {
  std::string word = "exec 4<&-\nunset BASH_ENV\nSECONDS=0\n[[ -z $SRANDOM ]] || RANDOM=$SRANDOM\n";
  if (!arguments.empty()) word += "set --";
  for (const std::string& argument : arguments) word += " " + in_quotes(argument);
  return word + "\n: bash\n";
}

Recipe bash(const Task& task) {
  Recipe recipe = shell("bash", task);
  recipe.ahead =
      Ahead{{"bash", recipe.path}, {"BASH_ENV=/proc/self/fd/4"}, "", bash_word(task.arguments)};
  return recipe;
}

Recipe sh(const Task& task) { return shell("sh", task); }

/// What follows "--" is never an option of node's own. Without node's modules in its library vm, 18
/// and early 20 let a script's own import() call nothing.
Recipe javascript(const Task& task) {
  Words interpreter = {"node", "--max-old-space-size=" + heap_of(task),
                       "--experimental-vm-modules"};
  if (task.deterministic) interpreter.emplace_back("--random-seed=1");
  const auto with = [&interpreter](std::string_view then) {
    Words words = interpreter;
    words.insert(words.end(), {"--eval",
                               joined({embedded::node_bootstrap, embedded::javascript, then}),
                               "--"});
    return words;
  };
  Recipe recipe = interpreted(task, "/work/main.js",
                              with(joined({embedded::waiting_clock, embedded::node_run})));
  recipe.ahead->argv.pop_back();
  recipe.ahead->takes_leave = true;
  if (task.in_context) {
    recipe.cells = with(embedded::node_cells);
    // What was interrupted in its middle has not left what node calls its async context, which node
    // dies of if it looks.
    recipe.cells.insert(recipe.cells.begin() + 1, "--no-force-async-hooks-checks");
  }
  if (task.deterministic) recipe.seeds = {"random_seed"};
  return recipe;
}

std::string in_a_row(const Words& words) {
  std::string row;
  for (const std::string& word : words) row += (row.empty() ? "" : ",") + word;
  return row;
}

/// Deno's own wall stands behind the box's: who gets through one has gained nothing. What is not
/// allowed here is refused without a question. Two descriptors are allowed to deno.js, which gives
/// them up before there is a program: the value channel, and the word that it may wait for.
Words wall_of(const Task& task) {
  Words words = {"--no-prompt", "--no-remote", "--no-npm",   "--no-config",  "--no-lock",
                 "--deny-run",  "--deny-ffi",  "--deny-sys", "--deny-import"};
  words.push_back(task.hosts.empty() ? "--deny-net" : "--allow-net=" + in_a_row(task.hosts));
  words.insert(words.end(), {"--allow-read=/work,/mnt,/dev/fd/4", "--allow-write=/dev/fd/3"});
  // An empty list would be every variable.
  if (!task.variables.empty()) words.push_back("--allow-env=" + in_a_row(task.variables));
  return words;
}

/// What comes before the program, which has no file of ours in its box.
std::string denos_preload() {
  return "--preload=data:application/javascript;base64," +
         to_base64(joined({embedded::javascript, embedded::waiting_clock, embedded::deno_run}));
}

/// Deno makes javascript of the program itself, and checks no types. What it keeps of that is of no
/// use to a box that is used once, but where it cannot, it tries for 0.15 s.
Recipe typescript(const Task& task) {
  constexpr std::string_view kPath = "/work/main.ts";
  Words argv = {"deno", "run"};
  const auto add = [&argv](const Words& words) {
    argv.insert(argv.end(), words.begin(), words.end());
  };
  add(wall_of(task));
  add({"--v8-flags=--max-old-space-size=" + heap_of(task)});
  if (task.deterministic) add({"--seed=1"});
  add({denos_preload(), std::string(kPath)});
  Ahead ahead{argv, {}, "waiting", terminated(kPath, task.arguments)};
  add(task.arguments);
  Recipe recipe{std::string(kPath), std::move(argv), {}, {}, std::move(ahead)};
  if (task.deterministic) recipe.seeds = {"random_seed"};
  recipe.environment = {{"DENO_DIR", "/dev/shm/deno"},
                        {"DENO_NO_UPDATE_CHECK", "1"},
                        {"DENO_NO_PACKAGE_JSON", "1"},
                        {"NO_COLOR", "1"}};
  return recipe;
}

Recipe made(const Task& task, std::string path, Words compiler) {
  return {std::move(path), started({kMade}, task.arguments), std::move(compiler), {}, {}};
}

Recipe c(const Task& task) {
  return made(task, "/work/main.c",
              {"gcc", "-std=gnu17", "-O2", "-fdiagnostics-color=never", "-fmax-errors=20", "-o",
               std::string(kMade), "main.c", "-lm", "-pthread"});
}

Recipe cpp(const Task& task) {
  return made(task, "/work/main.cpp",
              {"g++", "-std=c++20", "-O2", "-fdiagnostics-color=never", "-fmax-errors=20", "-o",
               std::string(kMade), "main.cpp", "-pthread"});
}

Recipe rust(const Task& task) {
  return made(
      task, "/work/main.rs",
      {"rustc", "--edition=2021", "-O", "--color=never", "-o", std::string(kMade), "main.rs"});
}

/// Its cache begins empty and is no part of the program's directory.
Recipe go(const Task& task) {
  Recipe recipe = made(task, "/work/main.go",
                       {"go", "build", "-buildvcs=false", "-o", std::string(kMade), "main.go"});
  recipe.compiler_environment = {{"GOTMPDIR", "/work"}, {"GOCACHE", "/tmp/go-build"},
                                 {"GOPATH", "/tmp/go"}, {"GOTOOLCHAIN", "local"},
                                 {"GOPROXY", "off"},    {"GOTELEMETRY", "off"},
                                 {"CGO_ENABLED", "0"}};
  return recipe;
}

/// A public class must stand in a file of its name. Without performance data nothing is in /tmp.
/// Java reads no variable of the environment for this.
Words way_out_of_java(const Task& task) {
  if (task.way_out == 0) return {};
  Words words = {"-Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1]"};
  for (const std::string scheme : {"http", "https"}) {
    words.push_back("-D" + scheme + ".proxyHost=127.0.0.1");
    words.push_back("-D" + scheme + ".proxyPort=" + std::to_string(task.way_out));
  }
  return words;
}

Recipe java(const Task& task) {
  const JavaSource source = java_source_of(task.code);
  const std::string heap = "-Xmx" + heap_of(task) + "m";
  Words argv = {"java", heap, "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto"};
  const Words out = way_out_of_java(task),
              rest = started({"-cp", "/work", source.main_class}, task.arguments);
  argv.insert(argv.end(), out.begin(), out.end());
  argv.insert(argv.end(), rest.begin(), rest.end());
  return {"/work/" + source.file,
          std::move(argv),
          {"javac", "-J" + heap, "-J-XX:+UseSerialGC", "-J-XX:-UsePerfData",
           "-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-d", "/work", source.file},
          {},
          {}};
}

}  // namespace

const std::vector<Driver>& drivers() {
  static const std::vector<Driver> table = {
      {"python", {"py", "python3"}, python, {"python3", "--version"}, "python3"},
      {"bash", {"shell"}, bash, {"bash", "--version"}, "bash"},
      {"sh", {"posix"}, sh, {"sh", "-c", "command -v sh"}, "sh (dash or busybox)"},
      {"javascript", {"js", "node", "nodejs"}, javascript, {"node", "--version"}, "nodejs"},
      {"typescript",
       {"ts", "deno"},
       typescript,
       {"deno", "--version"},
       "Deno 2.9 or newer in /usr/local/bin"},
      {"c", {}, c, {"gcc", "--version"}, "gcc and libc6-dev"},
      {"cpp", {"c++", "cxx"}, cpp, {"g++", "--version"}, "g++"},
      {"rust", {"rs"}, rust, {"rustc", "--version"}, "rustc"},
      {"go", {"golang"}, go, {"go", "version"}, "golang-go, or Go in /usr/local/go"},
      {"java", {}, java, {"javac", "--version"}, "a JDK, such as openjdk-17-jdk-headless"},
  };
  return table;
}

const Driver* driver_named(std::string_view name) noexcept {
  for (const auto& driver : drivers()) {
    if (driver.name == name || std::ranges::count(driver.aliases, name) > 0) return &driver;
  }
  return nullptr;
}

}  // namespace lazaret::runner
