#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"
#include "integration/warm_sandbox.hpp"
#include "runner/driver.hpp"

// Interpreters that wait for their program: what that one sees of it.
namespace lazaret::test {
namespace {

class Preload : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    warm_.emplace(GetParam());
  }
  [[nodiscard]] ExecutionResult warm(const ExecutionRequest& request) const {
    return warm_->run(request);
  }
  [[nodiscard]] static ExecutionResult cold(const ExecutionRequest& request) {
    return sandbox_on(GetParam()).execute(request);
  }
  /// What a program writes, the same in both.
  void expect_same(const ExecutionRequest& request) const {
    const ExecutionResult first = cold(request), ahead = warm(request);
    EXPECT_EQ(ahead.stdout_text, first.stdout_text);
    EXPECT_EQ(ahead.stderr_text, first.stderr_text);
    EXPECT_EQ(ahead.exit_code, first.exit_code);
    EXPECT_EQ(ahead.value, first.value);
    EXPECT_FALSE(first.stdout_text.empty()) << to_json(first);
  }
  /// On Podman, whose interpreters are those of Docker's images, every fourth.
  void expect_same_of_each(const char* language, std::span<const char* const> codes) const {
    const std::size_t step = GetParam() == std::string_view("podman") ? 4 : 1;
    for (std::size_t index = 0; index < codes.size(); index += step) {
      SCOPED_TRACE(codes[index]);
      expect_same(code_request(language, codes[index]));
    }
  }

 private:
  std::optional<WarmSandbox> warm_;
};

INSTANTIATE_TEST_SUITE_P(On, Preload, testing::ValuesIn(kBackends),
                         [](const auto& given) { return std::string(given.param); });

ExecutionRequest with_surroundings(ExecutionRequest request) {
  request.arguments = {"a b", "", "it's", "$HOME", "-x", "\xC3\xA4"};
  request.environment = {{"GIVEN", "1 2"}};
  request.stdin_data = "line one\nline two\n";
  request.limits.open_files = 99;
  request.limits.cpu_time = std::chrono::seconds(7);
  return request;
}

TEST_P(Preload, ShowsPythonItsOwnSurroundings) {
  expect_same(with_surroundings(python(R"(
import os, resource, signal, sys
print(sys.argv, sys.orig_argv, sys.path, sys.flags, __name__, __file__, sorted(globals()))
print(sorted(os.environ.items()), os.getcwd(), os.umask(0), os.getppid())
print(sorted(os.listdir('/proc/self/fd')), sys.stdin.read(), os.listdir('/work'))
print([resource.getrlimit(i) for i in range(16)], os.getsid(0) == os.getpgid(0) == os.getpid())
print([signal.getsignal(n) for n in sorted(signal.valid_signals())], sys.gettrace())
print(open('/work/next', 'w').fileno(), sys.excepthook is sys.__excepthook__)
sys.argv)")));
}

// What lies beside a program comes before the library, whatever has been loaded already.
TEST_P(Preload, LoadsModulesFromBesideTheProgramFirst) {
  ExecutionRequest request = python(R"(
import decimal, json, random, statistics
print(random.OWN, statistics.OWN, json.OWN, hasattr(decimal, 'OWN'), decimal.Decimal(1) / 3)
json.tool.answer())");
  request.inputs = {{"random.py", "OWN = 'numbers'\n", {}, false},
                    {"statistics.py", "import random\nOWN = random.OWN * 2\n", {}, false},
                    {"json/__init__.py", "from . import tool\nOWN = 'text'\n", {}, false},
                    {"json/tool.py", "def answer(): return 42\n", {}, false}};
  expect_same(request);
}

TEST_P(Preload, ShowsNodeItsOwnSurroundings) {
  ExecutionRequest request = with_surroundings(code_request("javascript", R"(
const fs = require('fs');
console.log(process.argv, process.execArgv, process.env, process.cwd(), process.umask());
console.log(__filename, require.main === module, Object.keys(globalThis), process.ppid);
console.log(fs.readFileSync(0, 'utf8'), fs.readdirSync('/work'), process.title);
console.log(fs.readFileSync('/proc/self/limits', 'utf8'));
const start = Date.now();
setTimeout(() => console.log('timer', Date.now() - start >= 299), 300);
setTimeout(() => console.log('sooner'), 1);
return process.argv.length)"));
  expect_same(request);
}

TEST_P(Preload, ShowsTypescriptItsOwnSurroundings) {
  ExecutionRequest request = with_surroundings(code_request("typescript", R"(
console.log(Deno.args, process.argv, import.meta.main, Deno.mainModule, Deno.cwd());
console.log(["GIVEN", "HOME", "PATH"].map((name) => Deno.env.get(name)), Object.keys(globalThis));
console.log(await new Response(Deno.stdin.readable).text(), [...Deno.readDirSync("/work")]);
console.log(["read", "write", "env"].map((name) =>
  Deno.permissions.querySync({ name } as Deno.PermissionDescriptor).state));
const start = Date.now();
setTimeout(() => console.log("timer", Date.now() - start >= 299), 300);
setTimeout(() => console.log("sooner"), 1);
return Deno.args.length)"));
  const ExecutionResult first = cold(request);
  const bool is_missing = first.meta.cause == Cause::image_missing || first.meta.start_errno;
  if (is_missing) LAZARET_SKIP_OR_FAIL("typescript", "no Deno is there");
  expect_same(request);
  expect_same(code_request("typescript", "console.log('x'); null!.f()"));
}

TEST_P(Preload, ShowsBashItsOwnSurroundings) {
  expect_same(with_surroundings(code_request("bash", R"(
echo "$_" "$0" "$-" "$#" "${BASH_SOURCE[*]}" "${FUNCNAME[*]}" $PPID $LINENO
printf '<%s>' "$@"; cat; umask; pwd; ulimit -a; trap; shopt; env | sort
ls /proc/self/fd /work; compgen -v | sort
f() { echo "${FUNCNAME[*]} ${BASH_SOURCE[*]}"; caller 0; return 3; }
f || echo $?
nosuch_command
echo ${unset_variable?gone})")));
}

// Nothing that one program draws says anything of what another one does.
void expect_fresh_draws(const char* backend, const ExecutionRequest& request, std::size_t draws) {
  const WarmSandbox sandbox(backend);
  std::set<std::string> drawn;
  for (int run = 0; run < 3; ++run) {
    std::istringstream words(sandbox.run(request).stdout_text);
    drawn.insert(std::istream_iterator<std::string>(words), {});
  }
  EXPECT_EQ(drawn.size(), 3 * draws) << request.language << testing::PrintToString(drawn);
}

TEST_P(Preload, DrawsOtherNumbersEachTime) {
  const std::tuple<const char*, std::size_t, const char*> programs[] = {
      {"python", 3, "import random, uuid\nprint(hash('a'), random.random(), uuid.uuid4())"},
      {"javascript", 2, "console.log(Math.random(), crypto.randomUUID())"},
      {"bash", 1, "echo $RANDOM$RANDOM$RANDOM"},
  };
  for (const auto& [language, draws, code] : programs)
    expect_fresh_draws(GetParam(), code_request(language, code), draws);
}

TEST_P(Preload, DrawsOtherNumbersOnDenoEachTime) {
  const auto request =
      code_request("typescript", "console.log(Math.random(), crypto.randomUUID())");
  const ExecutionResult first = cold(request);
  const bool is_missing = first.meta.cause == Cause::image_missing || first.meta.start_errno;
  if (is_missing) LAZARET_SKIP_OR_FAIL("typescript", "no Deno is there");
  expect_fresh_draws(GetParam(), request, 2);
}

TEST_P(Preload, StartsClocksWithTheProgram) {
  const ExecutionResult ran = warm(python(R"(
import time
print(time.process_time() < 1, time.thread_time() < 1)
begin = time.monotonic(), time.time(), time.perf_counter()
time.sleep(0.1)
print([0.09 < after - before < 3 for after, before in
       zip((time.monotonic(), time.time(), time.perf_counter()), begin)]))"));
  EXPECT_EQ(ran.stdout_text, "True True\n[True, True, True]\n");
  EXPECT_LT(ran.duration, std::chrono::seconds(5));
  ExecutionRequest slow = python("import time\ntime.sleep(9)");
  slow.limits.timeout = std::chrono::milliseconds(700);
  const ExecutionResult late = warm(slow);
  EXPECT_EQ(late.meta.cause, Cause::timeout);
  EXPECT_GT(late.duration, std::chrono::milliseconds(690));
}

// The clock of javascript counts from the interpreter's start.
constexpr const char* kClockOfItsOwn = R"(
const start = performance.now();
const near = (one, other) => Math.abs(one - other) < 500;
console.log(start > 0, start < 2000, near(performance.timeOrigin + start, Date.now()));
console.log(near(process.uptime() * 1000, start), near(performance.mark('a').startTime, start),
  performance.mark('b', { startTime: 7 }).startTime === 7);
console.log(near(performance.measure('c', { start }).duration, 0),
  near(performance.measure('d').duration, start),
  near(performance.measure('e', 'b', 'a').duration, start - 7),
  performance.measure('f', { start: 2, duration: 9 }).duration === 9);
try { performance.measure(); } catch (error) { console.log(error.name, performance.measure.name); }
)";

TEST_P(Preload, HasClocksThatStandWhileItWaits) {
  std::vector<ExecutionRequest> requests = {bash("echo $SECONDS")};
  for (const char* const language : {"javascript", "typescript"}) {
    const ExecutionRequest request = code_request(language, kClockOfItsOwn);
    const ExecutionResult first = cold(request);
    const bool is_missing = first.meta.cause == Cause::image_missing || first.meta.start_errno;
    if (is_missing) LAZARET_SKIP_OR_FAIL(language, "its interpreter is not there");
    EXPECT_EQ(first.stdout_text,
              "true true true\ntrue true true\ntrue true true true\nTypeError measure\n");
    requests.push_back(request);
  }
  for (const ExecutionRequest& request : requests) (void)warm(request);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  // Whole seconds, whose boundary may lie between.
  EXPECT_THAT(warm(requests[0]).stdout_text, testing::AnyOf("0\n", "1\n"));
  for (std::size_t index = 1; index < requests.size(); ++index)
    EXPECT_EQ(warm(requests[index]).stdout_text, cold(requests[index]).stdout_text);
}

// Where the interpreter's own end is passed over, nothing that it does is missed.
TEST_P(Preload, SaysFarewellAsPythonDoes) {
  const char* const farewells[] = {
      "class A:\n  def __del__(self): print('gone')\na = A()",
      "class A:\n  def __del__(self): print('gone')\na = A()\na.me = a\ndef f(): return a",
      "import json\nclass A:\n  def __del__(self): print('gone')\njson.kept = A()",
      "import atexit\natexit.register(print, 'at exit')",
      "import threading\nthreading.Timer(0.1, print, ['thread']).start()",
      "f = open('/dev/stdout', 'w')\nf.write('not flushed')",
      "import sys\nsys.stdout = open('/dev/stdout', 'w')\nprint('redirected')",
      "import os\nprint('child' if os.fork() == 0 else os.wait()[1])",
      "import sys\nprint('x')\nsys.stdout.close()",
      "import sys\nprint('kept')\nsys.stdout = sys.stderr",
      "import sys\nclass Tee:\n  def __init__(self): self.o = sys.stdout\n"
      "  def write(self, s): self.o.write(s)\n  def flush(self): pass\n"
      "sys.stdout = Tee()\nprint('through')",
      "import sys\nprint('x')\nsys.exit('words')",
      "print('x')\n1 / 0",
      "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'finalized')",
      "def g():\n  try: yield 1\n  finally: print('closed')\nh = g()\nnext(h)",
      "import logging\nlogging.warning('logged')\nprint('x')",
  };
  expect_same_of_each("python", farewells);
}

TEST_P(Preload, SaysFarewellAsNodeDoes) {
  const char* const farewells[] = {
      "console.log('x'); return {a: [1]}",
      "console.log('x'); return 7",
      "process.on('exit', (status) => console.log('at exit', status))",
      "process.once('exit', () => { process.exitCode = 4 }); console.log('x')",
      "let again = 2;"
      "process.on('beforeExit', () => { if (again--) setTimeout(console.log, 1, 'on') })",
      "console.log('x'); process.exit(0)",
      "console.log('x'); process.exit()",
      "console.log('x'); process.exitCode = 3; return 5",
      "setTimeout(() => console.log('late'), 20); return 'soon'",
      "const {Worker} = require('worker_threads');"
      "new Worker(\"console.log('thread')\", {eval: true}).on('exit', () => console.log('ended'))",
      "const {Worker} = require('worker_threads');"
      "new Worker('while (true) {}', {eval: true}).unref(); console.log('x')",
      "const fs = require('fs'); fs.closeSync(3); const f = fs.openSync('/tmp/third', 'w+');"
      "process.on('beforeExit', () => {}); fs.writeSync(1, `${f}\\n`); return 6",
      "require('fs').createWriteStream('/dev/stdout').end('streamed')",
      "require('child_process').spawn('echo', ['child'], {stdio: 'inherit'})",
      "process.stdout.write('x'.repeat(3000000))",
      "console.log('x'); Promise.reject(new Error('nobody'))",
      "console.log('x'); throw 1",
      "require('fs').write(1, 'x'.repeat(2000000), () => {}); process.exit(0)",
      "const end = process.reallyExit; process.reallyExit = (status) => {"
      "console.log('patched'); end.call(process, status) }; process.exit()",
      "for (const name of ['SharedArrayBuffer', 'Atomics', 'Int32Array']) delete globalThis[name];"
      "console.log('x')",
      "import fs from 'fs'; process.on('exit', () => console.log('module')); export default 1",
  };
  expect_same_of_each("javascript", farewells);
  ExecutionRequest covered = code_request(
      "javascript", "require('fs').mkdirSync('/work/out/c', {recursive: true}); console.log('x')");
  covered.environment = {{"NODE_V8_COVERAGE", "/work/out/c"}};
  EXPECT_EQ(warm(covered).artifacts.size(), cold(covered).artifacts.size());
  // What has taken the place of where a farewell is heard gets none.
  const ExecutionResult other = warm(code_request(
      "javascript",
      "const fs = require('fs'); fs.mkdirSync('/work/out', {recursive: true});\n"
      "fs.closeSync(3); fs.writeSync(1, `${fs.openSync('/work/out/third', 'w')}`)"));
  EXPECT_EQ(other.stdout_text, "3");
  ASSERT_EQ(other.artifacts.size(), 1U);
  EXPECT_EQ(other.artifacts.front().size, 0U);
}

// What the ones above would not show: that it is said at all.
TEST(PreloadOfNode, SaysItsFarewellWhereItHasNothingLeftToDo) {
  const Folder folder;
  std::ofstream(folder.path() + "/main.js") << "console.log(1); return 2";
  std::ofstream(folder.path() + "/word") << folder.path() + "/main.js" << '\0' << "farewell";
  const runner::Words none;
  const auto recipe = runner::driver_named("javascript")->recipe({"", none, 512ULL << 20, false});
  Invocation node{{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\" 3>third 4<word", folder.path()}};
  std::ranges::copy(recipe.ahead->argv, std::back_inserter(node.argv));
  const Ended ended = run_program(node);
  if (ended.status == 127) LAZARET_SKIP_OR_FAIL("javascript", "there is no node");
  EXPECT_EQ(ended.out, "1\n") << ended.err;
  EXPECT_EQ(file_text(folder.path() + "/third"), R"(waiting{"value":2}farewell)");
}

TEST_P(Preload, ShowsTracebacksWithoutAWrapper) {
  expect_same(python("print('x')\ndef f():\n  raise ValueError('bad')\nf()"));
  expect_same(python("print('x')\nimport json\njson.loads('{')"));
  expect_same(code_request("javascript", "console.log('x'); null.f()"));
}

// A program that leaves little to the modules that it has not asked for.
TEST_P(Preload, StartsNothingAheadWhereMemoryIsShort) {
  const CodeSandbox sandbox = sandbox_on(GetParam());
  ExecutionRequest request = python(is_ahead("python"));
  request.limits.memory_bytes = (128 << 20) - 1;
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(sandbox.execute(request).stdout_text, "\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace
}  // namespace lazaret::test
