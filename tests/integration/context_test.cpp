#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/support.hpp"

// Interpreters of a session that keep what one run leaves in them for the next.
namespace lazaret::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class ContextOn : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!options_for(GetParam())) LAZARET_SKIP_OR_FAIL(GetParam(), "no endpoint is given");
    sandbox_.emplace(sandbox_on(GetParam()));
    auto session = sandbox_->open_session({});
    ASSERT_TRUE(session.ok()) << session.error().message();
    session_.emplace(std::move(session).value());
  }
  [[nodiscard]] static ExecutionRequest cell(const std::string& code,
                                             const std::string& context = "main") {
    ExecutionRequest request = python(code);
    request.context = context;
    return request;
  }
  [[nodiscard]] ExecutionResult run(const ExecutionRequest& request) const {
    return session_->execute(request);
  }
  // Of its error; empty where there is none.
  [[nodiscard]] std::string error_of(const ExecutionRequest& request) const {
    const ExecutionResult result = run(request);
    return result.error ? result.error->name.value_or(result.error->message) : "";
  }
  [[nodiscard]] std::string error_of(const std::string& code,
                                     const std::string& context = "main") const {
    return error_of(cell(code, context));
  }
  [[nodiscard]] ExecutionResult run(const std::string& code,
                                    const std::string& context = "main") const {
    return run(cell(code, context));
  }
  // One that is over by its timeout after it has begun.
  [[nodiscard]] ExecutionResult run_overdue(const std::string& code,
                                            std::chrono::seconds grace = 20s) const {
    ExecutionRequest request = cell("print('began', flush=True)\n" + code);
    request.limits.timeout = 2s;
    request.limits.grace = grace;
    ExecutionResult result = run(request);
    EXPECT_EQ(result.meta.cause, Cause::timeout) << to_json(result);
    EXPECT_EQ(result.stdout_text, "began\n");
    return result;
  }

  std::optional<CodeSandbox> sandbox_;
  std::optional<Session> session_;
};

TEST_P(ContextOn, KeepsVariablesImportsAndFunctions) {
  ExecutionResult result = run("import math\nx = 20\ndef twice(n): return 2 * n");
  EXPECT_EQ(result.meta.cause, Cause::exited) << to_json(result);
  EXPECT_FALSE(result.value.has_value());
  result = run("print('out'); twice(x) + math.floor(2.5)");
  EXPECT_EQ(result.value, "42");
  EXPECT_EQ(result.stdout_text, "out\n");
  ASSERT_TRUE(result.meta.context.has_value());
  EXPECT_EQ(result.meta.context->name, "main");
  EXPECT_EQ(result.meta.context->cell, 2U);
  EXPECT_FALSE(result.meta.context->lost);
  EXPECT_EQ(error_of("x", "other"), "NameError");
  EXPECT_EQ(error_of(python("x")), "NameError");
  EXPECT_FALSE(run(python("1")).meta.context.has_value());
}

TEST_P(ContextOn, IsLeftAloneByTheRunsBesideIt) {
  (void)run("x = 'kept'; open('from_cell', 'w').write('shared')");
  (void)run("y = 'too'", "second");
  EXPECT_EQ(run(bash("cat from_cell; (setsid sleep 600 &) ; sleep 600 & exit 3")).exit_code, 3);
  ExecutionRequest endless = bash("sleep 600");
  endless.limits.timeout = 1s;
  const ExecutionResult ended = run(endless);
  EXPECT_EQ(ended.meta.cause, Cause::timeout);
  EXPECT_EQ(session_->state(), SessionState::ready) << to_json(ended);
  EXPECT_EQ(run("x").value, "\"kept\"");
  EXPECT_EQ(run("y", "second").value, "\"too\"");
  const std::string seen = run(bash("cat /proc/[0-9]*/comm")).stdout_text;
  EXPECT_THAT(seen, testing::Not(HasSubstr("sleep"))) << "what a run has left is still there";
}

TEST_P(ContextOn, TellsErrorsInTheCellsOwnLines) {
  (void)run("def divide(a):\n  return a / 0");
  ExecutionResult result = run("1\ndivide(3)");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.meta.cause, Cause::nonzero_exit);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->type, ErrorType::RuntimeError);
  EXPECT_EQ(result.error->name, "ZeroDivisionError");
  EXPECT_EQ(result.error->line, 2U);
  EXPECT_THAT(result.stderr_text, HasSubstr("File \"<cell-1>\", line 2, in divide"));
  EXPECT_THAT(result.stderr_text, HasSubstr("return a / 0"));
  result = run("a b");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->type, ErrorType::SyntaxError);
  result = run("{1, 2}");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->type, ErrorType::SerializationError);
  EXPECT_EQ(run("import sys; sys.exit(9)").exit_code, 9);
  EXPECT_EQ(run("divide.__name__").value, "\"divide\"");
}

TEST_P(ContextOn, KeepsItsStateWhenARunIsInterrupted) {
  (void)run("x = 5");
  ExecutionResult result = run_overdue("while True: pass");
  ASSERT_TRUE(result.error.has_value() && result.meta.kill.has_value());
  EXPECT_EQ(result.error->type, ErrorType::TimeoutError);
  EXPECT_EQ(result.meta.kill->path, "int");
  EXPECT_EQ(run("x").value, "5");
  std::stop_source stop;
  ExecutionRequest request = cell("print('began', flush=True)\nimport time\ntime.sleep(600)");
  request.limits.timeout = 200s;
  request.limits.grace = 20s;
  request.stop = stop.get_token();
  request.on_output = [&stop](Stream, std::string_view) { stop.request_stop(); };
  EXPECT_EQ(run(request).meta.cause, Cause::cancelled);
  EXPECT_EQ(run("x").value, "5");
}

TEST_P(ContextOn, IsLostWhereItCannotBeInterruptedAndItsSessionIsNot) {
  (void)run("y = 1", "second");
  (void)run("x = 5");
  const ExecutionResult result = run_overdue(
      "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", 1s);
  ASSERT_TRUE(result.meta.context.has_value() && result.meta.kill.has_value());
  EXPECT_EQ(result.meta.kill->path, "kill");
  EXPECT_TRUE(result.meta.context->lost);
  EXPECT_EQ(session_->state(), SessionState::ready);
  EXPECT_EQ(error_of("x"), "NameError");
  // That all others went as well is told once, before anything runs in what is not there.
  const ExecutionResult told = run("print('has run')", "second");
  EXPECT_EQ(told.meta.cause, Cause::backend_unavailable);
  EXPECT_EQ(told.stdout_text, "");
  ASSERT_TRUE(told.error.has_value());
  EXPECT_THAT(told.error->message, HasSubstr("the context second was lost"));
  EXPECT_EQ(run("y = 2; y", "second").value, "2");
}

TEST_P(ContextOn, IsLostWithItsInterpreterAndItsSessionIsNot) {
  (void)run("x = 5");
  ExecutionResult result = run("import os; print('last', flush=True); os.kill(os.getpid(), 11)");
  EXPECT_EQ(result.meta.cause, Cause::signalled);
  EXPECT_EQ(result.stdout_text, "last\n");
  EXPECT_TRUE(result.meta.context->lost);
  result = run("x");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->name, "NameError");
  EXPECT_EQ(result.meta.context->cell, 1U);
  (void)run(
      "import os, threading, time\n"
      "def end():\n"
      "  while not os.path.exists('go'): time.sleep(0.01)\n"
      "  os._exit(0)\n"
      "threading.Thread(target=end).start()");
  const std::string until_gone = "while cat /proc/[0-9]*/comm | grep -q python; do :; done";
  EXPECT_EQ(run(bash("touch go; " + until_gone)).exit_code, 0);
  result = run("print('has run')");
  EXPECT_EQ(result.meta.cause, Cause::start_failed) << to_json(result);
  EXPECT_EQ(result.stdout_text, "");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_THAT(result.error->message, HasSubstr("ended meanwhile"));
  EXPECT_EQ(run("7").value, "7");
  EXPECT_EQ(session_->state(), SessionState::ready);
}

TEST_P(ContextOn, EndsWhenItIsToldAndBeginsAnew) {
  (void)run("import subprocess; x = 1; subprocess.Popen(['sleep', '600'])");
  auto contexts = session_->contexts();
  ASSERT_TRUE(contexts.ok()) << contexts.error().message();
  ASSERT_EQ(contexts->size(), 1U);
  EXPECT_EQ(contexts->front().name, "main");
  EXPECT_EQ(contexts->front().language, "python");
  EXPECT_EQ(contexts->front().cells, 1U);
  ASSERT_TRUE(session_->end_context("main").ok());
  EXPECT_EQ(session_->end_context("main").error().code(), Errc::not_found);
  EXPECT_THAT(session_->contexts().value(), IsEmpty());
  EXPECT_THAT(run(bash("cat /proc/[0-9]*/comm")).stdout_text, testing::Not(HasSubstr("sleep")));
  EXPECT_EQ(error_of("x"), "NameError");
}

TEST_P(ContextOn, IsBegunOnceAndForAll) {
  ExecutionRequest first = cell("import os; os.environ['WORD']");
  first.environment = {{"WORD", "given"}};
  EXPECT_EQ(run(first).value, "\"given\"");
  EXPECT_EQ(run(first).value, "\"given\"");
  EXPECT_THAT(error_of("1"), HasSubstr("begun otherwise"));
  EXPECT_EQ(run(first).meta.context->cell, 3U);
  for (int index = 1; index < 16; ++index)
    ASSERT_EQ(run("1", "c" + std::to_string(index)).value, "1");
  EXPECT_THAT(error_of("1", "one-too-many"), HasSubstr("as many contexts as it may"));
}

TEST_P(ContextOn, IsAsItWasAfterARunThatCouldNotBegin) {
  (void)run("x = 5; import os; os.mkdir('there')");
  ExecutionRequest misplaced = cell("print('has run')");
  misplaced.inputs = {{"there", "a file", {}, false}};
  const ExecutionResult result = run(misplaced);
  EXPECT_EQ(result.meta.cause, Cause::start_failed) << to_json(result);
  EXPECT_EQ(result.stdout_text, "");
  EXPECT_FALSE(result.meta.context.has_value());
  EXPECT_EQ(run("x").value, "5");
  EXPECT_EQ(run("x").meta.context->cell, 3U);
}

TEST_P(ContextOn, TakesAMebibyteAndGivesOne) {
  ExecutionRequest large = cell("x = '" + std::string((1 << 20) - 30, 'y') + "'\nlen(x)");
  EXPECT_EQ(run(large).value, std::to_string((1 << 20) - 30));
  const ExecutionResult result = run("print(x, end='')");
  EXPECT_EQ(result.stdout_text.size(), static_cast<std::size_t>((1 << 20) - 30));
  EXPECT_FALSE(result.truncated);
}

class NodeContextOn : public ContextOn {
 protected:
  void SetUp() override {
    ContextOn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    SessionRequest request;
    request.language = "javascript";
    auto session = sandbox_->open_session(request);
    ASSERT_TRUE(session.ok()) << session.error().message();
    session_.emplace(std::move(session).value());
    if (run_node("1").meta.start_errno == ENOENT) LAZARET_SKIP_OR_FAIL("javascript", "no node");
  }
  [[nodiscard]] ExecutionResult run_node(const std::string& code) const {
    ExecutionRequest request = cell(code);
    request.language = "javascript";
    return run(request);
  }
  [[nodiscard]] std::string value_of(const std::string& code) const {
    const ExecutionResult result = run_node(code);
    return result.value.value_or(to_json(result));
  }
};

TEST_P(NodeContextOn, KeepsWhatIsDeclaredHoweverItIs) {
  (void)run_node("const a = 1; let b = 2; var c = 3; class D { e() { return a + b + c; } }");
  (void)run_node("function f() { return new D().e(); }; const fs = require('fs')");
  EXPECT_EQ(value_of("f()"), "6");
  EXPECT_EQ(value_of("const a = 10; f()"), "15") << "declared again";
  EXPECT_EQ(value_of("fs.existsSync('/work')"), "true");
  EXPECT_EQ(value_of("const g = await new Promise((done) => setTimeout(() => done(7), 50)); g"),
            "7");
  EXPECT_EQ(value_of("g"), "7");
  EXPECT_EQ(value_of("const own = await Promise.resolve(g); return {own, a: [null]}"),
            R"({"own":7,"a":[null]})");
  EXPECT_EQ(value_of("typeof own"), "\"undefined\"");
  EXPECT_FALSE(run_node("undefined").value.has_value());
}

TEST_P(NodeContextOn, RunsACellOnceWhateverItThrows) {
  const ExecutionResult result = run_node("console.log('once'); eval('return 1')");
  EXPECT_EQ(result.stdout_text, "once\n");
  EXPECT_EQ(result.error.value().name, "SyntaxError");
}

TEST_P(NodeContextOn, TellsErrorsInTheCellsOwnLines) {
  (void)run_node("function f(a) {\n  return a.b.c;\n}");
  ExecutionResult result = run_node("\nf({})");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.error->name, "TypeError");
  EXPECT_EQ(result.error->line, 2U);
  EXPECT_THAT(result.stderr_text, HasSubstr("at f (<cell-2>:2:14)\n    at <cell-3>:2:1\n"));
  EXPECT_THAT(result.stderr_text, testing::Not(HasSubstr("node:")));
  result = run_node("1;\na b");
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->type, ErrorType::SyntaxError);
  EXPECT_EQ(result.error->line, 2U);
  for (const char* const code : {"10n", "NaN", "Symbol()", "new Map()", "() => 1"})
    EXPECT_EQ(run_node(code).error->type, ErrorType::SerializationError) << code;
  EXPECT_EQ(run_node("process.exit(9)").exit_code, 9);
  EXPECT_EQ(run_node("throw 7").error->message, "Uncaught 7");
  EXPECT_EQ(value_of("f({b: {c: 1}})"), "1");
}

TEST_P(NodeContextOn, KeepsItsStateWhenARunIsInterrupted) {
  (void)run_node("const x = 5");
  const std::string pause = "await new Promise((done) => setTimeout(done, 20));\n";
  for (const std::string& code :
       {std::string("while (true) {}"), std::string("await new Promise(() => {})"),
        std::string("setInterval(() => {}, 1000); await new Promise(() => {})"),
        pause + "while (true) {}", pause + "for (;;) await 0",
        pause + "setTimeout(() => { while (true) {} }); await new Promise(() => {})"}) {
    ExecutionRequest request = cell(code);
    request.language = "javascript";
    request.limits.timeout = 2s;
    request.limits.grace = 20s;
    const ExecutionResult result = run(request);
    EXPECT_EQ(result.meta.cause, Cause::timeout) << code << to_json(result);
    EXPECT_EQ(result.meta.kill->path, "int") << code;
    EXPECT_EQ(value_of("x"), "5") << code;
    EXPECT_EQ(value_of(pause + "[x, 'goes on']"), R"([5,"goes on"])") << code;
  }
}

TEST_P(NodeContextOn, IsInterruptedWhateverItHasMadeOfItsOwn) {
  const std::string pause = "await new Promise((done) => setTimeout(done, 20));\n";
  const auto interrupted = [this](const std::string& code) {
    ExecutionRequest request = cell(code);
    request.language = "javascript";
    request.limits.timeout = 2s;
    request.limits.grace = 20s;
    return run(request).meta.kill->path == "int";
  };
  EXPECT_TRUE(interrupted("await 0; while (true) {}"));
  const std::string own =
      "for (const n of ['Atomics', 'SharedArrayBuffer', 'require']) delete globalThis[n];";
  EXPECT_EQ(run_node(own + pause + "const require = 1; var x = 5").exit_code, 0);
  for (int count = 0; count < 256; ++count) ASSERT_EQ(run_node("x").value, "5");
  EXPECT_TRUE(interrupted(pause + "while (true) {}"));
  EXPECT_EQ(value_of("x"), "5");
}

TEST_P(NodeContextOn, OutlivesWhatNobodyCatches) {
  const ExecutionResult result = run_node(
      "setTimeout(() => { throw new Error('late') }, 10);\n"
      "Promise.reject(new Error('nobody'));\n"
      "await new Promise((done) => setTimeout(done, 200)); 'on'");
  EXPECT_EQ(result.value, "\"on\"") << to_json(result);
  EXPECT_THAT(result.stderr_text, HasSubstr("Uncaught Error: late"));
  EXPECT_THAT(result.stderr_text, HasSubstr("Uncaught Error: nobody"));
  EXPECT_TRUE(run_node("process.kill(process.pid, 'SIGKILL')").meta.context->lost);
  EXPECT_EQ(value_of("1"), "1");
}

INSTANTIATE_TEST_SUITE_P(EachBackend, NodeContextOn, testing::Values("native", "docker", "podman"),
                         [](const auto& param) { return std::string(param.param); });
INSTANTIATE_TEST_SUITE_P(EachBackend, ContextOn, testing::Values("native", "docker", "podman"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace lazaret::test
